package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.clock.ClockAnchor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Turns the records of one spool into rows. */
final class SpoolRecords {
    /** The recorder that starts the command and observes its end. */
    private static final String HOST = "host";

    /** How the probe begins the detail of a load. */
    private static final String SAME = "same ";

    /** How it begins the detail of a call part of whose text is known. Behind it stands how much, in percent. */
    private static final String AGAIN = "again ";

    private final SpoolHeader header;
    private final SpoolFields fields;
    private final SampleRecords samples;
    private final HandOverRecords handOvers;
    private final DeviceRecords device;
    private final SpoolRun run;
    private final ImportStats.Builder stats;
    private final List<OpenSpan> openSpans = new ArrayList<>();
    private final Map<String, Coverage> coverage = new LinkedHashMap<>();
    private final CommandEnd command = new CommandEnd();

    private boolean hasStates;

    private record OpenSpan(int row, int pid) {}

    SpoolRecords(SpoolHeader header, SpoolContext context, SpoolRun run, ImportStats.Builder stats) {
        this.header = header;
        this.run = run;
        this.stats = stats;
        this.fields = new SpoolFields(header, context.texts(), run, stats);
        this.samples = new SampleRecords(fields);
        this.handOvers = new HandOverRecords(fields);
        this.device = new DeviceRecords(header, fields, context);
        if (header.openedRealtimeNs() > 0) {
            // The header's own pair has no bracket; it is used only where the spool has no CLOCK record.
            run.fallbackAnchor(new ClockAnchor(header.openedRealtimeNs(), header.openedNs(), 1_000_000));
        }
    }

    /** A stretch of device work if the CUDA agent writes it, of sampling otherwise. */
    private void pace(SpoolRecordView view) {
        if (!device.accept(view)) {
            run.samplingPace(DeviceRecords.stretch(view));
        }
    }

    void accept(SpoolRecordView view) {
        switch (view.type()) {
            case STRING -> {}
            case PROCESS -> process(view);
            case CLOCK -> clock(view);
            case THREAD ->
                run.threadName(
                        fields.pid(view, THREAD_PID),
                        view.i32(THREAD_TID),
                        fields.text(view, THREAD_NAME),
                        header.pid() != 0);
            case SPAN -> span(view);
            case MARK -> mark(view);
            case THREAD_STATE -> threadState(view);
            case COVERAGE -> coverage(view);
            case PACE -> pace(view);
            case COUNTER -> counter(view);
            case OVERHEAD ->
                run.builder()
                        .overhead(new RecorderOverhead(
                                fields.text(view, OVERHEAD_RECORDER),
                                view.i64(OVERHEAD_CPU_NS),
                                view.i64(OVERHEAD_HELD_UP_NS),
                                view.i64(OVERHEAD_EVENTS)));
            case FRAME -> samples.frame(view);
            case STACK -> samples.stack(view);
            case STACK_SAMPLE -> samples.sample(view);
            case HAND_OVER -> handOvers.handOver(view);
            case REQUEST -> handOvers.request(view);
            case NOTE -> {
                device.note(fields.text(view, NOTE_KEY), fields.text(view, NOTE_VALUE));
                run.note(view.i32(NOTE_PID), fields.text(view, NOTE_KEY), fields.text(view, NOTE_VALUE));
            }
            case UNFINISHED -> stats.count(Reason.UNFINISHED_RECORD, view.fileOffset(), "");
            default -> {
                if (!device.accept(view)) {
                    stats.count(Reason.UNKNOWN_RECORD, view.fileOffset(), "type " + view.type());
                }
            }
        }
    }

    /** Passes facts to the run that need all files, such as open spans, which end with their processes. */
    void finish() {
        for (OpenSpan span : openSpans) {
            run.openSpan(span.row(), span.pid(), fields.lastNs());
        }
        samples.finish();
        coverage.values().forEach(run::coverage);
        device.finish().ifPresent(run::coverage);
        if (isHost() && command.wasCut(header)) {
            stats.count(Reason.RECORDING_CUT, -1, header.source());
            if (hasStates) {
                run.cutAt(fields.lastNs());
            }
        }
        stats.count(Reason.OPEN_SPAN, openSpans.size(), -1, header.source());
    }

