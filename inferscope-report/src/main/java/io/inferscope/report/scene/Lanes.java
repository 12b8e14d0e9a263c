package io.inferscope.report.scene;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One track of a scene: lanes below each other, with their labels. */
final class Lanes {
    /** More lanes than Python nests calls by default; a power of two. Deeper events are not drawn. */
    static final int MOST = 1024;

    /** The kind of a track; the page knows kinds by their ordinals. */
    enum Kind {
        STEPS,
        DEVICE,
        CAUSES,
        STREAM,
        REQUESTS,
        THREAD,
        SAMPLES
    }

    private final Kind kind;
    private final String label;
    private final String group;
    private final int shown;
    private final List<Lane> lanes = new ArrayList<>();

    /**
     * A binary tree in an array: the children of node {@code i} are {@code 2 i} and {@code 2 i + 1}, the leaves from {@link #MOST} on are the
     * depths, and each inner node holds the least time of its children. So the first free depth is found in steps of the logarithm.
     */
    private final long[] occupiedUntilNs = new long[2 * MOST];

    private long tooDeep;

    /** Makes a track without lanes; {@code shown} of its lanes are visible at first. */
    Lanes(Kind kind, String label, String group, int shown) {
        this.kind = kind;
        this.label = label;
        this.group = group;
        this.shown = shown;
        Arrays.fill(occupiedUntilNs, Long.MIN_VALUE);
    }

    /** Returns the lane of a depth, the outermost first. */
    Lane lane(int depth) {
        while (lanes.size() <= depth) {
            lanes.add(new Lane());
        }
        return lanes.get(depth);
    }

    /** Returns the first depth from {@code least} on at which nothing reaches beyond {@code startNs}; {@link #MOST} for none. */
    int free(int least, long startNs) {
        int node = MOST + least;
        if (least >= MOST || occupiedUntilNs[node] <= startNs) {
            return Math.min(MOST, least);
        }
        while (node > 1 && ((node & 1) == 1 || occupiedUntilNs[node + 1] > startNs)) {
            node /= 2;
        }
        if (node <= 1) {
            return MOST;
        }
        node++;
        while (node < MOST) {
            node = 2 * node + (occupiedUntilNs[2 * node] <= startNs ? 0 : 1);
        }
        return node - MOST;
    }

    /** Occupies a depth without an event. */
    void occupy(int depth, long untilNs) {
        int node = MOST + depth;
        occupiedUntilNs[node] = untilNs;
        while (node > 1) {
            long leastNs = Math.min(occupiedUntilNs[node], occupiedUntilNs[node ^ 1]);
            node /= 2;
            if (occupiedUntilNs[node] == leastNs) {
                return;
            }
            occupiedUntilNs[node] = leastNs;
        }
    }

    /** Counts an event for which no lane was free. */
    void skip() {
        tooDeep++;
    }

    long tooDeep() {
        return tooDeep;
    }

    boolean isEmpty() {
        return lanes.stream().allMatch(Lane::isEmpty);
    }

    long leftOut() {
        return lanes.stream().mapToLong(Lane::leftOut).sum();
    }

    long count() {
        return lanes.stream().mapToLong(Lane::count).sum();
    }

    void writeTo(Varints out, Texts texts) {
        out.add(kind.ordinal())
                .add(texts.of(label))
                .add(texts.of(group))
                .add(shown)
                .add(lanes.size());
        lanes.forEach(lane -> lane.writeTo(out));
    }
}
