package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Finds the threads that work while another thread waits. If no record shows the awaited thread, they are the best
 * guess.
 */
public final class Waits {
    /**
     * A thread that worked while another one waited.
     *
     * @param thread the thread and its process, in words
     * @param onCpuNs its CPU time during the waits, in ns, estimated from counters
     */
    public record Worker(String thread, long onCpuNs) {}

    private Waits() {}

    /** Returns the threads that worked most while {@code track} mostly waited, busiest first. */
    public static List<Worker> workersDuring(Analysis analysis, int track) {
        Timeline timeline = analysis.timeline();
        Intervals waits = waits(timeline, track);
        List<Worker> workers = new ArrayList<>();
        for (Track thread : analysis.threads().all()) {
            if (thread.id() != track) {
                long onCpuNs = onCpuNs(timeline, thread.id(), waits);
                if (onCpuNs > 0) {
                    String process = timeline.tracks().get(thread.parent()).name();
                    workers.add(new Worker(process + ", " + Threads.label(timeline, thread.id()), onCpuNs));
                }
            }
        }
        workers.sort(Comparator.comparingLong(Worker::onCpuNs).reversed().thenComparing(Worker::thread));
        return workers;
    }

    /** The intervals in which a thread was mostly neither on a CPU nor runnable. */
    private static Intervals waits(Timeline timeline, int track) {
        Intervals.Builder waits = new Intervals.Builder(16);
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            if (timeline.kind(row) == RowKind.THREAD_STATE) {
                long busyNs = Math.max(0, timeline.attribute(row, Attribute.ON_CPU_NS))
                        + Math.max(0, timeline.attribute(row, Attribute.RUNNABLE_NS));
                if (2 * busyNs < timeline.durationNs(row)) {
                    waits.add(timeline.startNs(row), timeline.endNs(row));
                }
            }
        }
        return waits.build();
    }

    private static long onCpuNs(Timeline timeline, int track, Intervals during) {
        double total = 0;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            if (timeline.kind(row) == RowKind.THREAD_STATE && timeline.durationNs(row) > 0) {
                long sharedNs = during.totalWithinNs(timeline.startNs(row), timeline.endNs(row));
                total += (double) Math.max(0, timeline.attribute(row, Attribute.ON_CPU_NS))
                        * sharedNs
                        / timeline.durationNs(row);
            }
        }
        return Math.round(total);
    }
}
