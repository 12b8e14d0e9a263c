/** Every figure of an analysis or a report by name: what rules that users declare, and limits for CI, can ask. */
@org.jspecify.annotations.NullMarked
package io.inferscope.analyzer.metrics;
