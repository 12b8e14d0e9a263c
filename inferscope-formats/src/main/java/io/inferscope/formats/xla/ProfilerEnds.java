package io.inferscope.formats.xla;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.cut.TimelineCut;

/**
 * Cuts off what the profiler itself did at both ends of a recording: starting and stopping take seconds on the thread
 * that calls them.
 *
 * <pre>
 *   [--------start_trace--------]  program  [-----stop_trace-----]
 *                                |  kept   |
 * </pre>
 *
 * Work of a device, and operators, that run during either are kept: the program's other threads go on.
 */
final class ProfilerEnds {
    private ProfilerEnds() {}

    static Timeline cutOff(Timeline timeline) {
        long firstNs = Long.MAX_VALUE;
        long lastNs = Long.MIN_VALUE;
        long startedNs = Long.MIN_VALUE;
        long stopsNs = Long.MAX_VALUE;
        long workFromNs = Long.MAX_VALUE;
        long workToNs = Long.MIN_VALUE;
        for (int row = 0; row < timeline.rowCount(); row++) {
            RowKind kind = timeline.kind(row);
            firstNs = Math.min(firstNs, timeline.startNs(row));
            lastNs = Math.max(lastNs, timeline.endNs(row));
            if (kind.isDeviceOperation() || kind == RowKind.OPERATOR) {
                workFromNs = Math.min(workFromNs, timeline.startNs(row));
                workToNs = Math.max(workToNs, timeline.endNs(row));
            } else if (kind == RowKind.PROFILER_OVERHEAD && timeline.name(row).endsWith(" start_trace")) {
                startedNs = Math.max(startedNs, timeline.endNs(row));
            } else if (kind == RowKind.PROFILER_OVERHEAD && timeline.name(row).endsWith(" stop_trace")) {
                stopsNs = Math.min(stopsNs, timeline.startNs(row));
            }
        }
        long fromNs = Math.max(firstNs, Math.min(startedNs, workFromNs));
        long toNs = Math.min(lastNs, Math.max(stopsNs, workToNs));
        boolean whole = fromNs == firstNs && toNs == lastNs;
        return whole || fromNs >= toNs ? timeline : TimelineCut.of(timeline, fromNs, toNs);
    }
}
