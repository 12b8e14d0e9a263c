package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.Finding;

/** A rule's verdict on one recording. */
public sealed interface Verdict {
    /**
     * The rule found something that costs time, or a good state worth reporting.
     *
     * @param byShare whether its severity follows from its share alone
     * @param unclaimed what removing the cause may save if no gain is claimed
     */
    record Found(Finding finding, boolean byShare, Unclaimed unclaimed) implements Verdict {
        /** Returns the same verdict with another text or severity, which then is final. */
        Found with(Finding other) {
            return new Found(other, false, unclaimed);
        }

        /** Returns the same, graded by its share once more. */
        Found graded(Finding other) {
            return new Found(other, true, unclaimed);
        }

        /**
         * Returns the saving from removing the cause, as a share of its cost: the middle of the gain if one is claimed.
         */
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
        /** A replay without the cause saves nothing, or the cost is a sum whose parts other findings report. */
        NOTHING_BY_ITSELF
    }

    /** The rule found something, but another finding explains the same time in more detail. */
    record ToldElsewhere(String because) implements Verdict {}

    /** The rule found nothing. */
    record Clean(String because) implements Verdict {}

    /** Cannot look. */
    record NotApplicable(String because) implements Verdict {}

    /** The rule failed by a defect of its own. */
    record Failed(String problem) implements Verdict {}

    static Verdict found(FindingBuilder builder) {
        return new Found(builder.build(), builder.isGradedByShare(), builder.unclaimed());
    }

    static Verdict clean(String because) {
        return new Clean(because);
    }
}
