package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ApiCalls;
import io.inferscope.analyzer.activity.NamePatterns;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.launch.BlockingLaunches;
import io.inferscope.analyzer.launch.LaunchCosts;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.AdviceTable.Figure;
import io.inferscope.analyzer.rules.AdviceTable.Topic;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.analyzer.trust.MissingTime;
import java.util.Map;
import java.util.function.Predicate;

/** Advice against the time of a cause: the flag or call to change. */
public final class Advice {
    /** How to record a device that the program waits for. */
    public static final String RECORD_DEVICE =
            "record the device, too: `inferscope run --ops -- COMMAND` (windows of torch.profiler) or `nsys profile --trace=cuda,nvtx,osrt COMMAND`";

    private static final String ASK_LIBRARIES_LESS =
            "Look at what the named line asks of its library: ask less often or for less at once (an index instead of a full scan, a faster level or codec), "
                    + "use a library that does it in parallel, or run it for the next request while this one computes.";

    /** A launch takes some microseconds. */
    static final Threshold LOADS_CODE = new Threshold(
            "slow-launch-calls.code-ns",
            1_000_000,
            "length of a launch call from which on advice takes it to load code");

    private Advice() {}

    /**
     * Returns the advice for this program. It must match the recorded program; for a recording by {@code inferscope
     * run} it must not be to use that command.
     */
    static String against(LedgerClass cause, Analysis analysis) {
        return against(cause, analysis, Map.of());
    }

