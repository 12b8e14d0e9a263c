package io.inferscope.analyzer.model;

/** A part of a program's life, in the order of time. docs/steps.md describes how each is found. */
public enum PhaseKind implements HasStableId {
    /** Before the first step, purpose unknown, because the recording does not begin with the program. */
    BEFORE,
    /** Up to the first step: starting, importing, loading the model. */
    LOAD,
    /** Compiling and capturing graphs. */
    COMPILE,
    /** The first steps, while they are slower than the later ones. */
    WARM_UP,
    /** The steps whose lengths no longer change. */
    STEADY_STATE,
    /** After the last step. */
    AFTER;

    public LedgerPart part() {
        return LedgerPart.valueOf(name());
    }

    /** Returns whether the phase belongs to start-up. */
    public boolean isStartUp() {
        return this == LOAD || this == COMPILE || this == WARM_UP;
    }
}
