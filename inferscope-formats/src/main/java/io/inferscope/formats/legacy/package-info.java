/** Traces of the earlier InferScope in Python. */
@NullMarked
package io.inferscope.formats.legacy;

import org.jspecify.annotations.NullMarked;
