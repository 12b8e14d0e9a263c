package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.WaitReason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Threads that counted their own CPU time when they ended, because they live too briefly to be sampled from outside. Their
 * counts are for their whole lives. What was sampled of a life counts first, so only the rest of the counts is added, in
 * the gaps.
 *
 * <pre>
 *   life      [........................]   10 ms on a CPU
 *   sampled        [aaa]                    2 ms of it
 *   rows      [bbb][aaa][bbbbbbbbbbbbbb]   8 ms in the parts b, by their lengths
 * </pre>
 *
 * A thread may get the pthread id of one that has ended. CUPTI names the threads of calls by this id alone, and returns
 * its records up to 200 ms later, so the agent may take a call for another thread's. The lives tell whose it was.
 *
 * <pre>
 *   pthread 7f..c0   [thread 11]     [thread 12]   [thread 13]
 *   call                   x                          read here: taken for 13's
 * </pre>
 */
final class BriefThreads {
    private final List<Life> lives = new ArrayList<>();
    private final Map<Long, Integer> pthreads = new HashMap<>();
    private final List<Owner> owners = new ArrayList<>();
    private final Map<Long, NavigableMap<Long, Owner>> byPthread = new HashMap<>();

    /** A thread, and from when to when its pthread id was its own. */
    private record Owner(int pid, int tid, long startNs, long endNs) {
        boolean has(long timeNs) {
            return startNs <= timeNs && timeNs <= endNs;
        }
    }

    /** Takes the record if it says which pthread id a thread has, or from when to when it lived. */
    void collect(SpoolRecordView view, int pid) {
        if (view.type() == THREAD && view.i64(THREAD_PTHREAD_ID) != 0) {
            pthreads.put(key(view.i32(THREAD_PID), view.i32(THREAD_TID)), (int) view.i64(THREAD_PTHREAD_ID));
        } else if (view.type() == THREAD_STATE && view.i32(THREAD_STATE_PID) == 0) {
            owners.add(new Owner(
                    pid, view.i32(THREAD_STATE_TID), view.i64(THREAD_STATE_START_NS), view.i64(THREAD_STATE_END_NS)));
        }
    }

    /** Notes who had which pthread id; call after the records of all files were collected. */
    void collected() {
        for (Owner owner : owners) {
            Integer pthread = pthreads.get(key(owner.pid, owner.tid));
            if (pthread != null) {
                byPthread
                        .computeIfAbsent(key(owner.pid, pthread), ids -> new TreeMap<>())
                        .put(owner.startNs, owner);
            }
        }
        owners.clear();
    }

    /**
     * Returns the thread that had the pthread id of another thread of the process at a time: {@code tid} itself where
     * nothing else is known.
     */
    int ownerAt(int pid, int tid, long timeNs) {
        Integer pthread = byPthread.isEmpty() ? null : pthreads.get(key(pid, tid));
        int owner = pthread == null ? 0 : ownerOf(pid, pthread, timeNs);
        return owner == 0 ? tid : owner;
    }

    /** Returns the thread that had a pthread id, given by its low half, at a time; 0 if that is not known. */
    int ownerOf(int pid, int pthreadLow, long timeNs) {
        NavigableMap<Long, Owner> ofId = byPthread.get(key(pid, pthreadLow));
        Map.Entry<Long, Owner> last = ofId == null ? null : ofId.floorEntry(timeNs);
        if (ofId == null || last == null) {
            return 0;
        }
        // A life begins when its starter calls start(): the thread before it may not have ended yet.
        Map.Entry<Long, Owner> before = ofId.lowerEntry(last.getKey());
        if (before != null && before.getValue().has(timeNs)) {
            return before.getValue().tid;
        }
        return last.getValue().has(timeNs) ? last.getValue().tid : 0;
    }

    private static long key(int pid, int low) {
        return (long) pid << 32 | Integer.toUnsignedLong(low);
    }

    private record Life(int track, long startNs, long endNs, long onCpuNs, long runnableNs) {}

    /** Takes the counts of a life, in ns. */
    void add(int track, long startNs, long endNs, long onCpuNs, long runnableNs) {
        lives.add(new Life(track, startNs, endNs, onCpuNs, runnableNs));
    }

    /** Adds rows for the parts of lives that no other row describes; call when all other states are known. */
    void addRows(TimelineBuilder builder) {
        if (lives.isEmpty()) {
            return;
        }
        Map<Integer, List<Integer>> sampled = new HashMap<>();
        lives.forEach(life -> sampled.put(life.track, new ArrayList<>()));
        int rows = builder.rowCount();
        for (int row = 0; row < rows; row++) {
            if (builder.kindAt(row) == RowKind.THREAD_STATE) {
                List<Integer> ofTrack = sampled.get(builder.trackAt(row));
                if (ofTrack != null) {
                    ofTrack.add(row);
                }
            }
        }
        lives.forEach(life -> addGaps(builder, life, sampled.getOrDefault(life.track, List.of())));
    }

    private static void addGaps(TimelineBuilder builder, Life life, List<Integer> sampled) {
        Intervals.Builder known = new Intervals.Builder(4);
        double onCpuNs = life.onCpuNs;
        double runnableNs = life.runnableNs;
        for (int row : sampled) {
            long startNs = builder.startNsAt(row);
            long endNs = builder.endNsAt(row);
            long withinNs = Math.min(endNs, life.endNs) - Math.max(startNs, life.startNs);
            if (withinNs > 0) {
                known.add(startNs, endNs);
                double part = (double) withinNs / (endNs - startNs);
                onCpuNs -= part * builder.attributeAt(row, Attribute.ON_CPU_NS);
                runnableNs -= part * builder.attributeAt(row, Attribute.RUNNABLE_NS);
            }
        }
        Intervals gaps = known.build().complementWithin(life.startNs, life.endNs);
        for (int i = 0; i < gaps.count(); i++) {
            long lengthNs = gaps.endNs(i) - gaps.startNs(i);
            double part = (double) lengthNs / gaps.totalNs();
            long onNs = SpoolRecords.clamp(Math.round(part * onCpuNs), lengthNs);
            long readyNs = SpoolRecords.clamp(Math.round(part * runnableNs), lengthNs - onNs);
            SpoolRecords.addState(
                    builder, life.track, gaps.startNs(i), gaps.endNs(i), onNs, readyNs, WaitReason.UNKNOWN);
        }
    }
}
