/** Collectives of several GPUs in one recording: who arrived last, who waited for it, and why it was late. */
@NullMarked
package io.inferscope.analyzer.collectives;

import org.jspecify.annotations.NullMarked;
