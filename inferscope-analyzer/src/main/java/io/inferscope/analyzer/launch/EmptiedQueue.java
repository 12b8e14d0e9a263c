package io.inferscope.analyzer.launch;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;

/**
 * Idle time of the judged device that begins while the host is inside a synchronising call. The host waits until the
 * queue is empty, and only then dispatches and launches:
 *
 * <pre>
 *   host    [ wait for the device ]dispatch[launch]
 *   device  ################                       ####
 *                           |--- such a gap -------|
 * </pre>
 *
 * Without the wait, dispatching and launching in such a gap would have been done under the work before it.
 */
public final class EmptiedQueue {
    private final Map<LedgerClass, Long> times;

    private EmptiedQueue(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Intervals.Builder waits = new Intervals.Builder(16);
        for (int row : analysis.apiCalls()) {
            if (analysis.isSynchronising(row) && timeline.track(row) == analysis.subjectThread()) {
                waits.add(timeline.startNs(row), timeline.endNs(row));
            }
        }
        Intervals waiting = waits.build();
        times = idle(analysis, (startNs, endNs) -> contains(waiting, startNs) && !contains(waiting, endNs));
    }

    /** Which gaps count, by their interval. */
    interface Gaps {
        boolean contain(long startNs, long endNs);
    }

    /** Returns the idle time of the judged device and part by cause, in the gaps that count. */
    static Map<LedgerClass, Long> idle(Analysis analysis, Gaps wanted) {
        Map<LedgerClass, Long> times = new EnumMap<>(LedgerClass.class);
        Intervals judged = analysis.idle();
        analysis.headline()
                .ifPresent(device -> analysis.blameOf(device).explain(new IdleBlame.Pieces() {
                    @Override
                    public boolean wants(long startNs, long endNs) {
                        return contains(judged, startNs) && wanted.contain(startNs, endNs);
                    }

                    @Override
                    public void gap(long startNs, long endNs) {}

                    @Override
                    public void take(int row, int sample, LedgerClass cause, long ns) {
                        times.merge(cause, ns, Long::sum);
                    }
                }));
        return times;
    }

    static boolean contains(Intervals times, long atNs) {
        return times.totalWithinNs(atNs, atNs + 1) > 0;
    }

    /** Returns that idle time of the judged part. It is computed once. */
    public static EmptiedQueue of(Analysis analysis) {
        return analysis.once(EmptiedQueue.class, EmptiedQueue::new);
    }

    /** Returns the time of these gaps in some classes, in ns. */
    public long ns(Collection<LedgerClass> classes) {
        return classes.stream().mapToLong(one -> times.getOrDefault(one, 0L)).sum();
    }
}
