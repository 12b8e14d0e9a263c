package io.inferscope.analyzer.analysis;

import io.inferscope.timeline.Timeline;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Cuts a stretch of time at every stamp inside it. Between two neighbouring stamps nothing starts and nothing ends, so that one look at
 * the rows there answers any question about every instant of it.
 *
 * <pre>
 *   rows   [ a .......... ]
 *              [ b ............. ]
 *   cuts   |   |          |      |
 * </pre>
 *
 * Looking at every row for every interval is quadratic. A stretch with many stamps is therefore halved first, and each half is given the
 * rows that reach into it: the intervals and what covers them stay the same.
 */
final class ElementaryIntervals {
    /** Takes the intervals, earliest first, each with the rows that cover it. */
    interface Visitor {
        void visit(long startNs, long endNs, int[] covering);
    }

    private final Timeline timeline;
    private final int mostStamps;

    /** Halves stretches with more stamps than {@code mostStamps}. */
    ElementaryIntervals(Timeline timeline, int mostStamps) {
        this.timeline = timeline;
        this.mostStamps = mostStamps;
    }

    void visit(int[] rows, long fromNs, long toNs, Visitor visitor) {
        if (toNs <= fromNs) {
            return;
        }
        int[] inside = IntStream.of(rows)
                .filter(r -> timeline.durationNs(r) > 0)
                .filter(r -> timeline.startNs(r) < toNs && timeline.endNs(r) > fromNs)
                .toArray();
        long[] stamps = IntStream.of(inside)
                .mapToObj(r -> LongStream.of(timeline.startNs(r), timeline.endNs(r)))
                .flatMapToLong(s -> s)
                .filter(s -> s > fromNs && s < toNs)
                .sorted()
                .distinct()
                .toArray();
        if (stamps.length > mostStamps) {
            long middleNs = stamps[stamps.length / 2];
            visit(inside, fromNs, middleNs, visitor);
            visit(inside, middleNs, toNs, visitor);
            return;
        }
        long startNs = fromNs;
        for (int i = 0; i <= stamps.length; i++) {
            long endNs = i < stamps.length ? stamps[i] : toNs;
            visitor.visit(startNs, endNs, covering(inside, startNs, endNs));
            startNs = endNs;
        }
    }

    private int[] covering(int[] rows, long startNs, long endNs) {
        return IntStream.of(rows)
                .filter(r -> timeline.startNs(r) <= startNs && timeline.endNs(r) >= endNs)
                .toArray();
    }
}
