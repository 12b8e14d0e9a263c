package io.inferscope.analyzer.metrics;

/** What can be asked of a report by a name: a figure, or a question that has no figure for an answer. */
public sealed interface Asked permits Metric, Question {
    /** Returns what it is, in a few words. */
    String description();
}
