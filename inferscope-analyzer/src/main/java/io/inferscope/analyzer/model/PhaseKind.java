package io.inferscope.analyzer.model;

/** A part of a program's life, in the order of time. docs/steps.md describes how each is found. */
public enum PhaseKind implements Identified {
    /** Before the first step, purpose unknown, because the recording does not begin with the program. */
    BEFORE("before"),
    /** Up to the first step: starting, importing, loading the model. */
    LOAD("load"),
    /** Compiling and capturing graphs. */
    COMPILE("compile"),
    /** The first steps, while they are slower than the later ones. */
    WARM_UP("warm-up"),
    /** The steps whose lengths no longer change. */
    STEADY_STATE("steady-state"),
    /** After the last step. */
    AFTER("after");

    private final String id;

    PhaseKind(String id) {
        this.id = id;
    }

    @Override
    public String id() {
        return id;
    }

    public LedgerPart part() {
        return LedgerPart.valueOf(name());
    }

    /** Returns whether the phase belongs to start-up. */
    public boolean isStartUp() {
        return this == LOAD || this == COMPILE || this == WARM_UP;
    }
}
