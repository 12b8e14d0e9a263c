package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.calls.SampledGil;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Decides which waits on a futex are waits for a lock that other code holds. Locks, conditions, queues and pools of
 * native libraries all block on futexes. The stack shows waits inside threading, queue and concurrent.futures, inside
 * a pool's loop and, if the recorder reads what Python calls, where a thread takes a lock. Any other wait counts as one
 * for a lock if the thread is blocked in Python code
 * <ul>
 * <li>on a futex on which samples also saw another Python thread of the process wait, outside of the model;
 * <li>or in the program's own code, while another Python thread of the process works and may hold the lock.
 * </ul>
 * A sample sees one instant: if a thread waited and ran in an interval, the sample may have seen it run. Then the most
 * frequent reason for the thread's waits on the same futex decides.
 */
public final class Locks {
    private final Timeline timeline;
    private final SampledStacks stacks;
    private final Lazy<Map<Futex, Set<Integer>>> waiters = new Lazy<>(this::findWaiters);
    private final Lazy<Map<Waiter, Long>> lockNs = new Lazy<>(this::findLocks);
    private final Map<Integer, int[]> samples = new HashMap<>();
    private final Map<Integer, int[]> states = new HashMap<>();
    private final Map<Integer, IntervalTree> sampledIn = new HashMap<>();

    private record Futex(int process, long address) {}

    private record Waiter(int track, long address) {}

    Locks(Timeline timeline, SampledStacks stacks) {
        this.timeline = timeline;
        this.stacks = stacks;
    }

    private Map<Futex, Set<Integer>> findWaiters() {
        Map<Futex, Set<Integer>> found = new HashMap<>();
        if (timeline.has(Attribute.FUTEX)) {
            timeline.rows()
                    .filter(row -> timeline.attribute(row, Attribute.FUTEX) != Attribute.ABSENT)
                    .filter(row -> samplesOf(timeline.track(row)).length > 0)
                    .forEach(row -> found.computeIfAbsent(futex(row), f -> new HashSet<>())
                            .add(timeline.track(row)));
        }
        return found;
    }

    /** By thread and futex, in ns: the sampled time of waits for a lock minus that of waits for anything else. */
    private Map<Waiter, Long> findLocks() {
        Map<Waiter, Long> found = new HashMap<>();
        for (int row = 0; timeline.has(Attribute.FUTEX) && row < timeline.rowCount(); row++) {
            if (timeline.attribute(row, Attribute.FUTEX) == Attribute.ABSENT || !isMostlyBlocked(row)) {
                continue;
            }
            int track = timeline.track(row);
            int sample = rowAt(samplesOf(track), timeline.startNs(row) + timeline.durationNs(row) / 2);
            if (sample >= 0) {
                found.merge(
                        new Waiter(track, timeline.attribute(row, Attribute.FUTEX)),
                        isLock(row, sample) ? blockedNs(row) : -blockedNs(row),
                        Long::sum);
            }
        }
        return found;
    }

    private long blockedNs(int stateRow) {
        return timeline.durationNs(stateRow)
                - Math.max(0, timeline.attribute(stateRow, Attribute.ON_CPU_NS))
                - Math.max(0, timeline.attribute(stateRow, Attribute.RUNNABLE_NS));
    }

    private boolean isMostlyBlocked(int stateRow) {
        return 2 * blockedNs(stateRow) > timeline.durationNs(stateRow);
    }

    private Futex futex(int stateRow) {
        return new Futex(process(timeline.track(stateRow)), timeline.attribute(stateRow, Attribute.FUTEX));
    }

    private int process(int track) {
        return timeline.tracks().get(track).parent();
    }

    private int[] samplesOf(int track) {
        return samples.computeIfAbsent(
                track,
                t -> timeline.rows(t, RowKind.STACK_SAMPLE)
                        .filter(row -> stack(row) >= 0)
                        .toArray());
    }

    private int[] statesOf(int track) {
        return states.computeIfAbsent(
                track, t -> timeline.rows(t, RowKind.THREAD_STATE).toArray());
    }

    private int stack(int sample) {
        return (int) Math.max(-1, timeline.attribute(sample, Attribute.STACK));
    }

    /**
     * Returns whether a thread that was blocked on a futex waited for a lock.
     *
     * @param sample the sample that represents the time; it may have seen the thread wait or run
     */
    boolean wasLock(int stateRow, int sample) {
        if (!isFutex(stateRow)) {
            return false;
        }
        if (isLock(stateRow, sample)) {
            return true;
        }
        long address = timeline.attribute(stateRow, Attribute.FUTEX);
        return address != Attribute.ABSENT
                && stacks.waiting(stack(sample)) == null
                && lockNs.get().getOrDefault(new Waiter(timeline.track(stateRow), address), 0L) > 0;
    }

    private boolean isFutex(int stateRow) {
        return WaitReason.of(timeline, stateRow) == WaitReason.FUTEX;
    }

