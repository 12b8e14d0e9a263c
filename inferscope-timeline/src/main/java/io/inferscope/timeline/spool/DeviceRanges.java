package io.inferscope.timeline.spool;

import io.inferscope.timeline.Activity;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import java.util.HashMap;
import java.util.Map;

/** What device records say of threads besides calls: NVTX ranges, and what CUPTI itself took. */
final class DeviceRanges {
    private static final int FLAG_BEGIN = 1;
    private static final int FLAG_END = 2;
    private static final int FLAG_THREAD_UNKNOWN = 4;

    private final int pid;
    private final SpoolFields fields;
    private final DeviceStamps stamps;
    private final Map<Integer, Integer> openRanges = new HashMap<>();

    DeviceRanges(int pid, SpoolFields fields, DeviceStamps stamps) {
        this.pid = pid;
        this.fields = fields;
        this.stamps = stamps;
    }

    private TimelineBuilder builder() {
        return fields.run().builder();
    }

    /** Returns the track of a thread as a record names it. */
    int thread(int tid, int flags) {
        return (flags & FLAG_THREAD_UNKNOWN) != 0
                ? fields.run().endedThread(pid, tid)
                : fields.run().thread(pid, tid);
    }

    void recorderTime(SpoolRecordView view) {
        String what = CuptiWords.overhead(view.i32(24));
        if (what.isEmpty() || view.i32(28) == 0) {
            fields.count(Reason.NOT_USED, view, "overhead of CUPTI's kind " + view.i32(24));
            return;
        }
        boolean loading = CuptiWords.isLoading(view.i32(24));
        long startNs = stamps.axisNs(view, view.i64(8));
        long endNs = stamps.axisNs(view, view.i64(16));
        if (startNs == DeviceClock.UNPLACED
                || endNs == DeviceClock.UNPLACED
                || !fields.isInterval(view, startNs, endNs)) {
            return;
        }
        RowKind kind = loading ? RowKind.ANNOTATION : RowKind.PROFILER_OVERHEAD;
        int row = builder()
                .row(
                        kind,
                        fields.run().thread(pid, view.i32(28)),
                        startNs,
                        endNs,
                        builder().name(what));
        if (loading) {
            builder().attribute(row, Attribute.ACTIVITY, Activity.LOAD.ordinal());
        }
    }

    void marker(SpoolRecordView view) {
        long timeNs = stamps.axisNs(view, view.i64(8));
        if (timeNs == DeviceClock.UNPLACED) {
            return;
        }
        boolean ends = (view.flags() & FLAG_END) != 0;
        if (ends) {
            Integer row = openRanges.remove(view.i32(16));
            if (row == null) {
                fields.count(Reason.UNMATCHED_END, view, "NVTX range");
            } else {
                builder().end(row, timeNs);
            }
            return;
        }
        boolean begins = (view.flags() & FLAG_BEGIN) != 0;
        NvtxName name = NvtxName.of(fields.text(view, 24));
        RowKind range = name.isOperator() ? RowKind.OPERATOR : RowKind.ANNOTATION;
        int track = thread(view.i32(20), view.flags());
        int row = builder()
                .row(
                        begins ? range : RowKind.INSTANT,
                        track,
                        timeNs,
                        timeNs,
                        builder().name(name.text()));
        fields.textAttribute(view, 28, row, Attribute.DETAIL);
        if (begins) {
            openRanges.put(view.i32(16), row);
        }
    }

    /** Leaves ranges that were not closed to the end of their process. */
    void finish() {
        for (int row : openRanges.values()) {
            fields.run().openSpan(row, pid, fields.lastNs());
        }
        builder().stats().count(Reason.OPEN_SPAN, openRanges.size(), -1, "NVTX range");
    }
}
