package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.Finding;

/** What a rule says of one recording. */
public sealed interface Verdict {
    /**
     * Something that costs time, or good news worth saying.
     *
     * @param byShare whether its severity follows from its share alone
     * @param unclaimed what removing it may save where no gain is claimed
     */
    record Found(Finding finding, boolean byShare, Unclaimed unclaimed) implements Verdict {
        /** Returns the same with the finding in other words or of another severity, which stands. */
        Found with(Finding other) {
            return new Found(other, false, unclaimed);
        }

        /** Returns the same, graded by its share once more. */
        Found graded(Finding other) {
            return new Found(other, true, unclaimed);
        }

        /** Returns what removing it saves, as a part of what it costs: by the middle of its gain, where one is claimed. */
        public double savedOfCost() {
            Finding.Gain gain = finding.gain();
            return gain == null
                    ? unclaimed == Unclaimed.ITS_COST_AT_MOST ? 1 : 0
                    : (gain.lowNs() + gain.highNs()) / (2.0 * Math.max(1, finding.costNs()));
        }
    }

    /** What removing the cause of a finding without a claim may save. */
    enum Unclaimed {
        ITS_COST_AT_MOST,
        /** A replay without it takes as long, or it is a sum whose parts other findings tell. */
        NOTHING_BY_ITSELF
    }

    /** Found something whose time another finding explains in more detail. */
    record ToldElsewhere(String because) implements Verdict {}

    /** Looked, and there is nothing. */
    record Clean(String because) implements Verdict {}

    /** Cannot look. */
    record NotApplicable(String because) implements Verdict {}

    /** Looked, and failed by a defect of its own. */
    record Failed(String problem) implements Verdict {}

    /** Returns a found verdict. */
    static Verdict found(FindingBuilder builder) {
        return new Found(builder.build(), builder.isGradedByShare(), builder.unclaimed());
    }

    /** Returns a clean verdict. */
    static Verdict clean(String because) {
        return new Clean(because);
    }
}