    /** The same for a finding with some figures. */
    static String against(LedgerClass cause, Analysis analysis, Map<Figure, Double> figures) {
        if (figures.getOrDefault(Figure.ONE_OFF, 0.0) == 1
                && isOfSteps(cause)
                && !isSlowCall(analysis, cause, figures)) {
            return of(Topic.ONE_OFF, analysis);
        }
        return switch (cause) {
            case FRAMEWORK_LAUNCH ->
                mostIs(LedgerClass.FRAMEWORK_LAUNCH, activity -> activity.contains("GraphLaunch"), analysis)
                        ? AdviceTable.of(Topic.GRAPH_LAUNCHES, Fact.of(analysis), figures)
                        : launchesWait(analysis)
                                ? AdviceTable.of(Topic.BLOCKING_LAUNCHES, Fact.of(analysis), figures)
                                : isSlowCall(analysis, cause, figures) || areFewAndSlow(analysis)
                                        ? AdviceTable.of(Topic.SLOW_LAUNCHES, Fact.of(analysis), figures)
                                        : launchLess(analysis);
            case FRAMEWORK_PYTHON, FRAMEWORK_DISPATCH, FRAMEWORK_LAUNCH_LATENCY -> launchLess(analysis);
            case FRAMEWORK_COMPILE_LOAD -> loadSooner(analysis);
            case COPY_H2D -> AdviceTable.of(Topic.HIDE_COPIES, Fact.of(analysis), figures);
            case GPU_COMMUNICATION -> AdviceTable.of(Topic.COMMUNICATION, Fact.of(analysis), figures);
            case WAIT_UNKNOWN -> waitLess(analysis);
            case UNATTRIBUTED -> Units.capitalised(toExplain(analysis)) + ": no evidence explains this time.";
            case CPU_TOKENIZATION -> AdviceTable.of(Topic.TOKENIZATION, Fact.of(analysis), figures);
            case CPU_PREPROCESSING -> AdviceTable.of(Topic.PREPROCESSING, Fact.of(analysis), figures);
            case CPU_SERIALIZATION -> AdviceTable.of(Topic.SERIALIZATION, Fact.of(analysis), figures);
            case CPU_PYTHON -> AdviceTable.of(Topic.PYTHON, Fact.of(analysis), figures);
            case CPU_CODE ->
                "Make the hottest lines cheaper, or run them for the next request while this one computes.";
            case CPU_UNKNOWN -> AdviceTable.of(Topic.HOST_CODE, Fact.of(analysis), figures);
            case LIBRARY_PYTHON -> ASK_LIBRARIES_LESS;
            case CPU_NATIVE ->
                computesOnCpu(analysis)
                        ? "Let the device do it: create tensors there (`device=\"cuda\"`) rather than filling them on the CPU and copying, and move what is left of the model."
                        : ASK_LIBRARIES_LESS;
            case KERNEL_PAGE_FAULT -> AdviceTable.of(Topic.TOUCH_LESS, Fact.of(analysis), figures);
            case KERNEL_FILE ->
                "Write and read less often and in larger pieces, in another thread, or keep the data in memory; do not open the same file in each step.";
            case KERNEL_PROCESS ->
                "Start fewer processes: keep a worker, or call the library instead of its command. From a large process, `os.posix_spawn` and `vfork` are cheaper than `fork`.";
            case KERNEL_MEMORY ->
                "Map and unmap less often: keep mappings and large buffers (`MALLOC_MMAP_THRESHOLD_` lets the C library keep them).";
            case KERNEL_NETWORK ->
                "Send and receive less often and in larger pieces, or share memory between the processes of one machine.";
            case KERNEL_OTHER -> "Call the kernel less often from the named lines.";
            case FRAMEWORK_ALLOCATION -> AdviceTable.of(Topic.ALLOCATION, Fact.of(analysis), figures);
            case FRAMEWORK_SYNC_RETURN ->
                analysis.devices().isEmpty()
                        ? Units.capitalised(RECORD_DEVICE) + ": what the program waits for is not in this recording."
                        : AdviceTable.of(Topic.SYNCHRONISE, Fact.of(analysis), figures);
            case WAIT_RUN_QUEUE -> AdviceTable.of(Topic.RUN_QUEUE, Fact.of(analysis), figures);
            case WAIT_GIL -> "Move the other thread's Python work into another process.";
            case WAIT_LOCK ->
                "Hold the lock for a shorter time, or split it."
                        + (analysis.service().isPresent()
                                ? " If it guards the model, answer several requests in one batch: one pass then serves all that wait."
                                : "");
            case WAIT_IO -> "Read ahead, or write and sync less often, in another thread; or keep the data in memory.";
            case WAIT_IDLE -> "This is no loss. To see what a request costs, send it load while it is recorded.";
            case WAIT_SOCKET -> AdviceTable.of(Topic.SOCKET, Fact.of(analysis), figures);
            case WAIT_TIMER ->
                "The program sleeps: wait for an event rather than polling with sleep. If a limit on the rate or a pause before a retry sleeps, it sets the pace.";
            case WAIT_PAGE_FAULT -> "Touch memory before the timed part, use huge pages, or lower memory pressure.";
            case WAIT_GC -> AdviceTable.of(Topic.GARBAGE_COLLECTION, Fact.of(analysis), figures);
            case WAIT_CHILD_PROCESS ->
                "The program waits for a child process: look at that process, or overlap the two.";
            case GPU_DEPENDENCY ->
                SharedDeviceRule.advice(analysis)
                        .orElse(
                                "The next operation is launched, and the device does not start it: look for event waits and streams that it waits for. The first use of a kernel and other processes on the device delay it too.");
            case PROFILER -> "The profiler causes this: record without stacks and shapes.";
            case CPU_MODEL_COMPUTE -> AdviceTable.of(Topic.COMPUTE_ON_CPU, Fact.of(analysis), figures);
            case GPU_COMPUTE -> AdviceTable.of(Topic.GPU_COMPUTE, Fact.of(analysis), figures);
            case COPY_D2H -> AdviceTable.of(Topic.COPY_BACK_LESS, Fact.of(analysis), figures);
            case COPY_OTHER -> AdviceTable.of(Topic.COPY_LESS, Fact.of(analysis), figures);
        };
    }

