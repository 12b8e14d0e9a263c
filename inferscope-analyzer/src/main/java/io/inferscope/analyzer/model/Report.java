package io.inferscope.analyzer.model;

import static io.inferscope.analyzer.model.ColumnKind.BYTES_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.BYTES_PER_SECOND;
import static io.inferscope.analyzer.model.ColumnKind.CLASS;
import static io.inferscope.analyzer.model.ColumnKind.COUNT;
import static io.inferscope.analyzer.model.ColumnKind.COUNTS;
import static io.inferscope.analyzer.model.ColumnKind.ERROR_NS;
import static io.inferscope.analyzer.model.ColumnKind.FLAG;
import static io.inferscope.analyzer.model.ColumnKind.ID;
import static io.inferscope.analyzer.model.ColumnKind.NAME;
import static io.inferscope.analyzer.model.ColumnKind.NAME_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.NS;
import static io.inferscope.analyzer.model.ColumnKind.NS_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.POINT;
import static io.inferscope.analyzer.model.ColumnKind.WORDS;
import static io.inferscope.analyzer.model.ColumnKind.WORDS_OR_NONE;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.merge.TimelineMerge.Source;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The complete result of an analysis. Renderers turn it into text; equal reports give equal bytes.
 *
 * @param title what was analysed: a file or program name without folders
 * @param originUnixNs Unix time, in ns, of the axis' zero
 * @param window the explained time: first to last recorded activity
 * @param recordedNs the length of the recording that it is a part of, in ns; of the window if it is on all of it
 * @param judged the part that the verdict is about
 * @param verdict what limits the program
 * @param ledgers all ledgers, the headline's first; one of them has part {@code window}
 * @param rollup ledger of the window, in lines for people, in fixed order, summing to the window
 * @param diagnosis short sentences, most important first
 * @param suggestions what to change, the costliest loss first
 * @param tables its tables
 * @param findings findings of the rules, most important first
 * @param outcomes outcome of every rule, in the rules' order
 * @param trust checks of the trust gate
 * @param sources the recordings that were put on one timeline, empty when there is only one
 * @param coverage what each recorder saw
 * @param overheads what each recorder cost in all of the recording
 * @param importStats numbers of events that the import dropped or repaired
 * @param notes remarks that change how figures must be read
 * @param failures parts of the analysis that failed by a defect of InferScope; the other parts are valid
 */
