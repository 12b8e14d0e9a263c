/** Benchmarks; never published. */
@NullMarked
package io.inferscope.bench;

import org.jspecify.annotations.NullMarked;
