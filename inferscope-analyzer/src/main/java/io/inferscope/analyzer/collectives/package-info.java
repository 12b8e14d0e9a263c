/**
 * Collectives of several GPUs in one recording: which GPU arrived last, which GPUs waited for it, and why it was late.
 */
@NullMarked
package io.inferscope.analyzer.collectives;

import org.jspecify.annotations.NullMarked;
