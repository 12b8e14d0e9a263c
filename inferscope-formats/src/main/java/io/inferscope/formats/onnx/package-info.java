/** Profiles of ONNX Runtime. */
@NullMarked
package io.inferscope.formats.onnx;

import org.jspecify.annotations.NullMarked;
