/** Profiles of JAX and TensorFlow: XSpace messages and their JSON; the only place that knows protobuf. */
@NullMarked
package io.inferscope.formats.xla;

import org.jspecify.annotations.NullMarked;
