/** Batch tracing of models: each tracer in a process of its own, what it left checked, and a status that says so. */
@NullMarked
package io.inferscope.batch;

import org.jspecify.annotations.NullMarked;
