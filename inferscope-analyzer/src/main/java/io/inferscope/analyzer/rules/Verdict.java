package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.Finding;

/** What a rule says of one recording. */
public sealed interface Verdict {
    /**
     * Something that costs time, or good news worth saying.
     *
     * @param byShare whether its severity follows from its share alone
     */
    record Found(Finding finding, boolean byShare) implements Verdict {
        /** A finding whose severity stands. */
        public Found(Finding finding) {
            this(finding, false);
        }
    }

    /** Looked, and there is nothing. */
    record Clean(String because) implements Verdict {}

    /** Cannot look. */
    record NotApplicable(String because) implements Verdict {}

    /** Looked, and failed by a defect of its own. */
    record Failed(String problem) implements Verdict {}

    /** Returns a found verdict. */
    static Verdict found(FindingBuilder builder) {
        return new Found(builder.build(), builder.isGradedByShare());
    }

    /** Returns a clean verdict. */
    static Verdict clean(String because) {
        return new Clean(because);
    }
}
