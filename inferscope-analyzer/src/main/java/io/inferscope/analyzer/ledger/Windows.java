package io.inferscope.analyzer.ledger;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.RowsByKind;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.List;
import java.util.function.Predicate;

/** The window: first to last recorded activity of the program, the profiler's own start and stop excluded. */
public final class Windows {
    private Windows() {}

    /** Returns the window of a recording. */
    public static Stretch of(Timeline timeline, RowsByKind kinds, List<DeviceActivity> devices) {
        Predicate<RowKind> counts = kinds.has(RowKind.PROCESS)
                ? kind -> kind == RowKind.PROCESS || kind.isDeviceOperation()
                : Windows::isActivity;
        Stretch extent = kinds.extent(counts);
        if (extent == null) {
            return new Stretch(0, 0);
        }
        return kinds.has(RowKind.PYTHON_FUNCTION)
                ? withoutProfiler(timeline, devices, extent.startNs(), extent.endNs())
                : extent;
    }

    private static boolean isActivity(RowKind kind) {
        return kind.isHostActivity()
                || kind.isDeviceOperation()
                || kind == RowKind.DEVICE_SYNC
                || kind == RowKind.THREAD_STATE
                || kind == RowKind.STACK_SAMPLE
                || kind == RowKind.OTHER;
    }

    /**
     * Cuts off torch.profiler's own start and stop, which recordings of Python functions contain. Device work is never
     * cut off.
     */
    private static Stretch withoutProfiler(Timeline timeline, List<DeviceActivity> devices, long start, long end) {
        long firstDeviceNs =
                devices.stream().mapToLong(DeviceActivity::firstNs).min().orElse(end);
        long lastDeviceNs =
                devices.stream().mapToLong(DeviceActivity::lastNs).max().orElse(start);
        long cutStart = start;
        long cutEnd = end;
        for (Track track : timeline.tracks()) {
            cutStart = Math.max(cutStart, lastStartOfProfiler(timeline, track.id(), firstDeviceNs, start));
            cutEnd = Math.min(cutEnd, firstStopOfProfiler(timeline, track.id(), lastDeviceNs, end));
        }
        return cutStart < cutEnd ? new Stretch(cutStart, cutEnd) : new Stretch(start, end);
    }

    /** Returns the end of the profiler's last start call that ends by {@code byNs}; {@code otherwise} without one. */
    private static long lastStartOfProfiler(Timeline timeline, int track, long byNs, long otherwise) {
        long endNs = otherwise;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            if (timeline.startNs(row) > byNs) {
                break;
            }
            if (timeline.endNs(row) <= byNs && isOfProfiler(timeline, row, NameRole.STARTS_PROFILER)) {
                endNs = Math.max(endNs, timeline.endNs(row));
            }
        }
        return endNs;
    }

    /** Returns the start of the profiler's first stop call from {@code fromNs} on; {@code otherwise} without one. */
    private static long firstStopOfProfiler(Timeline timeline, int track, long fromNs, long otherwise) {
        long startNs = otherwise;
        for (int row = timeline.endRow(track) - 1; row >= timeline.firstRow(track); row--) {
            if (timeline.startNs(row) < fromNs) {
                break;
            }
            if (isOfProfiler(timeline, row, NameRole.STOPS_PROFILER)) {
                startNs = Math.min(startNs, timeline.startNs(row));
            }
        }
        return startNs;
    }

    private static boolean isOfProfiler(Timeline timeline, int row, NameRole call) {
        return timeline.kind(row) == RowKind.PYTHON_FUNCTION && call.in(timeline.name(row));
    }
}
