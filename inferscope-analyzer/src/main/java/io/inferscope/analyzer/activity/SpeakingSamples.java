package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/**
 * Which stack sample speaks for a part of a thread's time in which a measured row is the innermost one.
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
 * <p>Time of a row whose own sample does not speak for it goes to the sample before, then to the one behind, if that speaks for the row and
 * is no further away than what one of its samples stands for; else to none.
 */
final class SpeakingSamples {
    /** More instants than that of one row are not looked at: a second at 1000 Hz has fewer. */
    static final int MOST_INSTANTS = 4096;

    private static final int[] NO_ROWS = {};

    private final Timeline timeline;
    private final Segments samples;
    private final int[] rows;

    /** By position in {@link #rows}: the innermost activities at the instants of a sample, ascending. */
    private final int[][] told;

    private long[] starts = new long[16];
    private int[] speakers = new int[16];
    private int count;
    private int at;
    private long endNs;

    /** Takes the samples of a thread, and its activities, which it reads as a cursor. */
    SpeakingSamples(Timeline timeline, int[] rows, Segments samples, Segments activities) {
        this.timeline = timeline;
        this.samples = samples;
        this.rows = rows;
        this.told = new int[rows.length][];
        for (int i = 0; i < rows.length; i++) {
            told[i] = activities.isEmpty() ? NO_ROWS : told(rows[i], activities);
        }
    }

    private int[] told(int sample, Segments activities) {
        int instants = instants(timeline, sample);
        int[] found = new int[instants];
        int size = 0;
        for (int k = 0; k < instants; k++) {
            long instantNs = instantNs(timeline, sample, k);
            activities.begin(instantNs, instantNs + 1);
            activities.next();
            int row = activities.pieceRow();
            if (size == 0 || found[size - 1] != row) {
                found[size++] = row;
            }
        }
        return Arrays.stream(found, 0, size).sorted().distinct().toArray();
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
        count = 0;
        at = -1;
        endNs = toNs;
        samples.begin(fromNs, toNs);
        while (samples.next()) {
            int sample = samples.pieceRow();
            if (sample >= 0 && speaks(Arrays.binarySearch(rows, sample), row)) {
                add(samples.pieceStartNs(), sample);
            } else {
                fill(row, sample, samples.pieceStartNs(), samples.pieceEndNs());
            }
        }
    }

    private boolean speaks(int position, int row) {
        return position >= 0 && position < rows.length && Arrays.binarySearch(told[position], row) >= 0;
    }

    /** Time whose own sample, -1 for none, does not speak for the row. */
    private void fill(int row, int sample, long fromNs, long toNs) {
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
                addNone(cursorNs, reachNs);
                add(reachNs, rows[behind]);
                cursorNs = toNs;
            }
        }
        addNone(cursorNs, toNs);
    }

    private long weightNs(int sample) {
        return ActivityClassifier.sampleNs(timeline, sample);
    }

    private int lastStartingBy(long ns) {
        int low = 0;
        int high = rows.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (timeline.startNs(rows[middle]) <= ns) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    private void addNone(long fromNs, long toNs) {
        if (fromNs < toNs) {
            add(fromNs, -1);
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
