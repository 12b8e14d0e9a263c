package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Chooses the stack sample that describes a part of a thread's time in which a measured row is the innermost one. Such a sample is said to
 * speak for that part.
 *
 * <p>A sample looked at one instant, or at several where it stands for equal ones, and its time reaches half-way to its neighbours. What
 * was measured is known to the nanosecond: a sample taken inside a span of 2 ms says nothing about the 8 ms around it that it stands for.
 * So a sample speaks for a row only if the row was the innermost one at an instant of the sample:
 *
 * <pre>
 *   row      [ scope ......................................]
 *   row                 [tokenize]
 *   samples     ----*------- ---*--- ------*----- ----*----
 *   speaks   aaaaaaaaaaaaabbbbbbbbbbcccccccccccccccddddddddd       (b for tokenize alone; c for the scope from there on)
 * </pre>
 *
 * <p>Where instants were recorded, a part of a row without a sample of its own is what parts of about its length are: it goes to the nearest sample, up to
 * {@value #REACH_NS} ns away, that speaks for the row and was taken in such a part. A loop that computes its model between two things of
 * 20 ms has gaps of microseconds between its calls, too, and nothing but their length tells them apart. Else it goes to the sample before,
 * then to the one behind, if that speaks for the row and is no further away than what one of its samples stands for; else to none.
 *
 * <p>Row -1 is the time in which no row is open. Where nothing better is known, the sample that stands for that time speaks for it.
 *
 * <p>Of a stretch in which the thread ran and waited, one sample saw only one. The time on a CPU then goes to the nearest sample that speaks for
 * the row and did not see the thread wait ({@link #awake}), the blocked time to the nearest that did not see it hold the GIL ({@link #asleep}).
 */
final class SpeakingSamples {
    /** More instants than that of one row are not looked at: a second at 1000 Hz has fewer. */
    static final int MOST_INSTANTS = 4096;

    private static final int[] NO_ROWS = {};

    private static final long REACH_NS = 1_000_000_000L;

    /** So many samples are looked at on each side, and parts count as of about one length up to this factor. */
    private static final int MOST_LOOKED_AT = 64;

    private static final int ALIKE = 4;

    private final Timeline timeline;
    private final ActivityClassifier classifier;
    private final Segments samples;
    private final Segments activities;
    private final int[] rows;

    /** By position in {@link #rows}: the innermost activities at the instants of a sample, ascending. */
    private final int[][] told;

    /** By position: how long the part of the activity is in which the sample was taken; 0 where that is not known. */
    private final long[] lengthsNs;

    private long[] starts = new long[16];
    private int[] speakers = new int[16];
    private int count;
    private int at;
    private long endNs;

    /** Of the part in which the stretch lies that is asked for. */
    private long lengthNs;

    /** Takes the samples of a thread, and its activities, which it reads as a cursor. */
    SpeakingSamples(
            Timeline timeline, ActivityClassifier classifier, int[] rows, Segments samples, Segments activities) {
        this.timeline = timeline;
        this.classifier = classifier;
        this.samples = samples;
        this.activities = activities;
        this.rows = rows;
        this.told = new int[rows.length][];
        this.lengthsNs = new long[rows.length];
        for (int i = 0; i < rows.length; i++) {
            told[i] = activities.isEmpty() ? NO_ROWS : told(rows[i], activities);
            lengthsNs[i] = told[i].length == 1 ? lengthNs(rows[i]) : 0;
        }
    }

    private int[] told(int sample, Segments activities) {
        if (timeline.attribute(sample, Attribute.LOOKED_NS) != Attribute.ABSENT) {
            return toldByInstants(sample, activities);
        }
        int instants = instants(timeline, sample);
        int[] found = new int[instants];
        int size = 0;
        for (int k = 0; k < instants; k++) {
            int row = innermost(activities, instantNs(timeline, sample, k));
            if (size == 0 || found[size - 1] != row) {
                found[size++] = row;
            }
        }
        return Arrays.stream(found, 0, size).sorted().distinct().toArray();
    }

    /** The instants are known: what ran beneath frames that were read during another activity says nothing about either. */
    private int[] toldByInstants(int sample, Segments activities) {
        int row = innermost(activities, timeline.startNs(sample) + timeline.attribute(sample, Attribute.LOOKED_NS));
        long readNs = timeline.attribute(sample, Attribute.FRAMES_READ_NS);
        boolean same = readNs == Attribute.ABSENT || innermost(activities, timeline.startNs(sample) + readNs) == row;
        return same ? new int[] {row} : NO_ROWS;
    }

    private long lengthNs(int sample) {
        long lookedNs = timeline.attribute(sample, Attribute.LOOKED_NS);
        if (lookedNs == Attribute.ABSENT) {
            return 0;
        }
        return activities.wholeNs(timeline.startNs(sample) + lookedNs);
    }

    private static int innermost(Segments activities, long instantNs) {
        activities.begin(instantNs, instantNs + 1);
        activities.next();
        return activities.pieceRow();
    }

    /** Returns how many instants of a sample row are looked at. */
    static int instants(Timeline timeline, int sample) {
        long most = Math.min(MOST_INSTANTS, timeline.durationNs(sample));
        return (int) Math.max(0, Math.min(most, Math.max(1, timeline.attribute(sample, Attribute.SAMPLES))));
    }

    /** Returns an instant of a sample row: the middle of one of its equal parts. */
    static long instantNs(Timeline timeline, int sample, int instant) {
        long partNs = timeline.durationNs(sample) / instants(timeline, sample);
        return timeline.startNs(sample) + instant * partNs + partNs / 2;
    }

    /** Asks for the parts of {@code [fromNs, toNs)}, in which {@code row} is the innermost activity. */
    void begin(int row, long fromNs, long toNs) {
        lengthNs = activities.wholeNs(fromNs); // Of a slice too: how time is asked for changes nothing.
        count = 0;
        at = -1;
        endNs = toNs;
        samples.begin(fromNs, toNs);
        while (samples.next()) {
            int sample = samples.pieceRow();
            int own = sample >= 0 ? Arrays.binarySearch(rows, sample) : -1;
            boolean speaks = speaks(own, row);
            if (speaks && (lengthsNs[own] == 0 || isAlike(own, row))) {
                add(samples.pieceStartNs(), sample);
            } else if (!fillAlike(row, own, samples.pieceStartNs(), samples.pieceEndNs())) {
                fill(row, speaks, sample, samples.pieceStartNs(), samples.pieceEndNs());
            }
        }
    }

    private boolean speaks(int position, int row) {
        return position >= 0 && position < rows.length && Arrays.binarySearch(told[position], row) >= 0;
    }

    /** Time whose own sample, -1 for none, does not speak for the row. */
    private void fill(int row, boolean speaks, int sample, long fromNs, long toNs) {
        if (speaks) {
            add(fromNs, sample);
            return;
        }
        int own = sample >= 0 ? Arrays.binarySearch(rows, sample) : -1;
        int before = sample >= 0 ? own - 1 : lastStartingBy(fromNs);
        int behind = sample >= 0 ? own + 1 : before + 1;
        long cursorNs = fromNs;
        if (speaks(before, row)) {
            long reachNs = timeline.endNs(rows[before]) + weightNs(rows[before]);
            if (reachNs > cursorNs) {
                add(cursorNs, rows[before]);
                cursorNs = Math.min(toNs, reachNs);
            }
        }
        if (cursorNs < toNs && speaks(behind, row)) {
            long reachNs = Math.max(cursorNs, timeline.startNs(rows[behind]) - weightNs(rows[behind]));
            if (reachNs < toNs) {
                addElse(row, sample, cursorNs, reachNs);
                add(reachNs, rows[behind]);
                cursorNs = toNs;
            }
        }
        addElse(row, sample, cursorNs, toNs);
    }

    private boolean fillAlike(int row, int own, long fromNs, long toNs) {
        int before = own >= 0 ? own - 1 : lastStartingBy(fromNs);
        int alike = nearestAlike(row, before, own >= 0 ? own + 1 : before + 1, fromNs, toNs);
        if (alike >= 0) {
            add(fromNs, rows[alike]);
        }
        return alike >= 0;
    }

    /** Returns the position of the nearest sample that speaks for the row from a part of about the length asked for; -1 for none. */
    private int nearestAlike(int row, int before, int behind, long fromNs, long toNs) {
        int found = -1;
        long nearestNs = REACH_NS;
        for (int i = before; i >= 0 && i > before - MOST_LOOKED_AT; i--) {
            long awayNs = fromNs - timeline.endNs(rows[i]);
            if (awayNs > nearestNs) {
                break;
            }
            if (isAlike(i, row)) {
                found = i;
                nearestNs = awayNs;
                break;
            }
        }
        for (int i = behind; i < rows.length && i < behind + MOST_LOOKED_AT; i++) {
            if (timeline.startNs(rows[i]) - toNs >= nearestNs) {
                break;
            }
            if (isAlike(i, row)) {
                return i;
            }
        }
        return found;
    }

    private boolean isAlike(int position, int row) {
        long ns = lengthsNs[position];
        return ns > 0 && ns / ALIKE <= lengthNs && lengthNs / ALIKE <= ns && speaks(position, row);
    }

    /** Returns the sample that speaks for the time on a CPU of a part of a row for which {@code sample} speaks. */
    int awake(int sample, int row) {
        return sample >= 0 && classifier.sawWaiting(sample)
                ? nearest(sample, row, other -> !classifier.sawWaiting(other))
                : sample;
    }

    /** Returns the sample that speaks for the blocked time of a part of a row for which {@code sample} speaks. */
    int asleep(int sample, int row) {
        return sample >= 0 && sawRunning(sample) ? nearest(sample, row, other -> !sawRunning(other)) : sample;
    }

    private boolean sawRunning(int sample) {
        return timeline.attribute(sample, Attribute.GIL) == SampledGil.HOLDS && !classifier.sawWaiting(sample);
    }

    /** Returns the nearest sample that speaks for a row and is one of the wanted, of two alike the one before; the sample itself where none is near. */
    private int nearest(int sample, int row, IntPredicate wanted) {
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
                && (activities.isEmpty() ? timeline.durationNs(rows[position]) > 0 : speaks(position, row))
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
            add(fromNs, row < 0 ? sample : -1);
        }
    }

    private void add(long fromNs, int sample) {
        if (count > 0 && speakers[count - 1] == sample) {
            return;
        }
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            speakers = Arrays.copyOf(speakers, 2 * count);
        }
        starts[count] = fromNs;
        speakers[count++] = sample;
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

    /** Returns the sample that speaks for the part at hand, -1 for none. */
    int sample() {
        return speakers[at];
    }
}
