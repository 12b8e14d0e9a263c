package io.inferscope.analyzer.model;

/** Phases, steps and requests: what of the time was start-up, what recurred, and where one step or request went. */
public record StepTables() {
    /** Nothing of that is known. */
    public static final StepTables NONE = new StepTables();
}