    /** Returns whether advice against a cause is about steps that repeat. */
    private static boolean isOfSteps(LedgerClass cause) {
        return cause.isLaunching() || cause == LedgerClass.CPU_PYTHON || cause == LedgerClass.FRAMEWORK_SYNC_RETURN;
    }

    private static boolean isSlowCall(Analysis analysis, LedgerClass cause, Map<Figure, Double> figures) {
        return cause == LedgerClass.FRAMEWORK_LAUNCH
                && figures.getOrDefault(Figure.CALL_NS, 0.0) >= analysis.threshold(LOADS_CODE);
    }

    /** Returns the rows about a topic that fit a recording. */
    static String of(Topic topic, Analysis analysis) {
        return AdviceTable.of(topic, analysis);
    }

    /**
     * Returns what to record to explain more, as part of a sentence. InferScope's own recordings already have thread
     * states, so only names of activities are missing.
     */
    public static String toExplain(Analysis analysis) {
        if (!MissingTime.of(analysis).isSmall()) {
            return MissingTime.remedy(analysis);
        }
        return analysis.isRun()
                ? "name the parts of the program with `scope(\"...\")`, in Python or Java"
                : "record the host side too, with `inferscope run -- COMMAND`";
    }

    /** Returns whether a GPU runs kernels of a program of which no framework for models is known. */
    public static boolean isOfNoFramework(Analysis analysis) {
        return Fact.of(analysis).contains(Fact.OWN_KERNELS);
    }

    /** Returns how to launch less in this program. */
    static String launchLess(Analysis analysis) {
        return of(Topic.LAUNCH_LESS, analysis);
    }

    private static boolean launchesWait(Analysis analysis) {
        return !analysis.devices().isEmpty() && BlockingLaunches.of(analysis).areFound();
    }

    /** Returns whether a few long calls take most of the launch time: fewer launches would not remove them. */
    private static boolean areFewAndSlow(Analysis analysis) {
        return !analysis.devices().isEmpty()
                && 2 * LaunchCosts.of(analysis).slow().totalNs(analysis.idle())
                        > analysis.ledger().ns(LedgerClass.FRAMEWORK_LAUNCH);
    }

    private static String loadSooner(Analysis analysis) {
        if (mostIs(LedgerClass.FRAMEWORK_COMPILE_LOAD, ApiCalls::unloadsCode, analysis)) {
            return "Unload no code before the process ends: with its context, all of it goes at once. Keep modules that are used again, and load fewer of them.";
        }
        boolean firstCall = mostIs(LedgerClass.FRAMEWORK_COMPILE_LOAD, ApiCalls::makesContext, analysis);
        return of(firstCall ? Topic.MAKE_CONTEXT : Topic.LOAD_SOONER, analysis);
    }

    /** Returns whether the native code that a device waits for most is an operator of PyTorch. */
    private static boolean computesOnCpu(Analysis analysis) {
        return mostIs(LedgerClass.CPU_NATIVE, activity -> activity.contains("aten::"), analysis);
    }

    /** Returns whether a device waits most, of what it waits for by one cause, for such an activity. */
    private static boolean mostIs(LedgerClass cause, Predicate<String> activity, Analysis analysis) {
        return !analysis.devices().isEmpty()
                && analysis.blameFigures().stream()
                        .filter(b -> b.cause() == cause)
                        .findFirst()
                        .filter(b -> activity.test(b.activity()))
                        .isPresent();
    }

    private static String waitLess(Analysis analysis) {
        boolean ranks = Tables.of(analysis).rows(TableId.SCOPES).stream()
                .anyMatch(s -> s.ledgerClass() == LedgerClass.WAIT_UNKNOWN && NamePatterns.isCollective(s.name()));
        if (ranks) {
            return "A collective waits for the slowest rank: record every rank, and look at what the late ones do before they join it.";
        }
        return analysis.isRun()
                ? "Look at what runs while this thread waits (see the evidence and the table of threads), and make it faster or overlap it."
                : "The thread waits, and the recording does not show for what: record with `inferscope run`, which shows the other side.";
    }
}
