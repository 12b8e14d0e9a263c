/** Every figure of an analysis by name, for rules that users declare. */
@org.jspecify.annotations.NullMarked
package io.inferscope.analyzer.metrics;
