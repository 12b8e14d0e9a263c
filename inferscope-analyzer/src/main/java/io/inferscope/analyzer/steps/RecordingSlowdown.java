package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RecordingPace;
import io.inferscope.timeline.RecordingPace.Detail;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * How much longer recording device work made the steps of this program, in this run: steps inside windows
 * ({@code --gpu-window}, {@code --gpu-detail auto}) against steps between them. Where steps are not known, the time per
 * launch is compared instead, if launches were counted; and of a program that mostly pauses, or if that does not grow, the
 * busy part of it, because a server with few requests launches as often however slow it is. Of windows with different details, those like the judged one
 * count.
 *
 * <pre>
 *   recorded    |=====|           |=====|           |=====|
 *   steps       | | | | |||||||||| | | | ||||||||||| | | | ||||||||||
 * </pre>
 *
 * <p>Each window, and each time up to the next one, has the median length of its steps. A line through their logarithms,
 * with a step between recorded and others, takes a slow drift out; the step is the logarithm of the ratio, and Student's
 * distribution of the distances from the line gives the interval: with a confidence of 95 %, if distances are independent
 * and about normal. Steps that cross an edge belong to neither side.
 *
 * @param ratio recorded steps against others, such as 1.06
 * @param lowRatio the interval's lower end
 * @param highRatio the interval's upper end
 * @param pairs how many pairs
 * @param compared what was
 * @param detail what was recorded in the windows, null if all have the same
 */
