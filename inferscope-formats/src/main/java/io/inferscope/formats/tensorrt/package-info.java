/** Exports of TensorRT's trtexec. */
@NullMarked
package io.inferscope.formats.tensorrt;

import org.jspecify.annotations.NullMarked;
