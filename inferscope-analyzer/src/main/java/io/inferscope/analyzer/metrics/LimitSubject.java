package io.inferscope.analyzer.metrics;

/** What limits can check by name: a figure, or a question whose answer is not a figure. */
public sealed interface LimitSubject permits Metric, ReportProperty {
    String description();
}
