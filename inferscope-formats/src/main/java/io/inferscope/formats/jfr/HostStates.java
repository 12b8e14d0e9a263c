package io.inferscope.formats.jfr;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.WaitReason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The thread states measured by the host's recorder, refined by the JVM's events: where the kernel shows a futex, the
 * JVM shows a monitor, a sleep or a parked thread. The kernel's CPU and runnable times are kept.
 *
 * <pre>
 *   host    RRRR bbbbbbbbbbbbbb RRR      b: blocked on a futex
 *   JVM            mmmmmmm               m: enters a monitor
 *   result  RRRR bbmmmmmmmbbbbb RRR
 * </pre>
 */
final class HostStates {
    private static final List<Attribute> COPIED = List.of(
            Attribute.WAIT_REASON, Attribute.WAIT_DETAIL, Attribute.DETAIL, Attribute.FUTEX, Attribute.OTHER_THREAD);

    private final TimelineBuilder builder;
    private final Map<Integer, NavigableMap<Long, Integer>> byTrack = new HashMap<>();

    /** Finds the states among the rows added so far. */
    HostStates(TimelineBuilder builder) {
        this.builder = builder;
        for (int row = 0; row < builder.rowCount(); row++) {
            if (builder.kindAt(row) == RowKind.THREAD_STATE) {
                byTrack.computeIfAbsent(builder.trackAt(row), t -> new TreeMap<>())
                        .put(builder.startNsAt(row), row);
            }
        }
    }

    /** Returns whether the thread's states were measured. */
    boolean has(int track) {
        return byTrack.containsKey(track);
    }

    /** Refines the states during a wait. */
    void refine(int track, JfrWait wait) {
        NavigableMap<Long, Integer> states = byTrack.getOrDefault(track, new TreeMap<>());
        Long first = states.floorKey(wait.startNs());
        List<Integer> touched = new ArrayList<>(states.subMap(first == null ? wait.startNs() : first, wait.endNs())
                .values());
        for (int row : touched) {
            long startNs = Math.max(builder.startNsAt(row), wait.startNs());
            long endNs = Math.min(builder.endNsAt(row), wait.endNs());
            if (endNs > startNs) {
                explain(cut(states, row, startNs, endNs), wait);
            }
        }
    }

    /**
     * Cuts {@code [startNs, endNs)} out of a row and returns its row. Counters do not tell when: the row's blocked time
     * is put into the wait as far as it fits; its other times are divided among the remaining parts by length.
     */
    private int cut(NavigableMap<Long, Integer> states, int row, long startNs, long endNs) {
        long fromNs = builder.startNsAt(row);
        long toNs = builder.endNsAt(row);
        long cpuNs = counted(row, Attribute.ON_CPU_NS);
        long runnableNs = counted(row, Attribute.RUNNABLE_NS);
        long excessNs = Math.max(0, endNs - startNs - Math.max(0, toNs - fromNs - cpuNs - runnableNs));
        long runnableInside = Math.min(runnableNs, excessNs);
        long cpuInside = Math.min(cpuNs, excessNs - runnableInside);
        long restNs = toNs - fromNs - (endNs - startNs);
        long cpuBefore = share(cpuNs - cpuInside, startNs - fromNs, restNs);
        long runnableBefore =
                Math.min(share(runnableNs - runnableInside, startNs - fromNs, restNs), startNs - fromNs - cpuBefore);
        long cpuAfter = cpuNs - cpuInside - cpuBefore;
        long runnableAfter =
                Math.min(runnableNs - runnableInside - runnableBefore, Math.max(0, toNs - endNs - cpuAfter));
        if (toNs > endNs) {
            count(copy(states, row, endNs, toNs), cpuAfter, runnableAfter);
        }
        if (startNs == fromNs) {
            builder.end(row, endNs);
            return count(row, cpuInside, runnableInside);
        }
        int inner = count(copy(states, row, startNs, endNs), cpuInside, runnableInside);
        builder.end(row, startNs);
        count(row, cpuBefore, runnableBefore);
        return inner;
    }

    private long counted(int row, Attribute attribute) {
        return Math.max(0, builder.attributeAt(row, attribute));
    }

    private static long share(long totalNs, long partNs, long wholeNs) {
        return wholeNs <= 0 ? 0 : Math.min(partNs, (long) ((double) totalNs * partNs / wholeNs));
    }

    private int count(int row, long cpuNs, long runnableNs) {
        builder.attribute(row, Attribute.ON_CPU_NS, cpuNs);
        builder.attribute(row, Attribute.RUNNABLE_NS, runnableNs);
        return row;
    }

    private int copy(NavigableMap<Long, Integer> states, int row, long startNs, long endNs) {
        WaitReason reason = WaitReason.of(builder.attributeAt(row, Attribute.WAIT_REASON));
        int part = builder.row(RowKind.THREAD_STATE, builder.trackAt(row), startNs, endNs, builder.name(name(reason)));
        for (Attribute attribute : COPIED) {
            long value = builder.attributeAt(row, attribute);
            if (value != Attribute.ABSENT) {
                builder.attribute(part, attribute, value);
            }
        }
        states.put(startNs, part);
        return part;
    }

    private static String name(WaitReason reason) {
        return "blocked: " + reason.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private void explain(int row, JfrWait wait) {
        if (wait.reason() != WaitReason.FUTEX) {
            builder.attribute(row, Attribute.WAIT_REASON, wait.reason().ordinal());
        }
        builder.attribute(row, Attribute.DETAIL, builder.name(wait.what()));
        builder.attribute(row, Attribute.WAIT_DETAIL, Attribute.ABSENT);
        if (wait.owner() > 0) {
            builder.attribute(row, Attribute.OTHER_THREAD, wait.owner());
        }
    }
}
