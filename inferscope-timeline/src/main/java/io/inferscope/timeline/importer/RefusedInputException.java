package io.inferscope.timeline.importer;

import java.io.IOException;

/** Input that is not read on, because it would cost without bound. */
public final class RefusedInputException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    /** Makes one that says what is wrong and what to do about it. */
    public RefusedInputException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    /** Returns what to do about it. */
    public String remedy() {
        return remedy;
    }
}
