package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.timeline.Order;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What changed from one recording to another. Times are ns per unit of work: per step where both recordings have steps,
 * else per recording.
 *
 * @param before the recording that is compared with
 * @param after the recording that is judged
 * @param outcome the result
 * @param conclusion sentences, the most important first
 * @param cautions reasons other than the program itself why the two may differ
 * @param unit the unit of work: a step, or the span or the window if that is compared as a whole
 * @param pace the time of one unit; its shift is that of the runs where several were compared, else of the units
 * @param runs the time of a unit in each run; no runs where one recording of each was compared
 * @param groups the changes, by kind of entity
 * @param findings rules that found something in one of the two
 */
public record Comparison(
        Party before,
        Party after,
        Outcome outcome,
        List<String> conclusion,
        List<String> cautions,
        WorkUnit unit,
        Change pace,
        RunPaces runs,
        List<Group> groups,
        List<FindingChange> findings) {
    public Comparison {
        conclusion = List.copyOf(conclusion);
        cautions = List.copyOf(cautions);
        groups = List.copyOf(groups);
        findings = List.copyOf(findings);
    }

    /** The result of a comparison. */
    public enum Outcome {
        /** A recording is not good enough for a verdict, so no difference can be judged. */
        WITHHELD,
        /** The recordings have nothing in common. */
        INCOMPARABLE,
        /** Every figure is the same. */
        SAME,
        /** The time of a unit differs no more than the units of one recording do. */
        WITHIN_NOISE,
        /** After takes less time per unit. */
        FASTER,
        /** After takes more time per unit. */
        SLOWER;

        /** Returns the id in reports. */
        public String id() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * One of the two recordings.
     *
     * @param title its file's name without folders
     * @param format its format
     * @param device the name of its judged device; empty where there is none or it is not recorded
     * @param bound its verdict
     * @param claim its verdict in a sentence
     * @param windowNs length of its window
     * @param units how many units of work it is divided by
     */
    public record Party(
            String title, String format, String device, Bound bound, String claim, long windowNs, double units) {}

    /**
     * The time of a unit in each run, in ns, in the order in which the runs were given.
     *
     * @param beforeNs of the runs before
     * @param afterNs of the runs after
     */
    public record RunPaces(List<Long> beforeNs, List<Long> afterNs) {
        /** One recording of each was compared. */
        public static final RunPaces NONE = new RunPaces(List.of(), List.of());

        public RunPaces {
            beforeNs = List.copyOf(beforeNs);
            afterNs = List.copyOf(afterNs);
        }

        public boolean isEmpty() {
            return beforeNs.isEmpty();
        }
    }

    /**
     * Entities of one kind, such as kernels, the largest change first.
     *
     * @param id its stable id
     * @param title what they are
     * @param perUnit whether counts and times are per unit of work; otherwise they are of the whole recordings
     * @param changes one per entity
     */
    public record Group(String id, String title, boolean perUnit, List<Change> changes) {
        public Group {
            changes = List.copyOf(changes);
        }
    }

    /**
     * One entity in both recordings, or in one of them.
     *
     * @param name its name in the recording after; if absent there, before
     * @param formerly its name before, if different; otherwise empty
     * @param id its stable id, for ledger classes; else empty
     * @param beforeCount its count before, per unit; 0 if absent
     * @param afterCount the same
     * @param beforeNs its time before, per unit
     * @param afterNs the same
     * @param shift how the duration of single occurrences changed, if both recordings have enough of them
     */
    public record Change(
            String name,
            String formerly,
            String id,
            double beforeCount,
            double afterCount,
            double beforeNs,
            double afterNs,
            @Nullable Shift shift) {
        Change with(@Nullable Shift found) {
            return new Change(name, formerly, id, beforeCount, afterCount, beforeNs, afterNs, found);
        }

        /** Returns by how much its time grew, in ns per unit; negative where it fell. */
        public double grownNs() {
            return afterNs - beforeNs;
        }

        /** Returns its growth relative to the time before: 0.1 for a tenth more; NaN if it was absent before. */
        public double grownRatio() {
            return beforeNs == 0 ? Double.NaN : afterNs / beforeNs - 1;
        }

        /** Returns whether it is in one recording only. */
        public boolean isOneSided() {
            return (beforeCount == 0) != (afterCount == 0);
        }

        /** Returns whether both recordings have the same count and time. */
        public boolean isSame() {
            return beforeCount == afterCount && beforeNs == afterNs;
        }
    }

    /**
     * How the durations of one sample compare with those of another: the ratio after / before of a typical pair, and
     * the interval in which that ratio lies with {@link RankShift#CONFIDENCE}.
     *
     * @param beforeSamples how many durations before
     * @param afterSamples how many after
     * @param ratio the estimate
     * @param lowRatio lower end of the interval
     * @param highRatio upper end
     */
    public record Shift(int beforeSamples, int afterSamples, double ratio, double lowRatio, double highRatio) {
        /** Returns whether the interval excludes "no change". */
        public boolean isBeyondNoise() {
            return lowRatio > 1 || highRatio < 1;
        }
    }

    /**
     * A rule's findings before and after.
     *
     * @param rule its id
     * @param beforeSeverity how severe it was; empty where it found nothing
     * @param afterSeverity the same
     * @param beforeNs what it cost, in ns per unit
     * @param afterNs the same
     * @param claimed the gain that it claimed before, if it claimed one
     */
    public record FindingChange(
            String rule,
            String beforeSeverity,
            String afterSeverity,
            double beforeNs,
            double afterNs,
            @Nullable Claimed claimed) {
        /**
         * Returns whether it was found before, claimed a gain, and is gone or costs at most half as much, also beside
         * the rest of the unit: a program that does half of everything acts on nothing.
         */
        boolean isActedOn(Change pace) {
            double restBeforeNs = Math.max(0, pace.beforeNs() - beforeNs);
            double restAfterNs = Math.max(0, pace.afterNs() - afterNs);
            boolean halved = 2 * afterNs <= beforeNs && 2 * afterNs * restBeforeNs <= beforeNs * restAfterNs;
            return claimed != null && (afterSeverity.isEmpty() || halved);
        }
    }

    /**
     * A gain as a finding claimed it.
     *
     * @param lowRatio the least saving, as a ratio of a unit's time
     * @param highRatio the largest
     */
    public record Claimed(double lowRatio, double highRatio) {}

    /** Returns the findings that are gone, or cost at most half as much, and had claimed a gain; the costliest first. */
    public List<FindingChange> actedOn() {
        return actedOn(findings, pace);
    }

    static List<FindingChange> actedOn(List<FindingChange> findings, Change pace) {
        return findings.stream()
                .filter(finding -> finding.isActedOn(pace))
                .sorted(Order.comparingDouble((FindingChange finding) -> -finding.beforeNs()))
                .toList();
    }

    /** Returns which part of a unit's time was saved; negative where it takes longer. */
    public double gainedRatio() {
        Shift shift = pace.shift();
        return shift == null ? -pace.grownRatio() : 1 - shift.ratio();
    }

    /** Returns whether a difference of the time per unit can be judged at all. */
    public boolean isJudged() {
        return outcome != Outcome.WITHHELD && outcome != Outcome.INCOMPARABLE;
    }
}
