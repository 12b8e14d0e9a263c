/** Profiles of JAX and TensorFlow: XSpace messages and their JSON; the only package that uses protobuf. */
@NullMarked
package io.inferscope.formats.xla;

import org.jspecify.annotations.NullMarked;
