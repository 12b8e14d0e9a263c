package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Which waits on a futex are waits for a lock that other code holds. A futex is behind everything that blocks: locks, conditions, queues,
 * and the pools of native libraries. A wait inside a library that waits for others (threading, queue, concurrent.futures) shows in the
 * stack, and so does one in the loop of a pool. The rest are locks if Python code itself stands still
 * <ul>
 *   <li>on a futex on which another Python thread of the process was seen to wait too, outside of the model;
 *   <li>or in the program's own code, while another Python thread of the process is at work: it may hold the lock.
 * </ul>
 * A sample sees one instant: of a stretch in which a thread waited and ran, it may have seen what it ran. Then the reason for which the
 * thread was mostly seen to wait on the same futex decides.
 */
public final class Locks {
    private final Timeline timeline;
    private final SampledStacks stacks;
    private final Lazy<Map<Futex, Set<Integer>>> waiters = new Lazy<>(this::findWaiters);
    private final Lazy<Map<Waiter, Long>> lockNs = new Lazy<>(this::findLocks);
    private final Map<Integer, int[]> samples = new HashMap<>();
    private final Map<Integer, Spans> sampledIn = new HashMap<>();

    private record Futex(int process, long address) {}

    private record Waiter(int track, long address) {}

    Locks(Timeline timeline, SampledStacks stacks) {
        this.timeline = timeline;
        this.stacks = stacks;
    }

    private Map<Futex, Set<Integer>> findWaiters() {
        Map<Futex, Set<Integer>> found = new HashMap<>();
        if (timeline.has(Attribute.FUTEX)) {
            for (int row = 0; row < timeline.rowCount(); row++) {
                long address = timeline.attribute(row, Attribute.FUTEX);
                if (address != Attribute.ABSENT && samplesOf(timeline.track(row)).length > 0) {
                    found.computeIfAbsent(futex(row), f -> new HashSet<>()).add(timeline.track(row));
                }
            }
        }
        return found;
    }

    /** By thread and futex: for how long samples saw it wait there for a lock, less for how long they saw it do so for anything else, in ns. */
    private Map<Waiter, Long> findLocks() {
        Map<Waiter, Long> found = new HashMap<>();
        for (int row = 0; timeline.has(Attribute.FUTEX) && row < timeline.rowCount(); row++) {
            long blockedNs = timeline.durationNs(row)
                    - Math.max(0, timeline.attribute(row, Attribute.ON_CPU_NS))
                    - Math.max(0, timeline.attribute(row, Attribute.RUNNABLE_NS));
            if (timeline.attribute(row, Attribute.FUTEX) == Attribute.ABSENT
                    || 2 * blockedNs <= timeline.durationNs(row)) {
                continue;
            }
            int track = timeline.track(row);
            int sample = sampleAt(track, timeline.startNs(row) + timeline.durationNs(row) / 2);
            if (sample >= 0) {
                found.merge(
                        new Waiter(track, timeline.attribute(row, Attribute.FUTEX)),
                        isLock(row, sample) ? blockedNs : -blockedNs,
                        Long::sum);
            }
        }
        return found;
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
                t -> java.util.stream.IntStream.range(timeline.firstRow(t), timeline.endRow(t))
                        .filter(row -> timeline.kind(row) == RowKind.STACK_SAMPLE && stack(row) >= 0)
                        .toArray());
    }

    private int stack(int sample) {
        return (int) Math.max(-1, timeline.attribute(sample, Attribute.STACK));
    }

    /**
     * Returns whether a thread that was blocked on a futex waited for a lock.
     *
     * @param sample the sample that describes the time: it saw the thread wait, or what it ran besides
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
        return WaitReason.of(timeline.attribute(stateRow, Attribute.WAIT_REASON)) == WaitReason.FUTEX;
    }

    /** Returns whether a thread was blocked on a lock, by a sample that saw it there. */
    private boolean isLock(int stateRow, int sample) {
        int stack = stack(sample);
        LedgerClass seen = stacks.takesWork(stack) ? LedgerClass.WAIT_UNKNOWN : stacks.waiting(stack);
        if (seen != null || !isFutex(stateRow) || !stacks.isPython(stack) || stacks.isInModel(stack)) {
            return seen == LedgerClass.WAIT_LOCK;
        }
        boolean shared = timeline.attribute(stateRow, Attribute.FUTEX) != Attribute.ABSENT
                && waiters.get().getOrDefault(futex(stateRow), Set.of()).size() > 1;
        return shared || (stacks.isUserCode(stack) && workerDuring(stateRow) >= 0);
    }

    /**
     * Returns the thread that most likely held the lock that a thread waited for: the one that was recorded, else one that also uses the
     * futex and is at work, else one of the process that runs Python and is at work; -1 when there is none.
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

    /** Returns the thread that a state names as holder of the lock or of the GIL, -1 when it names none that is recorded. */
    public int recordedHolder(int row) {
        long tid = timeline.attribute(row, Attribute.OTHER_THREAD);
        return tid == Attribute.ABSENT
                ? -1
                : timeline.knownTrack(TrackKind.THREAD, process(timeline.track(row)), Long.toString(tid));
    }

    private int workerDuring(int stateRow) {
        return worker(stateRow, track -> true);
    }

    /** Returns the other thread of the process that a sample saw at work in the middle of a state; of several, the one at work the longest in it. */
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
    private Spans findSampled(int process) {
        Spans.Builder spans = new Spans.Builder();
        for (Track track : timeline.tracks()) {
            if (track.kind() == TrackKind.THREAD && track.parent() == process) {
                for (int row : samplesOf(track.id())) {
                    spans.add(track.id(), timeline.startNs(row), timeline.endNs(row));
                }
            }
        }
        return spans.build();
    }

    private long workedNs(int track, int stateRow) {
        int[] rows = samplesOf(track);
        long startNs = timeline.startNs(stateRow);
        long endNs = timeline.endNs(stateRow);
        long workedNs = 0;
        for (int i = startedBy(rows, endNs) - 1; i >= 0 && timeline.endNs(rows[i]) > startNs; i--) {
            workedNs += isWorking(rows[i])
                    ? Math.min(endNs, timeline.endNs(rows[i])) - Math.max(startNs, timeline.startNs(rows[i]))
                    : 0;
        }
        return workedNs;
    }

    private boolean isAtWork(int track, long timeNs) {
        int sample = sampleAt(track, timeNs);
        return sample >= 0 && isWorking(sample);
    }

    private boolean isWorking(int sample) {
        return timeline.attribute(sample, Attribute.GIL) != SampledGil.WAITS && stacks.waiting(stack(sample)) == null;
    }

    /** Returns the sample of a thread that describes an instant, -1 for none. */
    private int sampleAt(int track, long timeNs) {
        int[] rows = samplesOf(track);
        int started = startedBy(rows, timeNs);
        int sample = started == 0 ? -1 : rows[started - 1];
        return sample >= 0 && timeline.endNs(sample) > timeNs ? sample : -1;
    }

    /** Returns how many samples, in the order of time, begin at an instant or before. */
    private int startedBy(int[] rows, long timeNs) {
        int low = 0;
        int high = rows.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (timeline.startNs(rows[middle]) <= timeNs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
