/**
 * The library users put in their program. It has no dependency.
 *
 * <p>{@code try (Scope scope = Scope.open("llm_inference")) { ... }} names a stretch of work. Inside {@code inferscope run} it joins
 * the run; otherwise the program writes a small trace of its own that {@code inferscope analyze} reads.
 */
@NullMarked
package io.inferscope.scope;

import org.jspecify.annotations.NullMarked;
