package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.model.BoundVerdict.Bound;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What changed from one recording to another. Times are ns per unit of work: per step where both recordings have steps, else per recording.
 *
 * @param before the recording that is compared with
 * @param after the recording that is judged
 * @param outcome what it comes to
 * @param conclusion sentences, the most important first
 * @param cautions what makes the two differ beside the program itself
 * @param unit what times are per: {@code step}, or {@code span} or {@code window} where the whole of it is compared
 * @param pace the time of one unit
 * @param groups what changed, by kind of thing
 * @param findings rules that found something in one of the two
 */
public record Comparison(
        Party before,
        Party after,
        Outcome outcome,
        List<String> conclusion,
        List<String> cautions,
        String unit,
        Change pace,
        List<Group> groups,
        List<FindingChange> findings) {
    /** Copies the lists. */
    public Comparison {
        conclusion = List.copyOf(conclusion);
        cautions = List.copyOf(cautions);
        groups = List.copyOf(groups);
        findings = List.copyOf(findings);
    }

    /** What a comparison comes to. */
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
     * Things of one kind, such as kernels, the largest change first.
     *
     * @param id its stable id
     * @param title what they are
     * @param perUnit whether counts and times are divided by the unit of work; else they are of the whole recordings
     * @param changes one per thing
     */
    public record Group(String id, String title, boolean perUnit, List<Change> changes) {
        /** Copies the list. */
        public Group {
            changes = List.copyOf(changes);
        }
    }

    /**
     * One thing in both recordings, or in one of them.
     *
     * @param name what it is, as after calls it
     * @param formerly what before calls it, where that is another name; else empty
     * @param id its stable id, for ledger classes; else empty
     * @param beforeCount how often it is there, per unit; 0 where it is not there
     * @param afterCount the same
     * @param beforeNs its time per unit
     * @param afterNs the same
     * @param shift how the time of one occurrence changed, where there are enough of them on both sides
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

        /** Returns by what ratio of the time before it grew: 0.1 for a tenth more; not a number where it was not there before. */
        public double grownRatio() {
            return beforeNs == 0 ? Double.NaN : afterNs / beforeNs - 1;
        }

        /** Returns whether it is in one recording only. */
        public boolean isOneSided() {
            return (beforeCount == 0) != (afterCount == 0);
        }

        /** Returns whether nothing about it differs. */
        public boolean isSame() {
            return beforeCount == afterCount && beforeNs == afterNs;
        }
    }

    /**
     * How the durations of one sample compare with those of another: the ratio after / before of a typical pair, and the interval in which
     * that ratio lies with {@link RankShift#CONFIDENCE}.
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
     * What a rule found before and after.
     *
     * @param rule its id
     * @param beforeSeverity how severe it was; empty where it found nothing
     * @param afterSeverity the same
     * @param beforeNs what it cost, in ns per unit
     * @param afterNs the same
     */
    public record FindingChange(
            String rule, String beforeSeverity, String afterSeverity, double beforeNs, double afterNs) {}

    /** Returns whether a difference of the time per unit can be judged at all. */
    public boolean isJudged() {
        return outcome != Outcome.WITHHELD && outcome != Outcome.INCOMPARABLE;
    }
}
