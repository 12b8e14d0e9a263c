package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.Finding;
import java.util.ArrayList;
import java.util.List;

/** A rule's verdict on one recording. */
public sealed interface Verdict {
    /**
     * The rule found something that costs time, or a good state worth reporting.
     *
     * @param byShare whether its severity follows from its share alone
     * @param unclaimed what removing the cause may save if no gain is claimed
     * @param others what the rule found besides, such as further places; less costly
     */
    record Found(Finding finding, boolean byShare, Unclaimed unclaimed, List<Found> others) implements Verdict {
        public Found {
            others = List.copyOf(others);
        }

        Found(Finding finding, boolean byShare, Unclaimed unclaimed) {
            this(finding, byShare, unclaimed, List.of());
        }

        /** Returns the same verdict with another text or severity, which then is final. */
        Found with(Finding other) {
            return new Found(other, false, unclaimed, others);
        }

        /** Returns the same, graded by its share once more. */
        Found graded(Finding other) {
            return new Found(other, true, unclaimed, others);
        }

        /** Returns each of its findings by itself. */
        public List<Found> each() {
            List<Found> all = new ArrayList<>(List.of(new Found(finding, byShare, unclaimed)));
            all.addAll(others);
            return all;
        }

        /** Returns the verdict with several findings of a rule, the first of them first; there must be one. */
        static Found of(List<Found> several) {
            Found first = several.get(0);
            return new Found(first.finding, first.byShare, first.unclaimed, several.subList(1, several.size()));
        }

        /**
         * Returns the saving from removing the cause, as a share of its cost: the middle of the gain if one is claimed.
         */
        public double savedOfCost() {
            Finding.Gain gain = finding.gain();
            return gain == null
                    ? unclaimed.savedOfCost
                    : (gain.lowNs() + gain.highNs()) / (2.0 * Math.max(1, finding.costNs()));
        }
    }

    /** What removing the cause of a finding without a claim may save. */
    enum Unclaimed {
        ITS_COST_AT_MOST(1),
        /** What helps leaves a part of it, nobody knows how much. */
        A_PART(0.5),
        /** A replay without the cause saves nothing, or the cost is a sum whose parts other findings report. */
        NOTHING_BY_ITSELF(0);

        private final double savedOfCost;

        Unclaimed(double savedOfCost) {
            this.savedOfCost = savedOfCost;
        }
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
