package io.inferscope.analyzer.launch;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How long the judged part would take if launch calls did not wait for their kernels: one pass over the calls of the
 * launching thread, with one queue for all streams of the device.
 *
 * <pre>
 *   recorded  host    [launch A, waits   ]--[launch B, waits   ]--[synchronise]
 *             device  ...AAAAAAAAAAAAAA.......BBBBBBBBBBBBBBB..
 *   queued    host    [  ]--[  ][ synchronise             ]
 *             device  ...AAAAAAAAAAAAAABBBBBBBBBBBBBBB
 * </pre>
 *
 * A call that synchronises then waits for all work before it, although it found none in the recording. Replays of the
 * dependency graph do not know that, so they save at least as much.
 */
public final class QueuedLaunches {
    private final Timeline timeline;
    private final Intervals busy;
    private final Map<Integer, Work> launched = new HashMap<>();

    /** When the host has done what is before the current call, and the device all that was launched so far, in ns. */
    private long hostNs;

    private long deviceNs;

    /** What one call launched: when the first operation starts and the last one ends, and their time in sum. */
    private static final class Work {
        final long startNs;
        long endNs = Long.MIN_VALUE;
        long sumNs;
        boolean copies;

        Work(long startNs) {
            this.startNs = startNs;
        }
    }

    private QueuedLaunches(Analysis analysis, Stretch part) {
        timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        busy = device.busy();
        for (int i = 0; i < device.operationCount(); i++) {
            int row = device.row(i);
            if (device.launch(i) >= 0) {
                Work work = launched.computeIfAbsent(device.launch(i), call -> new Work(timeline.startNs(row)));
                work.endNs = Math.max(work.endNs, timeline.endNs(row));
                work.sumNs += timeline.durationNs(row);
                work.copies |= timeline.kind(row).isMemcpy();
            }
        }
        hostNs = part.startNs();
        deviceNs = part.startNs();
    }

    /** Returns how much sooner the part would end, in ns. */
    public static long savedNs(Analysis analysis) {
        Stretch part = analysis.judged().stretch();
        QueuedLaunches queued = new QueuedLaunches(analysis, part);
        Timeline timeline = analysis.timeline();
        long doneNs = part.startNs();
        for (int row : analysis.apiCalls()) {
            boolean counts = timeline.track(row) == analysis.subjectThread()
                    && timeline.startNs(row) >= doneNs // Not inside another call.
                    && timeline.endNs(row) <= part.endNs();
            Work work = counts ? queued.launched.get(row) : null;
            if (work != null || (counts && analysis.isSynchronising(row))) {
                queued.hostNs += timeline.startNs(row) - doneNs;
                queued.call(row, work);
                doneNs = timeline.endNs(row);
            }
        }
        long endNs = Math.max(queued.hostNs + part.endNs() - doneNs, queued.deviceNs);
        return Math.max(0, part.endNs() - endNs);
    }

    private void call(int row, @Nullable Work work) {
        long startNs = timeline.startNs(row);
        long endNs = timeline.endNs(row);
        if (work == null) {
            hostNs = Math.max(hostNs, deviceNs) + endNs - startNs - busy.totalWithinNs(startNs, endNs);
            return;
        }
        boolean waits = work.endNs <= endNs && work.endNs > startNs;
        hostNs += waits ? Math.max(0, work.startNs - startNs) : endNs - startNs;
        deviceNs = Math.max(deviceNs, hostNs) + work.sumNs;
        if (waits && work.copies) {
            hostNs = deviceNs + endNs - work.endNs;
        }
    }
}