public record Report(
        String title,
        long originUnixNs,
        Stretch window,
        long recordedNs,
        Judged judged,
        BoundVerdict verdict,
        List<Ledger> ledgers,
        Map<LedgerClass.Rollup, Long> rollup,
        List<String> diagnosis,
        List<String> suggestions,
        TableRows tables,
        List<Finding> findings,
        List<RuleOutcome> outcomes,
        List<TrustCheck> trust,
        List<Source> sources,
        List<TimelineInfo.Coverage> coverage,
        List<TimelineInfo.RecorderOverhead> overheads,
        ImportStats importStats,
        List<String> notes,
        List<Failure> failures)
        implements FigureTables {

    @Override
    public <R extends Record & Row> List<R> rows(TableId<R> table) {
        return tables.rows(table);
    }

    @Override
    public TableNotes notesOnTables() {
        return tables.notesOnTables();
    }

    /** The subject of the ledger of a recording without any activity. */
    public static final String PROGRAM_SUBJECT = "program";

    /** Prefix of the subject of a device's ledger; the device's id follows. */
    public static final String DEVICE_SUBJECT = "device ";

    /** Returns the judged device; empty if a thread is judged. */
    public Optional<DeviceFigures> judgedDevice() {
        return rows(DEVICES).stream()
                .filter(device -> judged.subject().equals(DEVICE_SUBJECT + device.id()))
                .findFirst();
    }

    /** Returns a ledger of the judged subject by its part; empty when there is none. */
    public Optional<Ledger> ledger(LedgerPart part) {
        return ledgers.stream()
                .filter(ledger -> ledger.part() == part && ledger.subject().equals(judged.subject()))
                .findFirst();
    }

    public boolean hasDeviceWork() {
        return !rows(DEVICES).isEmpty();
    }

    /** A stretch {@code [startNs, endNs)} of the axis. */
    public record Stretch(long startNs, long endNs) {
        /** Returns its length in ns. */
        public long durationNs() {
            return endNs - startNs;
        }

        /** Returns whether a time is in it. */
        public boolean holds(long ns) {
            return startNs <= ns && ns < endNs;
        }

        /** Returns how much of {@code [fromNs, toNs)} is in it, in ns. */
        public long overlapNs(long fromNs, long toNs) {
            return Math.max(0, Math.min(toNs, endNs) - Math.max(fromNs, startNs));
        }
    }

    /**
     * The part of the recording that the verdict judges.
     *
     * @param what the span, the window or the steady state
     * @param subject the device or thread whose ledger is judged
     * @param stretch when it was
     */
    public record Judged(LedgerPart what, String subject, Stretch stretch) {}

    public static final TableId<DeviceFigures> DEVICES = new TableId<>("devices", DeviceFigures.class);

    /** Figures of one device. Idle and busy are unions over all its streams. */
    public record DeviceFigures(
            String id,
            String name,
            Map<String, Long> operations,
            long firstNs,
            long lastNs,
            long spanNs,
            long busyNs,
            long spanIdleNs,
            long windowIdleNs,
            long computeNs,
            long exposedCommunicationNs,
            long exposedH2dNs,
            long exposedD2hNs,
            long exposedOtherCopyNs,
            long gaps,
            long longestGapNs)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("id", WORDS, "Device", id).doc("the device");
            to.add("name", NAME, "Name", name).doc("its model");
            to.add("operations", COUNTS, "Operations", operations)
                    .doc("how many operations of each class: `compute`, `comm`, `h2d`, `d2h`, `other`");
            to.add("firstNs", POINT, "", firstNs).doc("start of its first operation");
            to.add("lastNs", POINT, "", lastNs).doc("end of its last one");
            to.add("spanNs", NS, "Span", spanNs).doc("from the first operation's start to the last one's end");
            to.add("busyNs", NS, "Busy", busyNs).doc("time in which it did anything");
            to.add("spanIdleNs", NS, "Span idle", spanIdleNs).doc("time of the span in which it did nothing");
            to.add("windowIdleNs", NS, "Window idle", windowIdleNs).doc("time of the window in which it did nothing");
            to.add("computeNs", NS, "", computeNs).doc("time in kernels that are not communication");
            to.add("exposedCommunicationNs", NS, "", exposedCommunicationNs)
                    .doc("time of communication that no such kernel hides");
            to.add("exposedH2dNs", NS, "", exposedH2dNs).doc("time of H2D copies that none of the above hides");
            to.add("exposedD2hNs", NS, "", exposedD2hNs).doc("time of D2H copies that none of the above hides");
            to.add("exposedOtherCopyNs", NS, "", exposedOtherCopyNs)
                    .doc("time of other copies that none of the above hides");
            to.add("gaps", COUNT, "Gaps", gaps).doc("idle gaps in the span");
            to.add("longestGapNs", NS, "Longest gap", longestGapNs).doc("the longest of them");
        }
    }

    public static final TableId<BlameFigures> IDLE_BLAME = new TableId<>("idleBlame", BlameFigures.class);

    /** Idle time of one device with one cause at one place. */
    public record BlameFigures(
            String device,
            LedgerPart phase,
            String thread,
            LedgerClass cause,
            ThreadState state,
            String activity,
            String where,
            long ns,
            long gaps,
            boolean estimated,
            long boundNs)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("device", WORDS, "Device", device).doc("the idle device");
            to.add("phase", ID, "Phase", phase).doc("`head`, `span` or `tail`");
            to.add("thread", NAME_OR_NONE, "", thread).doc("the host thread that the device waited for");
            to.add("cause", CLASS, "Cause", cause).doc("the class of the ledger");
            to.add("state", ID, "State", state)
                    .doc("the thread's state: `running`, `runnable`, a wait, or `not recorded`");
            to.add("activity", NAME_OR_NONE, "Activity", activity).doc("innermost scope, operator, function or call");
            to.add("where", NAME_OR_NONE, "Line", where).doc("`file:line` of the innermost user frame");
            to.shown(NAME, "Thread", thread);
            to.add("ns", NS, "Idle", ns).doc("the idle time");
            to.add("gaps", COUNT, "Gaps", gaps).doc("how many gaps have a part in it");
            to.basis(estimated, boundNs);
        }
    }

    public static final TableId<ScopeFigures> SCOPES = new TableId<>("scopes", ScopeFigures.class);

    /** Figures of one annotation name. Recursive uses count once. */
    public record ScopeFigures(
            String name,
            String where,
            LedgerClass ledgerClass,
            long count,
            long wallNs,
            long selfNs,
            @Nullable Long onCpuNs,
            long deviceBusyNs,
            long deviceIdleNs,
            boolean own,
            long judgedNs)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("name", NAME, "Annotation", name).doc("the annotation; recursive uses count once");
            to.add("where", NAME_OR_NONE, "", where).doc("where it is opened");
            to.add("class", CLASS, "Class", ledgerClass).doc("the class of its own time");
            to.add("count", COUNT, "Count", count).doc("uses");
            to.add("wallNs", NS, "Wall", wallNs).doc("time from start to end, summed over uses");
            to.add("selfNs", NS, "Self", selfNs).doc("the same without annotations inside");
            to.add("onCpuNs", NS_OR_NONE, "", onCpuNs).doc("CPU time of its thread inside");
            to.add("deviceBusyNs", NS, "Device busy", deviceBusyNs).doc("time under it in which any device was busy");
            to.add("deviceIdleNs", NS, "Device idle", deviceIdleNs)
                    .doc("time under it in which no device was busy; 0 without devices");
            to.add("own", FLAG, "", own).doc("whether the program sets it, rather than a recorder");
            to.add("judgedNs", NS, "", judgedNs).doc("time in the judged part, on the judged threads");
            to.shown(NAME, "Line", where);
        }
    }

    public static final TableId<KernelFigures> KERNELS = new TableId<>("kernels", KernelFigures.class);

    public record KernelFigures(
            String name,
            String device,
            boolean communication,
            long count,
            long totalNs,
            long minNs,
            long maxNs,
            @Nullable Long launchLatencyNs,
            @Nullable Long queueDelayNs,
            String operator,
            KernelCategory category,
            String library)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("name", NAME, "Kernel", name).doc("the kernel");
            to.add("device", WORDS, "", device).doc("the device");
            to.shown(WORDS, "Device", device + (communication ? " (communication)" : ""));
            to.add("communication", FLAG, "", communication).doc("whether it is a communication kernel");
            to.add("count", COUNT, "Count", count).doc("how often it ran");
            to.add("totalNs", NS, "Total", totalNs).doc("its time, summed");
            to.shown(NS, "Mean", totalNs / Math.max(1, count));
            to.add("minNs", NS, "Min", minNs).doc("the shortest run");
            to.add("maxNs", NS, "Max", maxNs).doc("the longest run");
            to.add("launchLatencyNs", NS_OR_NONE, "Launch latency", launchLatencyNs)
                    .doc("median from the launch call's start to the kernel's start");
            to.add("queueDelayNs", NS_OR_NONE, "Queue delay", queueDelayNs)
                    .doc("median from the launch call's end to the kernel's start; negative ones count as 0");
            to.add("operator", NAME_OR_NONE, "Operator", operator).doc("the operator that launches it most");
            to.add("category", ID, "Computes", category).doc("what it computes, by its name");
            to.add("library", NAME_OR_NONE, "Library", library).doc("the library that it belongs to, by its name");
        }
    }

    public static final TableId<CopyFigures> COPIES = new TableId<>("copies", CopyFigures.class);

    public record CopyFigures(
            String device,
            CopyDirection direction,
            String memoryKinds,
            long count,
            @Nullable Long sizeBytes,
            long totalNs,
            long maxNs)
            implements Row {
        /** Returns their size in bytes, as far as it is recorded. */
        public long recordedBytes() {
            return Objects.requireNonNullElse(sizeBytes, 0L);
        }

        @Override
        public void columns(Columns to) {
            to.add("device", WORDS, "", device).doc("the device");
            to.add("direction", ID, "Direction", direction).doc("`H2D`, `D2H`, `D2D`, `P2P`, `memset` or `other`");
            to.add("memoryKinds", WORDS_OR_NONE, "Memory", memoryKinds).doc("such as `Pageable -> Device`");
            to.shown(WORDS, "Device", device);
            to.add("count", COUNT, "Count", count).doc("copies and memory sets");
            to.add("sizeBytes", BYTES_OR_NONE, "Bytes", sizeBytes).doc("their size, summed");
            to.add("totalNs", NS, "Total", totalNs).doc("their time, summed");
            to.add("maxNs", NS, "Longest", maxNs).doc("the longest");
            to.shown(BYTES_PER_SECOND, "Rate", sizeBytes == null || totalNs <= 0 ? null : sizeBytes * 1e9 / totalNs);
        }
    }

    public static final TableId<OperatorFigures> OPERATORS = new TableId<>("operators", OperatorFigures.class);

    public record OperatorFigures(
            String name, long count, long totalNs, long selfNs, long deviceNs, long launches, String inputDims)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("name", NAME, "Operator", name).doc("the operator");
            to.add("count", COUNT, "Count", count).doc("calls");
            to.add("totalNs", NS, "Total", totalNs).doc("host time, recursive calls counted once");
            to.add("selfNs", NS, "Self", selfNs).doc("host time outside operators inside");
            to.add("deviceNs", NS, "Device", deviceNs).doc("time of device operations launched directly under it");
            to.add("launches", COUNT, "Launches", launches).doc("device operations it launched");
            to.add("inputDims", NAME_OR_NONE, "Most frequent input", inputDims)
                    .doc("its most frequent input dimensions");
        }
    }

    public static final TableId<ThreadFigures> THREADS = new TableId<>("threads", ThreadFigures.class);

    /** Figures of one host thread. */
    public record ThreadFigures(
            String process,
            String thread,
            @Nullable Long onCpuNs,
            @Nullable Long runnableNs,
            long recordedNs,
            long launches)
            implements Row {
        /** Suffix of the label of a recorder thread that InferScope runs in the program. */
        public static final String RECORDERS = ", InferScope's own";

        /** Returns its CPU time in ns, 0 if it is not recorded. */
        public long recordedCpuNs() {
            return Objects.requireNonNullElse(onCpuNs, 0L);
        }

        /** Returns whether the thread is one of InferScope's recorders. */
        public boolean isRecorders() {
            return thread.endsWith(RECORDERS);
        }

        @Override
        public void columns(Columns to) {
            to.add("process", NAME, "Process", process).doc("the process");
            to.add("thread", NAME, "Thread", thread)
                    .doc("its id, its name where it has one, and whether it is one of InferScope's recorders");
            to.add("onCpuNs", NS_OR_NONE, "CPU", onCpuNs).doc("CPU time");
            to.add("runnableNs", NS_OR_NONE, "Waited for a CPU", runnableNs).doc("time runnable but not running");
            to.add("recordedNs", NS, "Recorded activity", recordedNs).doc("union of what is known of its activity");
            to.add("launches", COUNT, "Launches", launches).doc("device operations it launched");
        }
    }

    public static final TableId<LaunchFigures> LAUNCHES = new TableId<>("launches", LaunchFigures.class);

    public record LaunchFigures(
            String device,
            long operations,
            long withoutLaunch,
            long graphReplayed,
            @Nullable Long minLatencyNs,
            @Nullable Long medianLatencyNs,
            @Nullable Long p95LatencyNs,
            @Nullable Long medianQueueDelayNs)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("device", WORDS, "Device", device).doc("the device");
            to.add("operations", COUNT, "Operations", operations).doc("operations of the device");
            to.add("withoutLaunch", COUNT, "Launch not recorded", withoutLaunch)
                    .doc("those whose launch is not in the recording");
            to.add("graphReplayed", COUNT, "Replayed by a graph", graphReplayed)
                    .doc("those replayed by a graph launch");
            to.add("minLatencyNs", NS_OR_NONE, "Least latency", minLatencyNs)
                    .doc("smallest launch latency of operations launched one by one");
            to.add("medianLatencyNs", NS_OR_NONE, "Median latency", medianLatencyNs)
                    .doc("median launch latency");
            to.add("p95LatencyNs", NS_OR_NONE, "95th percentile", p95LatencyNs)
                    .doc("95th percentile of launch latency");
            to.add("medianQueueDelayNs", NS_OR_NONE, "Median queue delay", medianQueueDelayNs)
                    .doc("median queue delay");
        }
    }

    public static final TableId<SampleFigures> SAMPLED_LINES = new TableId<>("sampledLines", SampleFigures.class);

    public static final TableId<SampleFigures> SAMPLED_FUNCTIONS =
            new TableId<>("sampledFunctions", SampleFigures.class);

    /** Stack samples taken at one place of the code, over all threads. */
    public record SampleFigures(
            String place,
            LedgerClass ledgerClass,
            long samples,
            long selfNs,
            long boundNs,
            long totalNs,
            String callers,
            String columns,
            String beneath)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("place", NAME, "Place", place)
                    .doc("a line of the program's own code as `file:line function`, or a function");
            to.add("class", CLASS, "Class", ledgerClass)
                    .doc("the class of the ledger that most of its samples belong to");
            to.add("samples", COUNT, "Samples", samples).doc("how many");
            to.add("selfNs", NS, "Self", selfNs).doc("the time they stand for");
            to.add("boundNs", ERROR_NS, "Off by at most", boundNs).doc("how far that may be off, either way");
            to.add("totalNs", NS, "Total", totalNs)
                    .doc("the time of all samples with the place anywhere on their stack, recursion counted once");
            to.add("callers", NAME_OR_NONE, "Called from", callers)
                    .doc(
                            "the lines of the program's own code that called it, with their share of its samples, at most two; null where none did");
            to.add("columns", NAME_OR_NONE, "Columns", columns)
                    .doc(
                            "the columns of the expressions at which most of its samples were taken, from 1, as `first-last` with their share, without `last` where it is on another line; null where none is known: before Python 3.11, and for a line that was in a call of another Python function");
            to.add("beneath", NAME_OR_NONE, "Beneath it", beneath)
                    .doc(
                            "the native functions in which most of its samples were taken, as `function [library]` with their share; null where none were");
        }
    }

    /**
     * The outcome of one rule.
     *
     * @param rule its id
     * @param title what it looks for
     * @param outcome its outcome
     * @param because why it is clean or not applicable; empty when found
     */
    public record RuleOutcome(String rule, String title, Outcome outcome, String because) {
        /** The answers of a rule. */
        public enum Outcome implements HasStableId {
            FOUND,
            CLEAN,
            /** The rule found something, but another finding explains the same time in more detail. */
            TOLD_ELSEWHERE,
            NOT_APPLICABLE,
            /** The rule itself failed: see {@link Report#failures()}. */
            FAILED;
        }
    }

    /**
     * A part of the analysis that failed by a defect of InferScope.
     *
     * @param part the missing part of the report, such as {@code rule gpu-idle} or {@code table kernels}
     * @param problem the exception
     */
    public record Failure(String part, String problem) {
        /** Describes an exception. */
        public static Failure of(String part, Throwable problem) {
            return new Failure(part, describe(problem));
        }

        /** Returns an exception in one line. */
        public static String describe(Throwable problem) {
            String message = problem.getMessage();
            return problem.getClass().getSimpleName()
                    + (message == null ? "" : ": " + message.lines().findFirst().orElse(""));
        }
    }

    /**
     * One check of the trust gate.
     *
     * @param check its id
     * @param passed whether the recording passed
     * @param withholds whether a failure withholds the verdict
     * @param detail what was checked and seen
     * @param remedy how to record it better next time; empty when passed
     */
    public record TrustCheck(String check, boolean passed, boolean withholds, String detail, String remedy) {}
}