public record RecordingSlowdown(
        double ratio,
        double lowRatio,
        double highRatio,
        int pairs,
        Compared compared,
        @Nullable Detail detail) {
    /** The property of a part of a recording that was cut out for judging, which no longer has the other steps. */
    private static final String PROPERTY = "inferscope.recording_slowdown";

    /** A smaller change is none. */
    private static final double LEAST_RATIO = 1.005;

    /** Below what a percentage shows. */
    private static final double ROUNDING = 1e-6;

    /** With fewer, the interval says nothing. */
    public static final int FEWEST_PAIRS = 4;

    /** What the probe costs, divided by what doing its work twice adds: 1.0 to 1.3 in planted runs ({@code lab/slowdown --probe}). */
    private static final double LEAST_OF_ADDED = 0.9;

    private static final double MOST_OF_ADDED = 1.35;
    private static final int FEWEST_STEPS = 3;
    private static final long FEWEST_LAUNCHES = 10;

    /** Steps differ much if those between their quartiles do by half, in more than a quarter of the stretches. */
    private static final double WIDE = 1.5;

    private static final double WIDE_SHARE = 0.25;

    /** What of a stretch is compared. */
    public enum Compared {
        MEDIANS,
        MEANS,
        LAUNCHES,
        BUSY;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The 97.5th percentiles of Student's distribution by degrees of freedom from 3 to 29; beyond, the normal one's. */
    private static final double[] STUDENT = {
        3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101,
        2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045
    };

    private static final double NORMAL = 1.96;

    /**
     * Compares the steps of a whole recording, or else its launches; empty where too few lie on one of the sides. Its
     * steps are the ranges of a thread and name that take most time: they are recorded beside windows as well.
     *
     * @param judged the number, from 0, of the window that is explained
     */
    public static Optional<RecordingSlowdown> of(Timeline timeline, Intervals recorded, int judged) {
        List<RecordingPace> paces = RecordingPace.of(timeline);
        Detail detail = paces.stream()
                .filter(pace -> isIn(pace, recorded, judged))
                .map(RecordingPace::detail)
                .findFirst()
                .orElse(null);
        Predicate<Integer> counts = window -> detail == null
                || paces.stream().anyMatch(pace -> pace.detail() == detail && isIn(pace, recorded, window));
        return ofSteps(timeline, track -> true, recorded, counts)
                .or(() -> ofLaunches(paces, detail))
                .map(found -> new RecordingSlowdown(
                        found.ratio, found.lowRatio, found.highRatio, found.pairs, found.compared, detail));
    }

    private static Optional<RecordingSlowdown> ofLaunches(List<RecordingPace> paces, @Nullable Detail detail) {
        Optional<RecordingSlowdown> all = of(points(paces, detail, RecordingPace::lengthNs), Compared.LAUNCHES);
        Optional<RecordingSlowdown> busy = of(points(paces, detail, RecordingPace::busyNs), Compared.BUSY);
        boolean counted = paces.stream().anyMatch(pace -> pace.busyNs() != 0);
        long busyNs = paces.stream().mapToLong(pace -> Math.abs(pace.busyNs())).sum();
        boolean pauses = counted
                && 2 * busyNs
                        < paces.stream().mapToLong(RecordingPace::lengthNs).sum();
        return pauses
                ? busy
                : all.filter(RecordingSlowdown::isCertain)
                        .or(() -> busy.filter(RecordingSlowdown::isCertain))
                        .or(() -> all);
    }

    /** Compares the steps of a recording whose sampling paused with those while it did; empty where too few are known. */
    public static Optional<RecordingSlowdown> ofSampling(Timeline timeline) {
        Intervals.Builder sampled = new Intervals.Builder(8);
        RecordingPace.ofSampling(timeline).stream()
                .filter(pace -> !pace.isBetween())
                .forEach(pace -> sampled.add(pace.startNs(), pace.endNs()));
        return ofSteps(timeline, track -> true, sampled.build(), unused -> true);
    }

    /**
     * Compares the steps of a recording while the probe did its work twice with those while it did it once: doing it once
     * costs what doing it twice adds, but for what calls of hooks differ in. Empty where too few are known. The probe cannot
     * pause instead, because it records the steps, and because ranges, numbers of hand-overs and requests that it leaves out
     * would be missed.
     */
    public static Optional<RecordingSlowdown> ofProbe(Timeline timeline) {
        Intervals.Builder twice = new Intervals.Builder(8);
        RecordingPace.ofSampling(timeline).stream()
                .filter(pace -> pace.launches() == 1)
                .forEach(pace -> twice.add(pace.startNs(), pace.endNs()));
        IntPredicate ofProbe = track -> !ProcessFact.TWICE
                .of(timeline, timeline.tracks().get(track).parent())
                .isEmpty();
        return ofSteps(timeline, ofProbe, twice.build(), unused -> true)
                .filter(found -> MOST_OF_ADDED * (found.highRatio - 1) < 1)
                .map(found -> new RecordingSlowdown(
                        ofAdded(found.ratio, 1),
                        ofAdded(found.lowRatio, LEAST_OF_ADDED),
                        ofAdded(found.highRatio, MOST_OF_ADDED),
                        found.pairs,
                        found.compared,
                        null));
    }

    /** Returns a step's length divided by its length without the probe, given how much of what the ratio adds the probe costs. */
    private static double ofAdded(double ratio, double share) {
        return 1 / (1 - (ratio < 1 ? 1 : share) * (ratio - 1));
    }

    private static boolean isIn(RecordingPace pace, Intervals recorded, int window) {
        long middleNs = pace.startNs() + (pace.endNs() - pace.startNs()) / 2;
        return !pace.isBetween() && recorded.startNs(window) <= middleNs && middleNs < recorded.endNs(window);
    }

    private static Optional<RecordingSlowdown> ofSteps(
            Timeline timeline, IntPredicate ofTrack, Intervals recorded, Predicate<Integer> counts) {
        Map<Long, List<Step>> ranges = new HashMap<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            boolean isRange = timeline.kind(row) == RowKind.ANNOTATION || timeline.kind(row) == RowKind.REQUEST;
            if (isRange && !timeline.isCaptured(row) && ofTrack.test(timeline.track(row))) {
                long key = (long) timeline.track(row) << Integer.SIZE | timeline.nameId(row);
                ranges.computeIfAbsent(key, unused -> new ArrayList<>())
                        .add(new Step(timeline.name(row), "", timeline.startNs(row), timeline.endNs(row), null));
            }
        }
        return ranges.values().stream()
                .filter(steps -> steps.size() >= 2 * FEWEST_PAIRS * FEWEST_STEPS)
                .sorted(Order.comparingLong(RecordingSlowdown::negativeNs))
                .flatMap(steps -> ofSteps(steps, recorded, counts).stream())
                .findFirst();
    }

    private static long negativeNs(List<Step> steps) {
        return -steps.stream().mapToLong(Step::durationNs).sum();
    }

    static Optional<RecordingSlowdown> of(List<Step> steps, Intervals recorded) {
        return ofSteps(steps, recorded, unused -> true);
    }

    /**
     * Compares medians, or means where the lengths of steps in a stretch differ much. On a machine that others use, a step
     * is interrupted the more often the longer it is: the median then grows faster than the work does, once half of the
     * steps are interrupted. The mean does not, but a single long step changes it.
     */
    private static Optional<RecordingSlowdown> ofSteps(
            List<Step> steps, Intervals recorded, Predicate<Integer> counts) {
        List<Point> medians = points(steps, recorded, counts, false);
        double wide = medians.stream().mapToDouble(Point::wide).average().orElse(0);
        return wide > WIDE_SHARE
                ? of(points(steps, recorded, counts, true), Compared.MEANS)
                : of(medians, Compared.MEDIANS);
    }

    private static List<Point> points(List<Step> steps, Intervals recorded, Predicate<Integer> counts, boolean means) {
        List<Point> points = new ArrayList<>();
        for (int i = 0; i < recorded.count(); i++) {
            if (!counts.test(i)) {
                continue;
            }
            long nextNs = i + 1 < recorded.count() ? recorded.startNs(i + 1) : Long.MAX_VALUE;
            long[] in = lengths(steps, recorded.startNs(i), recorded.endNs(i));
            long[] out = lengths(steps, recorded.endNs(i), nextNs);
            if (Math.min(in.length, out.length) >= FEWEST_STEPS) {
                points.add(point(2 * i, 1, in, means));
                points.add(point(2 * i + 1, 0, out, means));
            }
        }
        return points;
    }

    private static Point point(int time, int recorded, long[] lengths, boolean mean) {
        double ns = mean ? Arrays.stream(lengths).average().orElseThrow() : median(lengths);
        double wide = quartile(lengths, 3) > WIDE * quartile(lengths, 1) ? 1 : 0;
        return new Point(time, recorded, Math.log(ns), wide);
    }

    /** The time per launch of each recorded stretch of a detail, and of the one after it. */
    private static List<Point> points(
            List<RecordingPace> paces, @Nullable Detail detail, ToLongFunction<RecordingPace> time) {
        List<Point> points = new ArrayList<>();
        long longestNs = paces.stream().mapToLong(RecordingPace::lengthNs).max().orElse(0);
        Predicate<RecordingPace> shows = pace ->
                pace.launches() >= FEWEST_LAUNCHES && 2 * pace.lengthNs() >= longestNs && time.applyAsLong(pace) > 0;
        for (int i = 0; i + 1 < paces.size(); i++) {
            RecordingPace in = paces.get(i);
            RecordingPace out = paces.get(i + 1);
            if (in.detail() == detail && out.isBetween() && shows.test(in) && shows.test(out)) {
                points.add(new Point(i, 1, Math.log((double) time.applyAsLong(in) / in.launches()), 0));
                points.add(new Point(i + 1, 0, Math.log((double) time.applyAsLong(out) / out.launches()), 0));
            }
        }
        return points;
    }

    /** A stretch: when, whether recorded (1 or 0), the logarithm of what is compared, whether its steps differ much (1 or 0). */
    private record Point(double time, double recorded, double logarithm, double wide) {}

    /** Least squares with three unknowns: what time explains is taken out of both sides first (Frisch and Waugh). */
    private static Optional<RecordingSlowdown> of(List<Point> points, Compared compared) {
        int count = points.size();
        if (count < 2 * FEWEST_PAIRS) {
            return Optional.empty();
        }
        double[] times = points.stream().mapToDouble(Point::time).toArray();
        double[] is = withoutTrend(points.stream().mapToDouble(Point::recorded).toArray(), times);
        double[] lengths =
                withoutTrend(points.stream().mapToDouble(Point::logarithm).toArray(), times);
        double step = product(is, lengths) / product(is, is);
        double squares = 0;
        for (int i = 0; i < count; i++) {
            squares += (lengths[i] - step * is[i]) * (lengths[i] - step * is[i]);
        }
        int freedom = count - 3;
        double student = freedom - 3 < STUDENT.length ? STUDENT[freedom - 3] : NORMAL;
        double half = student * Math.sqrt(squares / freedom / product(is, is));
        return Optional.of(new RecordingSlowdown(
                Math.exp(step), Math.exp(step - half), Math.exp(step + half), count / 2, compared, null));
    }

    private static double[] withoutTrend(double[] values, double[] times) {
        double time = Arrays.stream(times).average().orElseThrow();
        double value = Arrays.stream(values).average().orElseThrow();
        double[] centred = Arrays.stream(times).map(one -> one - time).toArray();
        double slope = product(centred, values) / product(centred, centred);
        double[] rest = new double[values.length];
        Arrays.setAll(rest, i -> values[i] - value - slope * centred[i]);
        return rest;
    }

    private static double product(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    /** Returns the lengths of the steps that lie within a stretch, sorted. */
    private static long[] lengths(List<Step> steps, long startNs, long endNs) {
        return steps.stream()
                .filter(step -> step.startNs() >= startNs && step.endNs() <= endNs)
                .mapToLong(Step::durationNs)
                .sorted()
                .toArray();
    }

    private static double median(long[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0;
    }

    private static double quartile(long[] sorted, int number) {
        return sorted[Math.min(sorted.length - 1, sorted.length * number / 4)];
    }

    /** Notes the result in a part of the recording. */
    public Timeline markedIn(Timeline part) {
        String how = detail == null ? "" : " " + detail.word();
        return part.with(
                PROPERTY, ratio + " " + lowRatio + " " + highRatio + " " + pairs + " " + compared.word() + how);
    }

    /** Returns the result that a part of a recording holds; empty if there is none, or none that can be meant. */
    public static Optional<RecordingSlowdown> markedIn(String property) {
        try {
            String[] words = property.strip().split(" ");
            double[] numbers = Arrays.stream(words)
                    .limit(4)
                    .mapToDouble(Double::parseDouble)
                    .toArray();
            boolean valid = numbers.length == 4
                    && Arrays.stream(numbers).allMatch(Double::isFinite)
                    && numbers[1] > 0
                    && numbers[1] <= numbers[0]
                    && numbers[0] <= numbers[2]
                    && numbers[3] >= FEWEST_PAIRS;
            Compared compared =
                    words.length < 5 ? Compared.MEDIANS : Compared.valueOf(words[4].toUpperCase(Locale.ROOT));
            Detail detail = words.length < 6 ? null : Detail.valueOf(words[5].toUpperCase(Locale.ROOT));
            return valid
                    ? Optional.of(new RecordingSlowdown(
                            numbers[0], numbers[1], numbers[2], (int) numbers[3], compared, detail))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the result that a part of a recording holds. */
    public static Optional<RecordingSlowdown> in(Timeline part) {
        return markedIn(part.properties().getOrDefault(PROPERTY, ""));
    }

    /** Returns whether recording certainly made the program slower. */
    public boolean isCertain() {
        return lowRatio > 1 && ratio >= LEAST_RATIO;
    }

    /**
     * Returns how idle a device would have been without recording, in words such as {@code 55% (50 to 58)}; empty if
     * that is not known to differ. Recording delays the host: the device's work of a step is the same, and the step was
     * shorter. How often a program launches that pauses for as long as it likes does not depend on it. Recording the nodes
     * of a graph may also take the device's time, up to all that was added: then only the ends are known.
     */
    public String idleWithout(double busyRatio, boolean replaysGraphs) {
        if (!isCertain() || compared == Compared.BUSY || busyRatio * (ratio - 1) < LEAST_RATIO - 1) {
            return "";
        }
        double least = Math.floor(idlePercent(busyRatio, highRatio));
        return replaysGraphs
                ? String.format(
                        Locale.ROOT,
                        "%.0f to %.0f%%",
                        least,
                        Math.ceil(Math.min(100, 100 * highRatio * (1 - busyRatio))))
                : String.format(
                        Locale.ROOT,
                        "%.0f%% (%.0f to %.0f)",
                        idlePercent(busyRatio, ratio),
                        least,
                        Math.ceil(idlePercent(busyRatio, lowRatio)));
    }

    /**
     * Returns how much of a part recording may have added, at most, in ns; 0 if it is not known to have added any. In which
     * class is not known: a call that is not recorded may cost time too, and delays other threads.
     */
    public long mostAddedNs(Ledger part) {
        long ns = part.durationNs();
        for (Ledger.Entry entry : part.entries()) { // Such a program's pauses are as long as before.
            ns -= compared == Compared.BUSY && entry.ledgerClass().isWaiting() ? entry.ns() : 0;
        }
        return isCertain() ? Math.round(ns * (1 - 1 / highRatio)) : 0;
    }

    /** Returns what recording added at most, in words such as {@code recording device work made steps up to 8 % longer}. */
    public String atMost() {
        return String.format(
                Locale.ROOT,
                "recording device work made %s up to %.0f %% longer",
                compared.compareTo(Compared.LAUNCHES) >= 0 ? "launches" : "steps",
                Math.ceil(100 * (highRatio - 1) - ROUNDING));
    }

    /** Returns how to record the program so that recording adds less. */
    public String remedy() {
        return detail == null || detail == Detail.FULL
                ? "record less of each call: `inferscope run --gpu-detail launches -- COMMAND`"
                : "no detail that shows causes costs less: rely on the idle time without recording, which the report states";
    }

    private static double idlePercent(double busyRatio, double ratio) {
        return 100 * Math.max(0, 1 - busyRatio * ratio);
    }

    /** Returns what sampling cost as a sentence. */
    public String samplingSentence() {
        return "Sampling made steps " + change() + ": the " + compared.word() + " of " + pairs
                + " windows against the pause after each. The probe, which knows the steps, is in both.";
    }

    /** Returns what the probe cost as a sentence. */
    public String probeSentence() {
        return "The probe made steps " + change() + ": in " + pairs + " periods it did its work twice, and the "
                + compared.word() + " of those differ by that from the next ones'.";
    }

    /** Returns what recording cost as a sentence. */
    public String sentence() {
        return String.format(
                Locale.ROOT,
                "Recording device work%s made %s %s: %s of %d windows against the time after each.%s",
                detail == null ? "" : " (--gpu-detail " + detail.word() + ")",
                switch (compared) {
                    case LAUNCHES -> "the time per launch";
                    case BUSY -> "the time per launch, without pauses of the program of more than 1 ms,";
                    default -> "steps";
                },
                change(),
                compared.compareTo(Compared.LAUNCHES) >= 0 ? "that" : "the " + compared.word(),
                pairs,
                isCertain() && compared == Compared.BUSY
                        ? " The program launches as often without recording, so idle time is as recorded; what it does between its"
                                + " pauses takes longer by as much, of which gains claim nothing."
                        : isCertain()
                                ? " Idle time without recording is computed from that: the device's work of a step is the same. All other"
                                        + " figures are as recorded, so causes in the host are too large by up to as much; gains claim"
                                        + " none of it."
                                : "");
    }

    private String change() {
        double percent = 100 * (ratio - 1);
        boolean none = Math.abs(percent) < 100 * (LEAST_RATIO - 1) || (lowRatio < 1 && highRatio > 1);
        return String.format(
                Locale.ROOT,
                "%s (%+.0f to %+.0f %%)",
                none
                        ? "not measurably longer"
                        : String.format(
                                Locale.ROOT, "%.0f %% %s", Math.abs(percent), percent > 0 ? "longer" : "shorter"),
                Math.floor(100 * (lowRatio - 1)),
                Math.ceil(100 * (highRatio - 1)));
    }
}
