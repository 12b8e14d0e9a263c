/**
 * The library that users add to their program. It has no dependencies.
 *
 * <p>{@code try (Scope scope = Scope.open("llm_inference")) { ... }} names a stretch of work. Under {@code inferscope
 * run} it is recorded as part of the run; otherwise the program writes a small trace of its own that {@code inferscope
 * analyze} reads.
 */
@NullMarked
package io.inferscope.scope;

import org.jspecify.annotations.NullMarked;
