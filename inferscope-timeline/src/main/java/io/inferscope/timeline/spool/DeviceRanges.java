package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RangeActivity;
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
    private final Map<Integer, Begun> openRanges = new HashMap<>();

    /** A range that has not ended; {@code row} is -1 if it has no row yet. */
    private record Begun(int row, int track, int nameId, int detailId, long startNs) {}

    DeviceRanges(int pid, SpoolFields fields, DeviceStamps stamps) {
        this.pid = pid;
        this.fields = fields;
        this.stamps = stamps;
    }

    private TimelineBuilder builder() {
        return fields.run().builder();
    }

    private NvtxRanges ranges() {
        return fields.run().nvtxRanges();
    }

    /** Returns the track of the thread that a MARKER or an API_CALL at a time names; both use the same flag. */
    int thread(int tid, int flags, long timeNs) {
        BriefThreads brief = fields.run().briefThreads();
        if ((flags & MARKER_FLAG_THREAD_UNKNOWN) == 0) {
            return fields.run().thread(pid, brief.ownerAt(pid, tid, timeNs));
        }
        int owner = brief.ownerOf(pid, tid, timeNs);
        return owner == 0 ? fields.run().endedThread(pid, tid) : fields.run().thread(pid, owner);
    }

    void recorderTime(SpoolRecordView view) {
        int cuptiKind = view.i32(RECORDER_TIME_KIND);
        int tid = view.i32(RECORDER_TIME_TID);
        String what = CuptiNames.overhead(cuptiKind);
        if (what.isEmpty() || tid == 0) {
            fields.count(Reason.NOT_USED, view, "overhead of CUPTI's kind " + cuptiKind);
            return;
        }
        boolean loading = CuptiNames.isLoading(cuptiKind);
        long startNs = stamps.axisNs(view, view.i64(RECORDER_TIME_START_CUPTI_NS));
        long endNs = stamps.axisNs(view, view.i64(RECORDER_TIME_END_CUPTI_NS));
        if (startNs == DeviceClock.UNPLACED
                || endNs == DeviceClock.UNPLACED
                || !fields.isInterval(view, startNs, endNs)) {
            return;
        }
        RowKind kind = loading ? RowKind.ANNOTATION : RowKind.PROFILER_OVERHEAD;
        int row = builder()
                .row(kind, thread(tid, 0, startNs), startNs, endNs, builder().name(what));
        if (loading) {
            builder().attribute(row, Attribute.ACTIVITY, RangeActivity.LOAD.ordinal());
        }
    }

    void marker(SpoolRecordView view) {
        long timeNs = stamps.axisNs(view, view.i64(MARKER_CUPTI_NS));
        if (timeNs == DeviceClock.UNPLACED) {
            return;
        }
        if ((view.flags() & MARKER_FLAG_END) != 0) {
            end(view, timeNs);
            return;
        }
        NvtxName name = NvtxName.of(fields.text(view, MARKER_NAME));
        int nameId = builder().name(name.text());
        int track = thread(view.i32(MARKER_TID), view.flags(), timeNs);
        boolean begins = (view.flags() & MARKER_FLAG_BEGIN) != 0;
        int detailId = view.i32(MARKER_DOMAIN) == 0 ? -1 : fields.name(view, MARKER_DOMAIN);
        if (!begins) {
            ranges().mark(pid, track, nameId, detailId, timeNs);
            return;
        }
        if (!name.isOperator()) {
            openRanges.put(view.i32(MARKER_ID), new Begun(-1, track, nameId, detailId, timeNs));
            return;
        }
        int row = builder().row(RowKind.OPERATOR, track, timeNs, timeNs, nameId);
        fields.textAttribute(view, MARKER_DOMAIN, row, Attribute.DETAIL);
        openRanges.put(view.i32(MARKER_ID), new Begun(row, track, nameId, -1, timeNs));
    }

    private void end(SpoolRecordView view, long timeNs) {
        Begun range = openRanges.remove(view.i32(MARKER_ID));
        if (range == null) {
            fields.count(Reason.UNMATCHED_END, view, "NVTX range");
        } else if (range.row() >= 0) {
            builder().end(range.row(), timeNs);
        } else {
            long endNs = Math.max(range.startNs(), timeNs);
            ranges().recorded(pid, range.track(), range.nameId(), range.detailId(), range.startNs(), endNs);
        }
    }

    /** Open ranges end with their process. */
    void finish() {
        for (Begun range : openRanges.values()) {
            if (range.row() >= 0) {
                fields.run().openSpan(range.row(), pid, fields.lastNs());
            } else {
                ranges().open(pid, range.track(), range.nameId(), range.detailId(), range.startNs(), fields.lastNs());
            }
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
