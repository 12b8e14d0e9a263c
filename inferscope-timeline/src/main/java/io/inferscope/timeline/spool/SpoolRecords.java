package io.inferscope.timeline.spool;

import io.inferscope.timeline.Activity;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.clock.ClockAnchor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Turns the records of one spool into rows. Field offsets are those of docs/spool-format.md. */
final class SpoolRecords {
    /** The recorder that starts the command and sees it end. */
    private static final String HOST = "host";

    private static final int FLAG_USER = 1;
    private static final int NOT_NEEDED = 1;

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

    void accept(SpoolRecordView view) {
        switch (view.type()) {
            case SpoolRecordView.STRING -> {}
            case SpoolRecordView.PROCESS -> process(view);
            case SpoolRecordView.CLOCK -> clock(view);
            case SpoolRecordView.THREAD ->
                run.threadName(fields.pid(view, 24), view.i32(8), fields.text(view, 12), header.pid() != 0);
            case SpoolRecordView.SPAN -> span(view);
            case SpoolRecordView.MARK -> mark(view);
            case SpoolRecordView.THREAD_STATE -> threadState(view);
            case SpoolRecordView.COVERAGE -> coverage(view);
            case SpoolRecordView.COUNTER -> counter(view);
            case SpoolRecordView.OVERHEAD ->
                run.builder()
                        .overhead(new RecorderOverhead(fields.text(view, 24), view.i64(8), view.i64(16), view.i64(32)));
            case SpoolRecordView.FRAME -> samples.frame(view);
            case SpoolRecordView.STACK -> samples.stack(view);
            case SpoolRecordView.STACK_SAMPLE -> samples.sample(view);
            case SpoolRecordView.HAND_OVER -> handOvers.handOver(view);
            case SpoolRecordView.REQUEST -> handOvers.request(view);
            case SpoolRecordView.NOTE -> run.note(view.i32(16), fields.text(view, 8), fields.text(view, 12));
            case SpoolRecordView.UNFINISHED -> stats.count(Reason.UNFINISHED_RECORD, view.fileOffset(), "");
            default -> {
                if (!device.accept(view)) {
                    stats.count(Reason.UNKNOWN_RECORD, view.fileOffset(), "type " + view.type());
                }
            }
        }
    }

    /** Leaves what needs all files: spans still open are closed when the ends of all processes are known. */
    void finish() {
        for (OpenSpan span : openSpans) {
            run.openSpan(span.row(), span.pid(), fields.lastNs());
        }
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
        if (!fields.isPlausible(view, view.i64(8)) || (view.i64(32) != 0 && !fields.isPlausible(view, view.i64(32)))) {
            return;
        }
        ProcessSeen seen = new ProcessSeen(
                view.i64(8),
                view.i64(32),
                view.i32(16),
                view.i32(20),
                fields.text(view, 24),
                fields.text(view, 28),
                view.i32(40));
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
        long monotonicNs = view.i64(8);
        long realtimeNs = view.i64(16);
        if (realtimeNs > 0 && fields.isPlausible(view, monotonicNs)) {
            run.anchor(new ClockAnchor(realtimeNs, monotonicNs, view.u32(36)));
        }
    }

    private void span(SpoolRecordView view) {
        long startNs = view.i64(8);
        long endNs = view.i64(16);
        boolean open = endNs == 0;
        if (!fields.isPlausible(view, startNs) || !fields.isInterval(view, startNs, open ? startNs : endNs)) {
            return;
        }
        int pid = fields.pid(view, 52);
        Activity activity = Activity.of(view.u16(32));
        RowKind kind = activity == Activity.GARBAGE_COLLECTION ? RowKind.GC : RowKind.ANNOTATION;
        int row = run.builder()
                .row(kind, run.thread(pid, view.i32(24)), startNs, open ? startNs : endNs, fields.name(view, 28));
        run.builder().attribute(row, Attribute.ACTIVITY, activity.ordinal());
        if ((view.flags() & FLAG_USER) != 0) {
            run.builder().attribute(row, Attribute.USER_SCOPE, 1);
        }
        fields.textAttribute(view, 36, row, Attribute.WHERE);
        fields.textAttribute(view, 48, row, Attribute.DETAIL);
        value(row, activity, view.i64(40), view.i32(48) != 0);
        if (open) {
            openSpans.add(new OpenSpan(row, pid));
        }
        if (activity == Activity.INTERPRETER) {
            run.interpreter(pid, view.i32(24), row);
        }
        fields.seen(pid, Math.max(startNs, endNs));
    }

