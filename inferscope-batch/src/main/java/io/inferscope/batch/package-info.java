/**
 * Batch tracing of models: runs each tracer in a process of its own, checks its outputs, and writes a status with the
 * outcome.
 */
@NullMarked
package io.inferscope.batch;

import org.jspecify.annotations.NullMarked;
