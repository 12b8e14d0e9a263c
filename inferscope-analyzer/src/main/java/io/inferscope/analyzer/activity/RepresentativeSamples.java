package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.calls.SampledGil;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Chooses, for time in which a measured row is the innermost one, the stack sample that represents it: the sample that
 * shows what the row's code did then.
 *
 * <p>A sample observes one instant; a row that merges equal samples observes several. Its time reaches half-way to its
 * neighbours. Rows are measured to the nanosecond: a sample taken inside a span of 2 ms shows nothing about the other 8
 * ms of its time. So a sample represents a row only if the row was the innermost one at an instant of the sample:
 *
 * <pre>
 *   row      [ scope ......................................]
 *   row                 [tokenize]
 *   samples     ----*------- ---*--- ------*----- ----*----
 *   chosen   aaaaaaaaaaaaabbbbbbbbbbcccccccccccccccddddddddd       (b for tokenize alone; c for the scope after it)
 * </pre>
 *
 * <p>A part of a row may contain no sample. If the instants of samples were recorded, it is assumed to do what parts of
 * about its length do: it gets the nearest sample, up to {@value #REACH_NS} ns away, that represents the row and was
 * taken in a part of similar length. Length is the only criterion that separates long work from the gaps of
 * microseconds in a loop with calls of 20 ms. In its own part a sample reaches no further into time without samples
 * than from there to its part's other end: one sample at the begin of 600 ms, in which no other could be taken, shows
 * only the begin. If there is no such sample, the part's begin gets the sample before it,
 * and the rest the one after it: each only if it represents the row, and for no longer than the time of one sample.
 * What is left of a range gets the nearest sample in another one of its name and about its length ({@link
 * SamplesByName}).
 *
 * <p>Row -1 is time in which no row is open. Without a better sample, the sample whose time it is represents it.
 *
 * <p>If the thread both ran and waited in an interval, one sample saw only one of the two. The time on a CPU then gets
 * the nearest sample that represents the row and did not see the thread wait ({@link #forRunning}), the blocked time
 * the nearest one that did not see the thread run ({@link #forBlocked}, {@link #forLocked}).
 */
final class RepresentativeSamples {
    /** Most instants examined per sample row; a second at 1000 Hz has fewer. */
    static final int MOST_INSTANTS = 4096;

    private static final int[] NO_ROWS = {};

    private static final long REACH_NS = 1_000_000_000L;

    /** Most samples examined on each side of a part. */
    private static final int MOST_LOOKED_AT = 64;

    /** A part longer than so many samples should have some of its own. */
    static final int MANY = 8;

    /** Two lengths are similar if neither is more than this many times the other. */
    private static final int ALIKE = 4;

    private final Timeline timeline;
    private final ActivityClassifier classifier;
    private final InnermostRows samples;
    private final InnermostRows activities;
    private final int[] rows;
    private final SamplesByName byName;

    /** By position in {@link #rows}: the innermost activities at the instants of a sample, ascending. */
    private final int[][] rowsSeen;

    /** One more than the activities that samples represent. */
    private final BitSet represented = new BitSet();

    /** By position: the length of the part of the activity in which the sample was taken; 0 if unknown. */
    private final long[] lengthsNs;

    /** Whether a sample of the thread is marked as taken while the thread was blocked. */
    private final boolean marksBlocked;

    /** Whether a sample saw the thread go to sleep for a lock or a condition. */
    private final boolean goesToLocks;

    /** The stacks with which the thread was seen blocked at least half as often as without the GIL and not blocked. */
    private final BitSet stacksThatWait;

    /**
     * By position: begin and end of the sample. A search passes up to {@value #MOST_LOOKED_AT} of them on each side.
     */
    private final long[] startsNs;

    private final long[] endsNs;

    /** By activity that a sample of known length represents: the positions of these samples, ascending. */
    private final Map<Integer, int[]> ofLength = new HashMap<>();

    private long[] starts = new long[16];
    private int[] chosen = new int[16];
    private int count;
    private int at;
    private long endNs;

    /** Start, end and length of the part that contains the requested interval. */
    private long wholeStartNs;

    private long wholeEndNs;
    private long lengthNs;

    /** Takes a thread's samples and its activities. The cursor of {@code activities} moves. */
    RepresentativeSamples(
            Timeline timeline,
            ActivityClassifier classifier,
            int[] rows,
            InnermostRows samples,
            InnermostRows activities) {
        this.timeline = timeline;
        this.classifier = classifier;
        this.samples = samples;
        this.activities = activities;
        this.rows = rows;
        this.rowsSeen = new int[rows.length][];
        this.lengthsNs = new long[rows.length];
        this.startsNs = new long[rows.length];
        this.endsNs = new long[rows.length];
        this.marksBlocked =
                Arrays.stream(rows).anyMatch(row -> timeline.attribute(row, Attribute.GIL) == SampledGil.BLOCKED);
        this.stacksThatWait = stacksThatWait();
        this.goesToLocks = Arrays.stream(rows).anyMatch(classifier::sawGoingToLock);
        this.byName = new SamplesByName(timeline, classifier, rows, activities);
        for (int i = 0; i < rows.length; i++) {
            rowsSeen[i] = activities.isEmpty() ? NO_ROWS : rowsSeenBy(rows[i], activities);
            Arrays.stream(rowsSeen[i]).forEach(row -> represented.set(row + 1));
            lengthsNs[i] = rowsSeen[i].length == 1 ? lengthNs(rows[i]) : 0;
            startsNs[i] = timeline.startNs(rows[i]);
            endsNs[i] = timeline.endNs(rows[i]);
        }
        IntStream.range(0, rows.length)
                .filter(i -> lengthsNs[i] > 0)
                .boxed()
                .collect(Collectors.groupingBy(i -> rowsSeen[i][0]))
                .forEach((row, positions) -> ofLength.put(
                        row, positions.stream().mapToInt(Integer::intValue).toArray()));
    }

    private BitSet stacksThatWait() {
        Map<Integer, Integer> balance = new HashMap<>();
        for (int row : rows) {
            int counts = (int) Math.max(1, timeline.attribute(row, Attribute.SAMPLES));
            long gil = timeline.attribute(row, Attribute.GIL);
            int change = gil == SampledGil.BLOCKED ? 2 * counts : gil == SampledGil.NEITHER ? -counts : 0;
            balance.merge(stackNumber(row), change, Integer::sum);
        }
        BitSet waiting = new BitSet();
        balance.forEach((stack, sum) -> waiting.set(stack, sum >= 0));
        return waiting;
    }

    /** Returns the number of a sample's stack, counted from 1; 0 if it has none. */
    private int stackNumber(int sample) {
        return (int) Math.max(-1, timeline.attribute(sample, Attribute.STACK)) + 1;
    }

    private int[] rowsSeenBy(int sample, InnermostRows activities) {
        if (timeline.attribute(sample, Attribute.LOOKED_NS) != Attribute.ABSENT) {
            return rowsAtRecordedInstants(sample, activities);
        }
        int instants = instants(timeline, sample);
        int[] found = new int[instants];
        int size = 0;
        for (int k = 0; k < instants; k++) {
            int row = activities.rowAt(instantNs(timeline, sample, k));
            if (size == 0 || found[size - 1] != row) {
                found[size++] = row;
            }
        }
        return Arrays.stream(found, 0, size).sorted().distinct().toArray();
    }

    /**
     * The instants of the look and of reading the frames are known. If the innermost activity changed in between, the
     * sample represents neither activity.
     */
    private int[] rowsAtRecordedInstants(int sample, InnermostRows activities) {
        int row = activities.rowAt(timeline.startNs(sample) + timeline.attribute(sample, Attribute.LOOKED_NS));
        long readNs = timeline.attribute(sample, Attribute.FRAMES_READ_NS);
        boolean same = readNs == Attribute.ABSENT || activities.rowAt(timeline.startNs(sample) + readNs) == row;
        return same ? new int[] {row} : NO_ROWS;
    }

    private long lengthNs(int sample) {
        long lookedNs = timeline.attribute(sample, Attribute.LOOKED_NS);
        if (lookedNs == Attribute.ABSENT) {
            return 0;
        }
        return activities.wholeNs(timeline.startNs(sample) + lookedNs);
    }

    /** Returns how many instants of a sample row are examined. */
    static int instants(Timeline timeline, int sample) {
        long most = Math.min(MOST_INSTANTS, timeline.durationNs(sample));
        return (int) Math.max(0, Math.min(most, Math.max(1, timeline.attribute(sample, Attribute.SAMPLES))));
    }

    /** Returns an instant of a sample row: the middle of one of the row's equal parts. */
    static long instantNs(Timeline timeline, int sample, int instant) {
        long partNs = timeline.durationNs(sample) / instants(timeline, sample);
        return timeline.startNs(sample) + instant * partNs + partNs / 2;
    }

    /** Starts reading the parts of {@code [fromNs, toNs)}, in which {@code row} is the innermost activity. */
    void begin(int row, long fromNs, long toNs) {
        // The whole part's length even if a slice is requested: slicing must not change the result.
        wholeEndNs = activities.wholeEndNs(fromNs);
        wholeStartNs = activities.wholeStartNs();
        lengthNs = wholeEndNs - wholeStartNs;
        int[] alike = ofLength.getOrDefault(row, NO_ROWS);
        count = 0;
        at = -1;
        endNs = toNs;
        samples.begin(fromNs, toNs);
        while (samples.next()) {
            int sample = samples.pieceRow();
            int own = sample >= 0 ? Arrays.binarySearch(rows, sample) : -1;
            boolean represents = represents(own, row);
            if (represents && (lengthsNs[own] == 0 || isAlike(lengthsNs[own], lengthNs))) {
                add(samples.pieceStartNs(), sample);
            } else if (alike.length == 0 || !fillAlike(row, alike, own, samples.pieceStartNs(), samples.pieceEndNs())) {
                fill(row, represents, sample, samples.pieceStartNs(), samples.pieceEndNs());
            }
        }
    }

    private boolean represents(int position, int row) {
        if (position < 0 || position >= rows.length || !represented.get(row + 1)) {
            return false;
        }
        int[] seen = rowsSeen[position];
        return seen.length == 1 ? seen[0] == row : Arrays.binarySearch(seen, row) >= 0; // Nearly all have one.
    }

    /** Adds time whose own sample, -1 for none, may not represent the row. */
    private void fill(int row, boolean represents, int sample, long fromNs, long toNs) {
        if (represents) {
            add(fromNs, sample);
            return;
        }
        int own = sample >= 0 ? Arrays.binarySearch(rows, sample) : -1;
        int before = sample >= 0 ? own - 1 : lastStartingBy(fromNs);
        int behind = sample >= 0 ? own + 1 : before + 1;
        long cursorNs = fromNs;
        if (represents(before, row)) {
            long reachNs = timeline.endNs(rows[before]) + weightNs(rows[before]);
            if (reachNs > cursorNs) {
                add(cursorNs, rows[before]);
                cursorNs = Math.min(toNs, reachNs);
            }
        }
        if (cursorNs < toNs && represents(behind, row)) {
            long reachNs = Math.max(cursorNs, timeline.startNs(rows[behind]) - weightNs(rows[behind]));
            if (reachNs < toNs) {
                addElse(row, sample, cursorNs, reachNs);
                add(reachNs, rows[behind]);
                cursorNs = toNs;
            }
        }
        addElse(row, sample, cursorNs, toNs);
    }

    private boolean fillAlike(int row, int[] positions, int own, long fromNs, long toNs) {
        int before = own >= 0 ? own - 1 : lastStartingBy(fromNs);
        int alike = nearestAlike(positions, before, own >= 0 ? own + 1 : before + 1, fromNs, toNs);
        if (alike < 0) {
            return false;
        }
        boolean limited = own < 0 && isOfWhole(alike);
        long reachFromNs =
                limited && startsNs[alike] >= toNs ? Math.max(fromNs, 2 * startsNs[alike] - wholeEndNs) : fromNs;
        long reachToNs = limited && endsNs[alike] <= fromNs ? Math.min(toNs, 2 * endsNs[alike] - wholeStartNs) : toNs;
        addElse(row, -1, fromNs, Math.min(reachFromNs, toNs));
        if (reachFromNs < reachToNs) {
            add(reachFromNs, rows[alike]);
        }
        addElse(row, -1, Math.max(fromNs, reachToNs), toNs);
        return true;
    }

    /** A part of many samples' length has some of its own, unless none could be taken in it. */
    private boolean tellsOfWhole(int position) {
        return lengthNs <= MANY * weightNs(rows[position]) || isOfWhole(position);
    }

    /** Returns whether a sample was taken in the part that contains the requested interval. */
    private boolean isOfWhole(int position) {
        long instantNs = startsNs[position] + timeline.attribute(rows[position], Attribute.LOOKED_NS);
        return instantNs >= wholeStartNs && instantNs < wholeEndNs;
    }

    /**
     * Returns the nearest of some positions of samples that represent the row, among those taken in a part of similar
     * length; -1 for none.
     */
    private int nearestAlike(int[] positions, int before, int behind, long fromNs, long toNs) {
        int found = -1;
        long nearestNs = REACH_NS;
        int first = BinarySearch.first(0, positions.length, i -> positions[i] > before);
        for (int i = first - 1; i >= 0 && positions[i] > before - MOST_LOOKED_AT; i--) {
            int position = positions[i];
            long awayNs = fromNs - endsNs[position];
            if (awayNs > nearestNs) {
                break;
            }
            if (isAlike(lengthsNs[position], lengthNs) && tellsOfWhole(position)) {
                found = position;
                nearestNs = awayNs;
                break;
            }
        }
        for (int i = first; i < positions.length && positions[i] < behind + MOST_LOOKED_AT; i++) {
            int position = positions[i];
            if (startsNs[position] - toNs >= nearestNs) {
                break;
            }
            if (position >= behind && isAlike(lengthsNs[position], lengthNs) && tellsOfWhole(position)) {
                return position;
            }
        }
        return found;
    }

    /** Returns whether two parts have similar lengths. */
    static boolean isAlike(long ns, long otherNs) {
        return ns / ALIKE <= otherNs && otherNs / ALIKE <= ns;
    }

    /**
     * Returns the sample that represents the CPU time of a part of a row, where {@code sample} represents the whole
     * part.
     */
    int forRunning(int sample, int row) {
        return sample >= 0 && sawNoWork(sample) ? nearest(sample, row, other -> !sawNoWork(other)) : sample;
    }

    /**
     * Returns whether a sample shows no work of its thread. Python does not run without the GIL. Where a thread often
     * blocks, in {@code time.sleep} for instance, one that is neither blocked nor has the GIL was mostly woken, and has
     * no CPU yet.
     */
    private boolean sawNoWork(int sample) {
        long gil = timeline.attribute(sample, Attribute.GIL);
        return classifier.sawWaiting(sample)
                || gil == SampledGil.WAITS
                || (gil == SampledGil.NEITHER && stacksThatWait.get(stackNumber(sample)));
    }

    /**
     * Returns the sample that represents the blocked time of a part of a row, where {@code sample} represents the whole
     * part.
     */
    int forBlocked(int sample, int row) {
        return sample >= 0 && sawRunning(sample) ? nearest(sample, row, other -> !sawRunning(other)) : sample;
    }

    /**
     * Returns the sample that represents time blocked on a lock or a condition: of a native program, whose samples are
     * taken on a CPU, the nearest one that saw the thread go to sleep for one.
     */
    int forLocked(int sample, int row) {
        return sample >= 0 && goesToLocks && !classifier.sawGoingToLock(sample)
                ? nearest(sample, row, classifier::sawGoingToLock)
                : forBlocked(sample, row);
    }

    /**
     * A native sample, whose frames were read at another time, is taken on a CPU. If the recorder marks samples of a
     * blocked thread, a sample of a thread without the GIL and without that mark saw native code run.
     */
    private boolean sawRunning(int sample) {
        long gil = timeline.attribute(sample, Attribute.GIL);
        boolean ran = gil == SampledGil.HOLDS
                || (gil == SampledGil.NEITHER && marksBlocked)
                || timeline.attribute(sample, Attribute.FRAMES_READ_NS) != Attribute.ABSENT;
        return ran && !classifier.sawWaiting(sample);
    }

    /**
     * Returns the nearest sample that represents a row and is wanted; of two equally near, the earlier one; {@code
     * sample} itself if there is none in reach.
     */
    private int nearest(int sample, int row, IntPredicate wanted) {
        if (!activities.isEmpty() && !represented.get(row + 1)) {
            return sample;
        }
        int own = Arrays.binarySearch(rows, sample);
        long middleNs = middleNs(sample);
        for (int away = 1; away <= MOST_LOOKED_AT; away++) {
            int before = own - away;
            int behind = own + away;
            long beforeNs = isWanted(before, row, wanted) ? middleNs - middleNs(rows[before]) : Long.MAX_VALUE;
            long behindNs = isWanted(behind, row, wanted) ? middleNs(rows[behind]) - middleNs : Long.MAX_VALUE;
            if (Math.min(beforeNs, behindNs) <= REACH_NS) {
                return rows[beforeNs <= behindNs ? before : behind];
            }
        }
        return sample;
    }

    private boolean isWanted(int position, int row, IntPredicate wanted) {
        return position >= 0
                && position < rows.length
                && (activities.isEmpty() ? timeline.durationNs(rows[position]) > 0 : represents(position, row))
                && wanted.test(rows[position]);
    }

    private long middleNs(int sample) {
        return timeline.startNs(sample) + timeline.durationNs(sample) / 2;
    }

    private long weightNs(int sample) {
        return ActivityClassifier.sampleNs(timeline, sample);
    }

    private int lastStartingBy(long ns) {
        return RowSearch.startingBy(timeline, rows, rows.length, ns) - 1;
    }

    private void addElse(int row, int sample, long fromNs, long toNs) {
        if (fromNs < toNs) {
            add(fromNs, row < 0 ? sample : byName.nearest(row, fromNs, lengthNs));
        }
    }

    private void add(long fromNs, int sample) {
        if (count > 0 && chosen[count - 1] == sample) {
            return;
        }
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            chosen = Arrays.copyOf(chosen, 2 * count);
        }
        starts[count] = fromNs;
        chosen[count++] = sample;
    }

    /** Moves on to the next part; returns false when there is none. */
    boolean next() {
        return ++at < count;
    }

    long partStartNs() {
        return starts[at];
    }

    long partEndNs() {
        return at + 1 < count ? starts[at + 1] : endNs;
    }

    /** Returns the sample that represents the current part, -1 for none. */
    int sample() {
        return chosen[at];
    }
}