    private void process(SpoolRecordView view) {
        long startNs = view.i64(PROCESS_START_NS);
        long endNs = view.i64(PROCESS_END_NS);
        if (!fields.isPlausible(view, startNs) || (endNs != 0 && !fields.isPlausible(view, endNs))) {
            return;
        }
        ProcessRecord seen = new ProcessRecord(
                startNs,
                endNs,
                view.i32(PROCESS_PID),
                view.i32(PROCESS_PARENT_PID),
                fields.text(view, PROCESS_RUNTIME),
                fields.text(view, PROCESS_PROGRAM),
                view.i32(PROCESS_EXIT_CODE));
        run.process(seen, header.pid() != 0);
        if (isHost()) {
            command.process(seen);
            command.exitCode()
                    .ifPresent(code -> run.builder().property("inferscope.exit_code", Integer.toString(code)));
        }
    }

    private boolean isHost() {
        return header.pid() == 0 && header.source().equals(HOST);
    }

    private void clock(SpoolRecordView view) {
        long monotonicNs = view.i64(CLOCK_MONOTONIC_NS);
        long realtimeNs = view.i64(CLOCK_REALTIME_NS);
        if (realtimeNs > 0 && fields.isPlausible(view, monotonicNs)) {
            run.anchor(new ClockAnchor(realtimeNs, monotonicNs, view.u32(CLOCK_UNCERTAINTY_NS)));
        }
    }

    private void span(SpoolRecordView view) {
        long startNs = view.i64(SPAN_START_NS);
        long endNs = view.i64(SPAN_END_NS);
        boolean open = endNs == 0;
        if (!fields.isPlausible(view, startNs) || !fields.isInterval(view, startNs, open ? startNs : endNs)) {
            return;
        }
        int pid = fields.pid(view, SPAN_PID);
        RangeActivity activity = RangeActivity.of(view.u16(SPAN_ACTIVITY));
        RowKind kind = activity == RangeActivity.GARBAGE_COLLECTION ? RowKind.GC : RowKind.ANNOTATION;
        int row = run.builder()
                .row(
                        kind,
                        run.thread(pid, view.i32(SPAN_TID)),
                        startNs,
                        open ? startNs : endNs,
                        fields.name(view, SPAN_NAME));
        run.builder().attribute(row, Attribute.ACTIVITY, activity.ordinal());
        if ((view.flags() & SPAN_FLAG_USER) != 0) {
            run.builder().attribute(row, Attribute.USER_SCOPE, 1);
        }
        fields.textAttribute(view, SPAN_WHERE, row, Attribute.WHERE);
        fields.textAttribute(view, SPAN_DETAIL, row, Attribute.DETAIL);
        loads(row, fields.text(view, SPAN_DETAIL));
        if ((view.flags() & SPAN_FLAG_CONTINUED) != 0) {
            laterStretch(row, startNs, view.i64(SPAN_VALUE));
        } else {
            value(row, activity, view.i64(SPAN_VALUE));
        }
        if (open) {
            openSpans.add(new OpenSpan(row, pid));
        }
        if (activity == RangeActivity.INTERPRETER) {
            run.interpreter(pid, view.i32(SPAN_TID), row);
        }
        fields.seen(pid, Math.max(startNs, endNs));
    }

    /** Stores what a span loads, or tokenizes again: python/inferscope/_same.py. */
    private void loads(int row, String detail) {
        if (detail.startsWith(SAME)) {
            run.builder().attribute(row, Attribute.LOADED, run.builder().name(detail.substring(SAME.length())));
        } else if (detail.startsWith(AGAIN) && detail.matches(AGAIN + "[0-9]{1,2}")) {
            run.builder().attribute(row, Attribute.KNOWN_PERCENT, Long.parseLong(detail.substring(AGAIN.length())));
        }
    }

    /** Older writers do not state when the call began. */
    private void laterStretch(int row, long startNs, long callStartNs) {
        if (0 < callStartNs && callStartNs < startNs) {
            run.builder().attribute(row, Attribute.CALL_START_NS, startNs - callStartNs);
        }
    }

    /** Stores a span's value: of a copy in bytes, of other spans a number of what they count. */
    private void value(int row, RangeActivity activity, long value) {
        if (value != 0) {
            run.builder()
                    .attribute(row, activity == RangeActivity.COPY ? Attribute.SIZE_BYTES : Attribute.COUNTED, value);
        }
    }

    private void mark(SpoolRecordView view) {
        long timeNs = view.i64(MARK_TIME_NS);
        if (!fields.isPlausible(view, timeNs)) {
            return;
        }
        int pid = fields.pid(view, MARK_PID);
        int row = run.builder()
                .row(
                        RowKind.INSTANT,
                        run.thread(pid, view.i32(MARK_TID)),
                        timeNs,
                        timeNs,
                        fields.name(view, MARK_NAME));
        fields.textAttribute(view, MARK_METADATA, row, Attribute.DETAIL);
        fields.seen(pid, timeNs);
    }

