package io.inferscope.analyzer.limits;

/** What a metric is in a report, or why it is not known. */
sealed interface Reading {
    /** A value: ns for shares and times, a number for counts. */
    record Known(double value) implements Reading {}

    /** No value, and why. */
    record Unknown(String because) implements Reading {}
}
