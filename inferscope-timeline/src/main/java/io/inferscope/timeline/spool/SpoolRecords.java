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
    /** Stamps further than this from the spool's opening are taken for damage: 400 days. */
    private static final long PLAUSIBLE_NS = 400L * 86_400 * 1_000_000_000L;

    /** The recorder that starts the command and sees it end. */
    private static final String HOST = "host";

    private static final int FLAG_USER = 1;
    private static final int NOT_NEEDED = 1;

    private final SpoolHeader header;
    private final SpoolTexts texts;
    private final SpoolRun run;
    private final ImportStats.Builder stats;
    private final List<OpenSpan> openSpans = new ArrayList<>();
    private final Map<String, Coverage> coverage = new LinkedHashMap<>();
    private final CommandEnd command = new CommandEnd();
    private long lastNs;

    private record OpenSpan(int row, int pid) {}

    SpoolRecords(SpoolHeader header, SpoolTexts texts, SpoolRun run, ImportStats.Builder stats) {
        this.header = header;
        this.texts = texts;
        this.run = run;
        this.stats = stats;
        lastNs = header.openedNs();
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
                run.threadName(pid(view, 24), view.i32(8), text(view, 12), header.pid() != 0);
            case SpoolRecordView.SPAN -> span(view);
            case SpoolRecordView.MARK -> mark(view);
            case SpoolRecordView.THREAD_STATE -> threadState(view);
            case SpoolRecordView.COVERAGE -> coverage(view);
            case SpoolRecordView.COUNTER -> counter(view);
            case SpoolRecordView.OVERHEAD ->
                run.builder().overhead(new RecorderOverhead(text(view, 24), view.i64(8), view.i64(16), view.i64(32)));
            case SpoolRecordView.UNFINISHED -> stats.count(Reason.UNFINISHED_RECORD, view.fileOffset(), "");
            default -> stats.count(Reason.UNKNOWN_RECORD, view.fileOffset(), "type " + view.type());
        }
    }

    /** Leaves what needs all files: spans still open are closed when the ends of all processes are known. */
    void finish() {
        for (OpenSpan span : openSpans) {
            run.openSpan(span.row(), span.pid(), lastNs);
        }
        coverage.values().forEach(run::coverage);
        if (isHost() && command.wasCut(header)) {
            stats.count(Reason.RECORDING_CUT, -1, header.source());
        }
        stats.count(Reason.OPEN_SPAN, openSpans.size(), -1, header.source());
    }

    private void process(SpoolRecordView view) {
        if (!isPlausible(view, view.i64(8)) || (view.i64(32) != 0 && !isPlausible(view, view.i64(32)))) {
            return;
        }
        ProcessSeen seen = new ProcessSeen(
                view.i64(8), view.i64(32), view.i32(16), view.i32(20), text(view, 24), text(view, 28), view.i32(40));
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
        if (realtimeNs > 0 && isPlausible(view, monotonicNs)) {
            run.anchor(new ClockAnchor(realtimeNs, monotonicNs, view.u32(36)));
        }
    }

    private void span(SpoolRecordView view) {
        long startNs = view.i64(8);
        long endNs = view.i64(16);
        boolean open = endNs == 0;
        if (!isPlausible(view, startNs) || !isInterval(view, startNs, open ? startNs : endNs)) {
            return;
        }
        int pid = pid(view, 52);
        Activity activity = Activity.of(view.u16(32));
        RowKind kind = activity == Activity.GARBAGE_COLLECTION ? RowKind.GC : RowKind.ANNOTATION;
        int row =
                run.builder().row(kind, run.thread(pid, view.i32(24)), startNs, open ? startNs : endNs, name(view, 28));
        run.builder().attribute(row, Attribute.ACTIVITY, activity.ordinal());
        if ((view.flags() & FLAG_USER) != 0) {
            run.builder().attribute(row, Attribute.USER_SCOPE, 1);
        }
        textAttribute(view, 36, row, Attribute.WHERE);
        textAttribute(view, 48, row, Attribute.DETAIL);
        value(row, activity, view.i64(40), view.i32(48) != 0);
        if (open) {
            openSpans.add(new OpenSpan(row, pid));
        }
        if (activity == Activity.INTERPRETER) {
            run.interpreter(pid, view.i32(24), row);
        }
        seen(pid, Math.max(startNs, endNs));
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
        if (!isPlausible(view, timeNs)) {
            return;
        }
        int pid = pid(view, 28);
        int row = run.builder().row(RowKind.INSTANT, run.thread(pid, view.i32(16)), timeNs, timeNs, name(view, 20));
        textAttribute(view, 24, row, Attribute.DETAIL);
        seen(pid, timeNs);
    }

    private void threadState(SpoolRecordView view) {
        long startNs = view.i64(8);
        long endNs = view.i64(16);
        if (!isPlausible(view, startNs) || !isInterval(view, startNs, endNs)) {
            return;
        }
        int pid = pid(view, 44);
        long onCpuNs = clamp(view.i64(24), endNs - startNs);
        long runnableNs = clamp(view.i64(32), endNs - startNs - onCpuNs);
        WaitReason reason = WaitReason.of(view.u16(48));
        int name = run.builder().name(stateName(onCpuNs, runnableNs, endNs - startNs - onCpuNs - runnableNs, reason));
        int row = run.builder().row(RowKind.THREAD_STATE, run.thread(pid, view.i32(40)), startNs, endNs, name);
        run.builder().attribute(row, Attribute.ON_CPU_NS, onCpuNs);
        run.builder().attribute(row, Attribute.RUNNABLE_NS, runnableNs);
        run.builder().attribute(row, Attribute.WAIT_REASON, reason.ordinal());
        run.builder().attribute(row, Attribute.PAGE_FAULTS, view.u32(52) + view.u32(56));
        textAttribute(view, 68, row, Attribute.DETAIL);
        seen(pid, endNs);
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
        Coverage said = new Coverage(text(view, 8), view.i64(16), view.i64(24), text(view, 12));
        coverage.put(said.source(), said); // A later word on one source counts.
    }

    private void counter(SpoolRecordView view) {
        long timeNs = view.i64(8);
        if (!isPlausible(view, timeNs)) {
            return;
        }
        int pid = pid(view, 28);
        String name = text(view, 24);
        int row = run.builder()
                .row(
                        RowKind.COUNTER,
                        run.counter(pid, name),
                        timeNs,
                        timeNs,
                        run.builder().name(name));
        run.builder().attribute(row, Attribute.COUNTER_VALUE, view.i64(16));
        seen(pid, timeNs);
    }

    private void seen(int pid, long timeNs) {
        lastNs = Math.max(lastNs, timeNs);
        run.seen(pid, timeNs);
    }

    private int pid(SpoolRecordView view, int field) {
        int pid = view.i32(field);
        return pid != 0 ? pid : header.pid();
    }

    private String text(SpoolRecordView view, int field) {
        String text = texts.text(view.i32(field));
        if (text == null) {
            stats.count(Reason.BAD_TEXT, view.fileOffset(), "text id " + view.i32(field) + " is lost");
            return "";
        }
        return text;
    }

    private int name(SpoolRecordView view, int field) {
        return run.builder().name(text(view, field));
    }

    private void textAttribute(SpoolRecordView view, int field, int row, Attribute attribute) {
        if (view.i32(field) != 0) {
            run.builder().attribute(row, attribute, name(view, field));
        }
    }

    private boolean isPlausible(SpoolRecordView view, long timeNs) {
        boolean plausible = timeNs >= 0 && Math.abs(timeNs - Math.max(0, header.openedNs())) <= PLAUSIBLE_NS;
        if (!plausible) {
            stats.count(Reason.BAD_TIMESTAMP, view.fileOffset(), "time " + timeNs);
        }
        return plausible;
    }

    private boolean isInterval(SpoolRecordView view, long startNs, long endNs) {
        boolean good = endNs >= startNs && endNs - startNs <= PLAUSIBLE_NS;
        if (!good) {
            stats.count(Reason.BAD_TIMESTAMP, view.fileOffset(), "interval " + startNs + " to " + endNs);
        }
        return good;
    }

    private static long clamp(long value, long limit) {
        return Math.max(0, Math.min(value, limit));
    }
}
