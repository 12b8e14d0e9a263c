package io.inferscope.analyzer.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A claim with its cost, its evidence, advice, and the gain of following the advice.
 *
 * @param rule id of the rule that found it; its page is docs/rules/ID.md
 * @param severity its severity
 * @param claim one or two sentences, numbers included
 * @param costNs its cost in ns
 * @param share that time as a ratio of {@code of}
 * @param of what the share refers to, such as {@code window of device 0}
 * @param causes the ledger classes whose time is the cost; empty if it is not the time of classes
 * @param evidence the evidence for the claim
 * @param advice the flag or call to change
 * @param gain the saving from removing the cause; null if the evidence allows no interval of at most fifteen percentage
 *     points
 * @param noGainBecause why no gain is claimed; empty if one is
 */
public record Finding(
        String rule,
        Severity severity,
        String claim,
        long costNs,
        double share,
        String of,
        List<LedgerClass> causes,
        List<Evidence> evidence,
        String advice,
        @Nullable Gain gain,
        String noGainBecause) {
    /** The rule whose finding comes before all others: the program stands still. */
    public static final String HANG = "hang";

    /** The rule that has a finding for each costly place in the code. */
    public static final String PLACE = "costly-place";

    public Finding {
        causes = List.copyOf(causes);
        evidence = List.copyOf(evidence);
    }

    /** Returns the places named by its evidence, in the order of the evidence. */
    public List<String> places() {
        return evidence.stream()
                .map(one -> one instanceof Evidence.Place place
                        ? place.where()
                        : one instanceof Evidence.Range range ? range.where() : "")
                .filter(where -> !where.isBlank())
                .toList();
    }

    /** Returns the same finding with severity "worth knowing" at most. */
    public Finding atMostInfo() {
        return severity.compareTo(Severity.INFO) < 0 ? withSeverity(Severity.INFO) : this;
    }

    /** Returns the same finding in other words. */
    public Finding withClaim(String other) {
        return new Finding(rule, severity, other, costNs, share, of, causes, evidence, advice, gain, noGainBecause);
    }

    /**
     * Returns the same finding with the evidence of another one that is a part of it.
     *
     * @param better whether the advice of the part is taken, too, if it has one
     */
    public Finding with(Finding part, boolean better) {
        List<Evidence> both = new ArrayList<>(evidence);
        both.addAll(part.evidence);
        String remedy = better && !part.advice.isEmpty() ? part.advice : advice;
        return new Finding(rule, severity, claim, costNs, share, of, causes, both, remedy, gain, noGainBecause);
    }

    /** Returns the same finding with a line first that waits for what the finding is about, {@code ns} long in {@code count} waits. */
    public Finding waitedAt(String line, long ns, long count) {
        List<Evidence> both = new ArrayList<>(evidence);
        both.add(0, new Evidence.Place("waited for at", line, ns, count));
        return new Finding(rule, severity, claim, costNs, share, of, causes, both, advice, gain, noGainBecause);
    }

    /** Returns the same finding with another advice. */
    public Finding withAdvice(String other) {
        return new Finding(rule, severity, claim, costNs, share, of, causes, evidence, other, gain, noGainBecause);
    }

    /** Returns the same finding with another gain, or the reason for claiming none. */
    public Finding withGain(@Nullable Gain other, String because) {
        return new Finding(rule, severity, claim, costNs, share, of, causes, evidence, advice, other, because);
    }

    /** Returns the same finding with another severity. */
    public Finding withSeverity(Severity other) {
        return new Finding(rule, other, claim, costNs, share, of, causes, evidence, advice, gain, noGainBecause);
    }

    /** How much a finding matters. Most severe first. */
    public enum Severity implements HasStableId {
        /** Costs 40 % or more. */
        CRITICAL,
        /** Costs 15 % or more. */
        WARNING,
        /** Worth knowing. */
        INFO,
        /** Good news. */
        HEALTHY;

        /**
         * Returns the severity of a cost, as a ratio of the judged part: 40 % and 15 % are TraceLens' and the
         * TensorBoard plugin's limits.
         */
        public static Severity ofShare(double share) {
            return share >= 0.40 ? CRITICAL : share >= 0.15 ? WARNING : INFO;
        }
    }

    /**
     * What a change would save. Gains of several findings do not add up.
     *
     * @param lowNs at least
     * @param highNs at most
     * @param assumptions what each end assumes
     */
    public record Gain(long lowNs, long highNs, List<String> assumptions) {
        /** How the assumption begins that says why more is saved than the finding costs. */
        public static final String BEYOND = "with waits that it causes, beyond its own ";

        /** Copies the list and checks the order of the ends. */
        public Gain {
            assumptions = List.copyOf(assumptions);
            if (lowNs > highNs || lowNs < 0) {
                throw new IllegalArgumentException("gain [" + lowNs + ", " + highNs + "]");
            }
        }
    }
}