    /** Returns whether a thread was blocked on a lock, by a sample that saw it there. */
    private boolean isLock(int stateRow, int sample) {
        int stack = stack(sample);
        LedgerClass seen = stacks.takesWork(stack) ? LedgerClass.WAIT_UNKNOWN : stacks.waiting(stack);
        boolean model = stack >= 0 && (stacks.isInModel(stack) || stacks.isInNativeRange(stack));
        if (seen != null || !isFutex(stateRow) || !stacks.isPython(stack) || model) {
            return seen == LedgerClass.WAIT_LOCK;
        }
        boolean shared = timeline.attribute(stateRow, Attribute.FUTEX) != Attribute.ABSENT
                && waiters.get().getOrDefault(futex(stateRow), Set.of()).size() > 1;
        return shared || (stacks.waitsInUserCode(stack) && workerDuring(stateRow) >= 0);
    }

    /**
     * Returns the thread that most likely held the awaited lock: the recorded holder; otherwise a working thread that
     * also uses the futex; otherwise a working Python thread of the process; -1 for none.
     */
    public int holder(int stateRow) {
        int recorded = recordedHolder(stateRow);
        if (recorded >= 0) {
            return recorded;
        }
        if (timeline.attribute(stateRow, Attribute.FUTEX) != Attribute.ABSENT) {
            Set<Integer> users = waiters.get().getOrDefault(futex(stateRow), Set.of());
            int user = worker(stateRow, users::contains);
            if (user >= 0) {
                return user;
            }
        }
        return workerDuring(stateRow);
    }

    /**
     * Returns the thread that a state names as holder of the lock or of the GIL; -1 if it names none, or one without a
     * track.
     */
    public int recordedHolder(int row) {
        long tid = timeline.attribute(row, Attribute.OTHER_THREAD);
        return tid == Attribute.ABSENT
                ? -1
                : timeline.knownTrack(TrackKind.THREAD, process(timeline.track(row)), Long.toString(tid));
    }

    private int workerDuring(int stateRow) {
        return worker(stateRow, track -> true);
    }

    /**
     * Returns another thread of the process that a sample saw working in the middle of a state; of several, the one
     * that worked longest in it.
     */
    private int worker(int stateRow, IntPredicate wanted) {
        int found = -1;
        int own = timeline.track(stateRow);
        long middleNs = timeline.startNs(stateRow) + timeline.durationNs(stateRow) / 2;
        BitSet sampled = new BitSet();
        sampledIn.computeIfAbsent(process(own), this::findSampled).meeting(middleNs, middleNs + 1, sampled::set);
        for (int track = sampled.nextSetBit(0); track >= 0; track = sampled.nextSetBit(track + 1)) {
            if (track != own && wanted.test(track) && isAtWork(track, middleNs)) {
                boolean longer = found < 0 || workedNs(track, stateRow) > workedNs(found, stateRow);
                found = longer ? track : found;
            }
        }
        return found;
    }

    /** When samples were taken of the threads of a process. */
    private IntervalTree findSampled(int process) {
        IntervalTree.Builder spans = new IntervalTree.Builder();
        timeline.tracks(TrackKind.THREAD)
                .filter(thread -> thread.parent() == process)
                .flatMapToInt(thread -> Arrays.stream(samplesOf(thread.id())))
                .forEach(row -> spans.add(timeline.track(row), timeline.startNs(row), timeline.endNs(row)));
        return spans.build();
    }

    private long workedNs(int track, int stateRow) {
        int[] rows = samplesOf(track);
        long startNs = timeline.startNs(stateRow);
        long endNs = timeline.endNs(stateRow);
        long workedNs = 0;
        for (int i = RowSearch.startingBy(timeline, rows, rows.length, endNs) - 1;
                i >= 0 && timeline.endNs(rows[i]) > startNs;
                i--) {
            workedNs += isWorking(rows[i])
                    ? Math.min(endNs, timeline.endNs(rows[i])) - Math.max(startNs, timeline.startNs(rows[i]))
                    : 0;
        }
        return workedNs;
    }

    /** Returns whether a thread works at an instant: by its sample and, if its states were recorded, by them too. */
    private boolean isAtWork(int track, long timeNs) {
        int sample = rowAt(samplesOf(track), timeNs);
        int state = rowAt(statesOf(track), timeNs);
        return sample >= 0 && isWorking(sample) && (state < 0 || !isMostlyBlocked(state) || isKernelAtWork(state));
    }

    private boolean isKernelAtWork(int stateRow) {
        WaitReason reason = WaitReason.of(timeline, stateRow);
        return reason == WaitReason.FILE_IO || reason == WaitReason.PAGE_FAULT;
    }

    private boolean isWorking(int sample) {
        return timeline.attribute(sample, Attribute.GIL) != SampledGil.WAITS && stacks.waiting(stack(sample)) == null;
    }

    /** Returns the row that covers an instant, of rows in the order of time; -1 for none. */
    private int rowAt(int[] rows, long timeNs) {
        int started = RowSearch.startingBy(timeline, rows, rows.length, timeNs);
        int row = started == 0 ? -1 : rows[started - 1];
        return row >= 0 && timeline.endNs(row) > timeNs ? row : -1;
    }
}