    /** A copy's value is bytes; of others the name tells what it counts. */
    private void value(int row, Activity activity, long value, boolean hasDetail) {
        if (value == 0) {
            return;
        }
        if (activity == Activity.COPY) {
            run.builder().attribute(row, Attribute.SIZE_BYTES, value);
        } else if (!hasDetail) {
            run.builder().attribute(row, Attribute.DETAIL, run.builder().name("{\"value\":" + value + "}"));
        }
    }

    private void mark(SpoolRecordView view) {
        long timeNs = view.i64(8);
        if (!fields.isPlausible(view, timeNs)) {
            return;
        }
        int pid = fields.pid(view, 28);
        int row = run.builder()
                .row(RowKind.INSTANT, run.thread(pid, view.i32(16)), timeNs, timeNs, fields.name(view, 20));
        fields.textAttribute(view, 24, row, Attribute.DETAIL);
        fields.seen(pid, timeNs);
    }

    private void threadState(SpoolRecordView view) {
        long startNs = view.i64(8);
        long endNs = view.i64(16);
        if (!fields.isPlausible(view, startNs) || !fields.isInterval(view, startNs, endNs)) {
            return;
        }
        hasStates = true;
        int pid = fields.pid(view, 44);
        long onCpuNs = clamp(view.i64(24), endNs - startNs);
        long runnableNs = clamp(view.i64(32), endNs - startNs - onCpuNs);
        WaitReason reason = WaitReason.of(view.u16(48));
        int name = run.builder().name(stateName(onCpuNs, runnableNs, endNs - startNs - onCpuNs - runnableNs, reason));
        int row = run.builder().row(RowKind.THREAD_STATE, run.thread(pid, view.i32(40)), startNs, endNs, name);
        run.builder().attribute(row, Attribute.ON_CPU_NS, onCpuNs);
        run.builder().attribute(row, Attribute.RUNNABLE_NS, runnableNs);
        run.builder().attribute(row, Attribute.WAIT_REASON, reason.ordinal());
        run.builder().attribute(row, Attribute.PAGE_FAULTS, view.u32(52) + view.u32(56));
        fields.textAttribute(view, 68, row, Attribute.DETAIL);
        if (view.i64(72) != 0 && view.i64(72) != Attribute.ABSENT) {
            run.builder().attribute(row, Attribute.FUTEX, view.i64(72));
        }
        if (view.i32(80) != 0) {
            run.builder().attribute(row, Attribute.OTHER_THREAD, view.u32(80));
        }
        fields.seen(pid, endNs);
    }

    private static long clamp(long value, long limit) {
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
        if (view.u16(36) == NOT_NEEDED) {
            return; // Nothing is missing.
        }
        Coverage said = new Coverage(fields.text(view, 8), view.i64(16), view.i64(24), fields.text(view, 12));
        coverage.put(said.source(), said); // A later word on one source counts.
    }

    private void counter(SpoolRecordView view) {
        long timeNs = view.i64(8);
        if (!fields.isPlausible(view, timeNs)) {
            return;
        }
        int pid = fields.pid(view, 28);
        String name = fields.text(view, 24);
        int row = run.builder()
                .row(
                        RowKind.COUNTER,
                        run.counter(pid, name),
                        timeNs,
                        timeNs,
                        run.builder().name(name));
        run.builder().attribute(row, Attribute.COUNTER_VALUE, view.i64(16));
        fields.seen(pid, timeNs);
    }
}
