package io.inferscope.timeline.spool;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.WaitReason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
 */
final class BriefThreads {
    private final List<Life> lives = new ArrayList<>();

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