    private void threadState(SpoolRecordView view) {
        long startNs = view.i64(THREAD_STATE_START_NS);
        long endNs = view.i64(THREAD_STATE_END_NS);
        if (!fields.isPlausible(view, startNs) || !fields.isInterval(view, startNs, endNs)) {
            return;
        }
        hasStates = true;
        int pid = fields.pid(view, THREAD_STATE_PID);
        long onCpuNs = clamp(view.i64(THREAD_STATE_ON_CPU_NS), endNs - startNs);
        long runnableNs = clamp(view.i64(THREAD_STATE_RUNNABLE_NS), endNs - startNs - onCpuNs);
        int track = run.thread(pid, view.i32(THREAD_STATE_TID));
        fields.seen(pid, endNs);
        if (view.i32(THREAD_STATE_PID) == 0) { // By the process itself.
            run.briefThreads().add(track, startNs, endNs, onCpuNs, runnableNs);
            return;
        }
        WaitReason reason = WaitReason.of(view.u16(THREAD_STATE_REASON));
        int row = addState(run.builder(), track, startNs, endNs, onCpuNs, runnableNs, reason);
        run.builder()
                .attribute(
                        row,
                        Attribute.PAGE_FAULTS,
                        view.u32(THREAD_STATE_MAJOR_FAULTS) + view.u32(THREAD_STATE_MINOR_FAULTS));
        fields.textAttribute(view, THREAD_STATE_DETAIL, row, Attribute.DETAIL);
        WaitDetail.store(run.builder(), row, fields.text(view, THREAD_STATE_DETAIL));
        long futex = view.i64(THREAD_STATE_FUTEX_ADDRESS);
        if (futex != 0 && futex != Attribute.ABSENT) {
            run.builder().attribute(row, Attribute.FUTEX, futex);
        }
        long holder = view.u32(THREAD_STATE_HOLDER_TID);
        if (holder != 0) {
            run.builder().attribute(row, Attribute.OTHER_THREAD, holder);
        }
    }

    /** Adds a state of a thread and returns its row. */
    static int addState(
            TimelineBuilder builder,
            int track,
            long startNs,
            long endNs,
            long onCpuNs,
            long runnableNs,
            WaitReason reason) {
        long blockedNs = endNs - startNs - onCpuNs - runnableNs;
        int name = builder.name(stateName(onCpuNs, runnableNs, blockedNs, reason));
        int row = builder.row(RowKind.THREAD_STATE, track, startNs, endNs, name);
        builder.attribute(row, Attribute.ON_CPU_NS, onCpuNs);
        builder.attribute(row, Attribute.RUNNABLE_NS, runnableNs);
        builder.attribute(row, Attribute.WAIT_REASON, reason.ordinal());
        return row;
    }

    /** Returns the value, but at least 0 and at most the limit. */
    static long clamp(long value, long limit) {
        return Math.max(0, Math.min(value, limit));
    }

    private static String stateName(long onCpuNs, long runnableNs, long blockedNs, WaitReason reason) {
        if (onCpuNs >= runnableNs && onCpuNs >= blockedNs) {
            return "running";
        }
        return runnableNs >= blockedNs
                ? "runnable"
                : "blocked: " + reason.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private void coverage(SpoolRecordView view) {
        if (view.u16(COVERAGE_STATUS) == STATUS_NOT_NEEDED) {
            return; // Nothing is missing.
        }
        Coverage said = new Coverage(
                fields.text(view, COVERAGE_SOURCE),
                view.i64(COVERAGE_RECORDED),
                view.i64(COVERAGE_MISSING),
                fields.text(view, COVERAGE_WHY));
        coverage.put(said.source(), said); // The last record of a source counts.
    }

    private void counter(SpoolRecordView view) {
        long timeNs = view.i64(COUNTER_TIME_NS);
        if (!fields.isPlausible(view, timeNs)) {
            return;
        }
        int pid = fields.pid(view, COUNTER_PID);
        String name = fields.text(view, COUNTER_NAME);
        int row = run.builder()
                .row(
                        RowKind.COUNTER,
                        run.counter(pid, name),
                        timeNs,
                        timeNs,
                        run.builder().name(name));
        run.builder().attribute(row, Attribute.COUNTER_VALUE, view.i64(COUNTER_VALUE));
        fields.seen(pid, timeNs);
    }
}
