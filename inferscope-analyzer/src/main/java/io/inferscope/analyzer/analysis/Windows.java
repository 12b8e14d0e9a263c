package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.List;

/** The window: first to last recorded activity of the program, the profiler's own start and stop excluded. */
final class Windows {
    private static final String PROFILER = "torch/profiler/profiler.py(";

    private Windows() {}

    static Stretch of(Timeline timeline, RowKinds kinds, List<DeviceActivity> devices) {
        long start = Long.MAX_VALUE;
        long end = Long.MIN_VALUE;
        boolean processes = kinds.has(RowKind.PROCESS);
        for (int row = 0; row < timeline.rowCount(); row++) {
            RowKind kind = timeline.kind(row);
            if (processes ? kind == RowKind.PROCESS || kind.isDeviceOperation() : isActivity(kind)) {
                start = Math.min(start, timeline.startNs(row));
                end = Math.max(end, timeline.endNs(row));
            }
        }
        if (start > end) {
            return new Stretch(0, 0);
        }
        return kinds.has(RowKind.PYTHON_FUNCTION)
                ? withoutProfiler(timeline, devices, start, end)
                : new Stretch(start, end);
    }

    private static boolean isActivity(RowKind kind) {
        return kind.isHostActivity()
                || kind.isDeviceOperation()
                || kind == RowKind.DEVICE_SYNC
                || kind == RowKind.THREAD_STATE
                || kind == RowKind.STACK_SAMPLE
                || kind == RowKind.OTHER;
    }

    /** Where Python functions were recorded, torch.profiler's own start and stop are among them; device work is never cut off. */
    private static Stretch withoutProfiler(Timeline timeline, List<DeviceActivity> devices, long start, long end) {
        long firstDeviceNs =
                devices.stream().mapToLong(DeviceActivity::firstNs).min().orElse(end);
        long lastDeviceNs =
                devices.stream().mapToLong(DeviceActivity::lastNs).max().orElse(start);
        long cutStart = start;
        long cutEnd = end;
        ByName starts = new ByName(timeline, name -> name.startsWith(PROFILER) && name.endsWith(": start_trace"));
        ByName stops = new ByName(timeline, name -> name.startsWith(PROFILER) && name.endsWith(": stop_trace"));
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.PYTHON_FUNCTION) {
                if (stops.testRow(row) && timeline.startNs(row) >= lastDeviceNs) {
                    cutEnd = Math.min(cutEnd, timeline.startNs(row));
                } else if (starts.testRow(row) && timeline.endNs(row) <= firstDeviceNs) {
                    cutStart = Math.max(cutStart, timeline.endNs(row));
                }
            }
        }
        return cutStart < cutEnd ? new Stretch(cutStart, cutEnd) : new Stretch(start, end);
    }
}
