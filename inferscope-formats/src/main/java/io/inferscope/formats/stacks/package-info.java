/** Sampled stacks: speedscope and folded stacks. */
@NullMarked
package io.inferscope.formats.stacks;

import org.jspecify.annotations.NullMarked;
