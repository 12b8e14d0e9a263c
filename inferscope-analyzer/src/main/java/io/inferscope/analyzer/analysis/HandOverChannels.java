package io.inferscope.analyzer.analysis;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Finds the means (queue, future, pipe, lock) through which the judged thread received what it waited for. If the giver
 * itself waited during that time, the giver's means counts: a pool thread that reads a worker's pipe is as slow as the
 * pipe.
 */
public final class HandOverChannels {
    private static final int MOST_STEPS = 8;
    private static final long[] NONE = {};

    private final Timeline timeline;

    /**
     * By thread: its waits that are linked to a giver, in the order of their begins and of their ends. Each entry has
     * the taker's row in its upper half and the giver's row in its lower half.
     */
    private final Map<Integer, long[]> waits = new HashMap<>();

    private final Map<HandOver, Long> waitedNs = new EnumMap<>(HandOver.class);

    private HandOverChannels(Timeline timeline) {
        this.timeline = timeline;
        Map<Integer, LongStream.Builder> linked = new HashMap<>();
        Links links = timeline.links();
        for (int link = 0; link < links.count(); link++) {
            int taker = links.toRow(link);
            int giver = links.fromRow(link);
            boolean between = links.kind(link) == LinkKind.HAND_OVER || links.kind(link) == LinkKind.LOCK;
            if (between
                    && timeline.kind(taker) == RowKind.HAND_OVER
                    && timeline.durationNs(taker) > 0
                    && timeline.track(giver) != timeline.track(taker)) {
                linked.computeIfAbsent(timeline.track(taker), track -> LongStream.builder())
                        .add(((long) taker << 32) | giver);
            }
        }
        linked.forEach((track, all) -> waits.put(track, ordered(all.build().toArray())));
    }

    /**
     * Sorts the waits of a thread and leaves out those that lie within another, as only broken recordings have them.
     * Following these, too, would multiply the number of paths at each step.
     */
    private long[] ordered(long[] all) {
        Arrays.sort(all); // Rows of one track are in the order of their start.
        int count = 0;
        long untilNs = Long.MIN_VALUE;
        for (long wait : all) {
            int taker = (int) (wait >>> 32);
            if (timeline.endNs(taker) > untilNs) {
                all[count++] = wait;
                untilNs = timeline.endNs(taker);
            }
        }
        return Arrays.copyOf(all, count);
    }

    /**
     * Returns the means with most of the waited time, among waits with a known giver; empty without hand-overs to the
     * thread.
     */
    public static Optional<HandOver> of(Analysis analysis) {
        HandOverChannels means = new HandOverChannels(analysis.timeline());
        means.follow(analysis.subjectThread(), Long.MIN_VALUE, Long.MAX_VALUE, 0);
        return means.waitedNs.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .max(Order.comparingByValue())
                .map(Map.Entry::getKey);
    }

    /**
     * Adds the waits of a thread within an interval and returns their length. A wait that begins inside of the one
     * before counts from that one's end. Time in which the giver waited too is added as the giver's wait.
     */
    private long follow(int track, long fromNs, long toNs, int steps) {
        long allNs = 0;
        long countedNs = fromNs;
        long[] own = steps < MOST_STEPS ? waits.getOrDefault(track, NONE) : NONE;
        for (int i = firstEndingAfter(own, fromNs); i < own.length; i++) {
            int taker = (int) (own[i] >>> 32);
            long startNs = Math.max(countedNs, timeline.startNs(taker));
            long endNs = Math.min(toNs, timeline.endNs(taker));
            if (timeline.startNs(taker) >= toNs) {
                break;
            }
            if (startNs < endNs) {
                long passedOnNs = follow(timeline.track((int) own[i]), startNs, endNs, steps + 1);
                HandOver means = HandOver.of(timeline.attribute(taker, Attribute.HAND_OVER));
                waitedNs.merge(means, Math.max(0, endNs - startNs - passedOnNs), Long::sum);
                allNs += endNs - startNs;
                countedNs = endNs;
            }
        }
        return allNs;
    }

    private int firstEndingAfter(long[] own, long ns) {
        return BinarySearch.first(0, own.length, i -> timeline.endNs((int) (own[i] >>> 32)) > ns);
    }
}
