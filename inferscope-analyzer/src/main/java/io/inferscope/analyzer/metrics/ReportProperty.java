package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.model.HasStableId;

/**
 * What limits can check in a finished report or a comparison, but is not a figure of an analysis, so rules cannot use
 * it.
 */
public enum ReportProperty implements LimitSubject, HasStableId {
    VERDICT("what limits the program"),
    /** How severe the severest finding is. */
    SEVERITY("the severest finding"),
    /** Findings of rules. */
    FINDING("a rule that found something"),
    /** How the time of a unit of work changed. */
    REGRESSION("only for `diff`: how much longer a unit of work takes than before");

    private final String description;

    ReportProperty(String description) {
        this.description = description;
    }

    @Override
    public String description() {
        return description;
    }
}
