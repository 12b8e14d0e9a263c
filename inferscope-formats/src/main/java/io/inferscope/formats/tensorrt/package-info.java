/** What TensorRT's trtexec exports. */
@NullMarked
package io.inferscope.formats.tensorrt;

import org.jspecify.annotations.NullMarked;
