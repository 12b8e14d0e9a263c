package io.inferscope.timeline.importer;

import java.io.IOException;

/** Thrown for input whose processing would have no bound. */
public final class RefusedInputException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    public RefusedInputException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    public String remedy() {
        return remedy;
    }
}
