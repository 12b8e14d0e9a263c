package io.inferscope.timeline.spool;

import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.TimelineBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Links givers with takers by key and number, across all spools of a run. If a side has no numbers, the taker is linked
 * to the last giver of the key before it, which is likely but not certain.
 */
final class HandOvers {
    private static final int COUNTED_PERCENT = 100;
    private static final int LAST_BEFORE_PERCENT = 80;

    private final List<Side> sides = new ArrayList<>();

    /**
     * One side of a hand-over.
     *
     * @param key equal on both sides
     * @param number of the item on that key from 1, 0 = not counted
     * @param timeNs when the item was given, or received
     * @param row its row
     * @param takes whether this is the taker's side
     * @param means the means, such as a queue or a pipe
     */
    record Side(long key, long number, long timeNs, int row, boolean takes, HandOver means) {}

    private record Item(long key, long number) {}

    void add(Side side) {
        sides.add(side);
    }

    /** Links each taker to its giver. */
    void link(TimelineBuilder builder) {
        Map<Long, NavigableMap<Long, Side>> givers = new HashMap<>();
        Map<Item, NavigableMap<Long, Side>> counted = new HashMap<>();
        for (Side side : sides) {
            if (!side.takes()) {
                givers.computeIfAbsent(side.key(), k -> new TreeMap<>()).put(side.timeNs(), side);
                if (side.number() != 0) {
                    counted.computeIfAbsent(new Item(side.key(), side.number()), k -> new TreeMap<>())
                            .put(side.timeNs(), side);
                }
            }
        }
        for (Side side : sides) {
            if (side.takes()) {
                link(side, givers.get(side.key()), counted.get(new Item(side.key(), side.number())), builder);
            }
        }
    }

    private static void link(
            Side taker,
            @Nullable NavigableMap<Long, Side> givers,
            @Nullable NavigableMap<Long, Side> counted,
            TimelineBuilder builder) {
        boolean byNumber = taker.number() != 0 && counted != null;
        NavigableMap<Long, Side> candidates = byNumber ? counted : givers;
        Map.Entry<Long, Side> giver = candidates == null ? null : candidates.floorEntry(taker.timeNs());
        if (giver != null) {
            LinkKind kind = taker.means() == HandOver.LOCK ? LinkKind.LOCK : LinkKind.HAND_OVER;
            builder.link(kind, giver.getValue().row(), taker.row(), byNumber ? COUNTED_PERCENT : LAST_BEFORE_PERCENT);
        }
    }
}
