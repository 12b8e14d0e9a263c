package io.inferscope.analyzer.launch;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Whether launch calls return only after what they launched has ended, as with {@code CUDA_LAUNCH_BLOCKING=1}, and the
 * idle time of the judged device because of that.
 *
 * <pre>
 *   host    [launch A, waits          ]dispatch[launch B, waits  ]
 *   device  ....AAAAAAAAAAAAAAAAAAAA.................BBBBBBBB....
 *                                   |----- idle -----|
 * </pre>
 *
 * Without the waits, the next launch would be prepared while the kernel before it runs.
 */
public final class BlockingLaunches {
    public static final Threshold KERNEL_NS = Threshold.of("blocking-launches.kernel-ns");
    public static final Threshold LAUNCHES = Threshold.of("blocking-launches.launches");
    public static final Threshold WAITING = Threshold.of("blocking-launches.waiting");

    private final HostCalls waits = new HostCalls();
    private final Intervals.Builder returns = new Intervals.Builder(16);
    private final boolean found;
    private final String variable;
    private long launches;
    private long waiting;
    private long returnNs;
    private long waitedNs;
    private Map<LedgerClass, Long> idle = Map.of();

    private BlockingLaunches(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judged().stretch();
        variable = timeline.properties().getOrDefault(TimelineInfo.LAUNCH_BLOCKING, "");
        long leastNs = variable.isEmpty() ? (long) analysis.threshold(KERNEL_NS) : 0;
        readLaunches(analysis, part, leastNs);
        found = launches >= analysis.threshold(LAUNCHES) && waiting >= launches * analysis.threshold(WAITING);
        if (found) {
            Intervals waited = waits.times().clip(part.startNs(), part.endNs());
            idle = EmptiedQueue.idle(analysis, (startNs, endNs) -> EmptiedQueue.contains(waited, startNs));
            returnNs = returns.build().intersect(analysis.idle()).totalNs();
            waitedNs = waited.totalNs() - waited.intersect(analysis.idle()).totalNs();
        }
    }

    private void readLaunches(Analysis analysis, Stretch part, long leastNs) {
        Timeline timeline = analysis.timeline();
        Map<Integer, long[]> replays = new LinkedHashMap<>();
        DeviceActivity device = analysis.headline().orElseThrow();
        for (int i = 0; i < device.operationCount(); i++) {
            int row = device.row(i);
            int call = device.launch(i);
            long startNs = timeline.startNs(row);
            if (call < 0
                    || !timeline.kind(call).isApiCall() // An operator that stands for its launch may hold further work.
                    || timeline.kind(row) != RowKind.KERNEL
                    || startNs < part.startNs()
                    || startNs >= part.endNs()) {
                continue;
            }
            if (device.isGraphReplay(i)) {
                long[] run = replays.computeIfAbsent(call, c -> new long[] {startNs, Long.MIN_VALUE});
                run[1] = Math.max(run[1], timeline.endNs(row));
            } else {
                add(timeline, call, startNs, timeline.endNs(row), leastNs);
            }
        }
        replays.forEach((call, run) -> add(timeline, call, run[0], run[1], leastNs));
    }

    /** Takes a call that launched what ran in an interval. */
    private void add(Timeline timeline, int call, long startNs, long endNs, long leastNs) {
        long callEndNs = timeline.endNs(call);
        boolean waited = callEndNs >= endNs && endNs > timeline.startNs(call);
        if (waited) {
            long fromNs = Math.max(timeline.startNs(call), startNs);
            waits.add(call, fromNs, callEndNs);
            returns.add(Math.max(fromNs, endNs), callEndNs);
        }
        if (endNs - startNs >= leastNs) {
            launches++;
            waiting += waited ? 1 : 0;
        }
    }

    /** Returns what the launches to the headline device show. There must be a headline device. It is computed once. */
    public static BlockingLaunches of(Analysis analysis) {
        return analysis.once(BlockingLaunches.class, BlockingLaunches::new);
    }

    /** Returns whether nearly all launches of kernels that are long enough waited for them. */
    public boolean areFound() {
        return found;
    }

    /**
     * Returns the variable in the program's environment that makes launches wait, empty where that is not known. Where it
     * is set, kernels of any length count.
     */
    public String variable() {
        return variable;
    }

    /** Returns how many launches of long enough kernels there are. */
    public long launches() {
        return launches;
    }

    /** Returns how many of them waited. */
    public long waiting() {
        return waiting;
    }

    /** Returns the launch calls that waited, of kernels of any length, each from its kernel's start. */
    public HostCalls waits() {
        return waits;
    }

    /**
     * Returns for how long the device is idle in gaps that begin while a launch waits, because of some causes, in ns: 0
     * where waits are not found. Without the waits, the host would prepare the next launch while the device works.
     */
    public long idleNs(Collection<LedgerClass> causes) {
        return causes.stream().mapToLong(one -> idle.getOrDefault(one, 0L)).sum();
    }

    /** Returns for how long the device is idle while the calls return, in ns. */
    public long returnNs() {
        return returnNs;
    }

    /** Returns for how long the calls wait for the working device, in ns. */
    public long waitedNs() {
        return waitedNs;
    }
}
