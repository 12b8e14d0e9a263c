/** The figures of an analysis or a report by name, for users' rules and limits for CI. */
@org.jspecify.annotations.NullMarked
package io.inferscope.analyzer.metrics;
