package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.Activity;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rows of device records on threads, other than calls: NVTX ranges and CUPTI's own time. */
final class DeviceRanges {

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

    /** Returns the track of the thread that a MARKER or an API_CALL names; both use the same flag. */
    int thread(int tid, int flags) {
        return (flags & MARKER_FLAG_THREAD_UNKNOWN) != 0
                ? fields.run().endedThread(pid, tid)
                : fields.run().thread(pid, tid);
    }

    void recorderTime(SpoolRecordView view) {
        int cuptiKind = view.i32(RECORDER_TIME_KIND);
        int tid = view.i32(RECORDER_TIME_TID);
        String what = CuptiWords.overhead(cuptiKind);
        if (what.isEmpty() || tid == 0) {
            fields.count(Reason.NOT_USED, view, "overhead of CUPTI's kind " + cuptiKind);
            return;
        }
        boolean loading = CuptiWords.isLoading(cuptiKind);
        long startNs = stamps.axisNs(view, view.i64(RECORDER_TIME_START_CUPTI_NS));
        long endNs = stamps.axisNs(view, view.i64(RECORDER_TIME_END_CUPTI_NS));
        if (startNs == DeviceClock.UNPLACED
                || endNs == DeviceClock.UNPLACED
                || !fields.isInterval(view, startNs, endNs)) {
            return;
        }
        RowKind kind = loading ? RowKind.ANNOTATION : RowKind.PROFILER_OVERHEAD;
        int row = builder()
                .row(
                        kind,
                        fields.run().thread(pid, tid),
                        startNs,
                        endNs,
                        builder().name(what));
        if (loading) {
            builder().attribute(row, Attribute.ACTIVITY, Activity.LOAD.ordinal());
        }
    }

    void marker(SpoolRecordView view) {
        long timeNs = stamps.axisNs(view, view.i64(MARKER_CUPTI_NS));
        if (timeNs == DeviceClock.UNPLACED) {
            return;
        }
        boolean ends = (view.flags() & MARKER_FLAG_END) != 0;
        if (ends) {
            Integer row = openRanges.remove(view.i32(MARKER_ID));
            if (row == null) {
                fields.count(Reason.UNMATCHED_END, view, "NVTX range");
            } else {
                builder().end(row, timeNs);
            }
            return;
        }
        boolean begins = (view.flags() & MARKER_FLAG_BEGIN) != 0;
        NvtxName name = NvtxName.of(fields.text(view, MARKER_NAME));
        RowKind range = name.isOperator() ? RowKind.OPERATOR : RowKind.ANNOTATION;
        int track = thread(view.i32(MARKER_TID), view.flags());
        int row = builder()
                .row(
                        begins ? range : RowKind.INSTANT,
                        track,
                        timeNs,
                        timeNs,
                        builder().name(name.text()));
        fields.textAttribute(view, MARKER_DOMAIN, row, Attribute.DETAIL);
        if (begins) {
            openRanges.put(view.i32(MARKER_ID), row);
        }
    }

    /** Open ranges end with their process. */
    void finish() {
        for (int row : openRanges.values()) {
            fields.run().openSpan(row, pid, fields.lastNs());
        }
        builder().stats().count(Reason.OPEN_SPAN, openRanges.size(), -1, "NVTX range");
    }

    /**
     * The parts of the name of an NVTX range. PyTorch's {@code emit_nvtx} opens one around each operator, named {@code
     * aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], [3, 4]]} with only the parts that it knows
     * (torch.autograd.profiler documentation, "emit_nvtx").
     *
     * @param text the name without those parts
     * @param isOperator whether the range is an operator of the framework
     */
    private record NvtxName(String text, boolean isOperator) {
        private static final Pattern OPERATOR =
                Pattern.compile("([A-Za-z_][\\w.]*::[^,]+)((?:, (?:seq|op_id|sizes|input_op_ids) = .*)?)");

        static NvtxName of(String name) {
            Matcher operator = OPERATOR.matcher(name);
            boolean is = operator.matches()
                    && (name.startsWith("aten::") || !operator.group(2).isEmpty());
            return new NvtxName(is ? operator.group(1) : name, is);
        }
    }
}
