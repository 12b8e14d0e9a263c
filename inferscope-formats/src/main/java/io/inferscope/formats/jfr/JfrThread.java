package io.inferscope.formats.jfr;

import io.inferscope.formats.common.StackSamples;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The events of one thread in a flight recording. */
final class JfrThread {
    /** The period in the JDK's default.jfc; in profile.jfc it is 10 ms from JDK 17 on. */
    private static final long DEFAULT_PERIOD_NS = 20_000_000;

    private static final long MOST_PERIODS = 10;
    private static final int FEW = 10;

    private final String name;
    private final List<Sample> samples = new ArrayList<>();
    private final List<JfrWait> waits = new ArrayList<>();
    private long firstNs = Long.MAX_VALUE;
    private long lastNs = Long.MIN_VALUE;

    private record Sample(long atNs, int stack, int nameId, long type) {}

    JfrThread(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    void sample(long atNs, int stack, int nameId, long type) {
        samples.add(new Sample(atNs, stack, nameId, type));
        seen(atNs, atNs);
    }

    void wait(JfrWait wait) {
        waits.add(wait);
        seen(wait.startNs(), wait.endNs());
    }

    /** Returns whether no activity of the thread is known. */
    boolean isEmpty() {
        return samples.isEmpty() && waits.isEmpty();
    }

    /** Notes that the thread was alive then. */
    void seen(long fromNs, long toNs) {
        firstNs = Math.min(firstNs, fromNs);
        lastNs = Math.max(lastNs, toNs);
    }

    /** Returns whether the thread was seen before and after an instant. */
    boolean isAliveAt(long ns) {
        return firstNs <= ns && ns <= lastNs;
    }

    /**
     * Returns the time that a sample of the thread represents: the configured period, or the median distance of the
     * samples if that is larger. The recorder samples few threads at a time and drops stacks that it cannot walk, so it
     * samples less often than configured; distances above {@value #MOST_PERIODS} periods are time in which the thread
     * did not run.
     */
    private long periodNs(long toldNs) {
        long[] distances = java.util.stream.IntStream.range(1, samples.size())
                .mapToLong(i -> samples.get(i).atNs - samples.get(i - 1).atNs)
                .filter(d -> d <= MOST_PERIODS * toldNs)
                .sorted()
                .toArray();
        return distances.length < FEW ? toldNs : Math.max(toldNs, distances[distances.length / 2]);
    }

    /**
     * Adds the rows. A sample represents its period, or the time until the next sample or wait. A wait, whose stack
     * represents all of it, hides samples and waits inside.
     *
     * <pre>
     *   samples   s-- s-- s--    s     s--
     *   waits               [wwwwwwwww]
     *                           [ww]
     *   stacks    s---s---s-w---------ws--
     * </pre>
     */
    void addTo(TimelineBuilder builder, int track, Map<Long, Long> periodsNs, @Nullable HostStates states) {
        waits.sort(Comparator.comparingLong(JfrWait::startNs)
                .thenComparing(Comparator.comparingLong(JfrWait::endNs).reversed()));
        NavigableMap<Long, Long> placed = addWaits(builder, track, states);
        samples.sort(Comparator.comparingLong(Sample::atNs));
        Map<Long, Long> standsForNs = new HashMap<>();
        for (int i = 0; i < samples.size(); i++) {
            Sample sample = samples.get(i);
            long endNs = sample.atNs
                    + standsForNs.computeIfAbsent(
                            sample.type, t -> periodNs(periodsNs.getOrDefault(t, DEFAULT_PERIOD_NS)));
            long nextNs = i + 1 < samples.size() ? samples.get(i + 1).atNs : Long.MAX_VALUE;
            Map.Entry<Long, Long> before = placed.floorEntry(sample.atNs);
            if (before == null || before.getValue() <= sample.atNs) {
                Long waitNs = placed.higherKey(sample.atNs);
                long untilNs = Math.min(Math.min(endNs, nextNs), waitNs == null ? Long.MAX_VALUE : waitNs);
                StackSamples.add(builder, track, sample.atNs, untilNs, sample.stack, sample.nameId, 1);
            }
        }
    }

    /** Adds the waits; returns the ends of those with a stack, by their starts. */
    private NavigableMap<Long, Long> addWaits(TimelineBuilder builder, int track, @Nullable HostStates states) {
        NavigableMap<Long, Long> placed = new TreeMap<>();
        boolean measured = states != null && states.has(track);
        long freeNs = Long.MIN_VALUE;
        for (JfrWait wait : waits) {
            if (states != null && measured) {
                states.refine(track, wait);
            }
            long startNs = Math.max(freeNs, wait.startNs());
            if (wait.endNs() <= startNs) {
                continue;
            }
            freeNs = wait.endNs();
            if (!measured) {
                addWait(builder, track, startNs, wait);
            }
            if (wait.stack() >= 0) {
                placed.put(startNs, wait.endNs());
                // The number of samples that the wait would have had.
                long samples = Math.max(1, (wait.endNs() - startNs) / DEFAULT_PERIOD_NS);
                int innermost = builder.frameNameId(wait.stack());
                StackSamples.add(builder, track, startNs, wait.endNs(), wait.stack(), innermost, samples);
            }
        }
        return placed;
    }

    private static void addWait(TimelineBuilder builder, int track, long startNs, JfrWait wait) {
        int row = builder.row(RowKind.THREAD_STATE, track, startNs, wait.endNs(), builder.name(wait.what()));
        builder.attribute(row, Attribute.WAIT_REASON, wait.reason().ordinal());
    }
}
