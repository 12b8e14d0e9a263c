package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.CpuUse;
import io.inferscope.analyzer.analysis.Pools;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.launch.LaunchCosts;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.steps.StepNames;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TrackKind;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Properties of a recording's program and machine that advice depends on. */
enum RecordingProperty {
    /** Device work is recorded. */
    GPU,
    /** The devices are NVIDIA's, by calls or names. */
    NVIDIA,
    /** The devices are AMD's, by calls, kernels or names. */
    AMD,
    /** The devices are neither NVIDIA's nor AMD's, by calls or names. */
    OTHER_VENDOR,
    /** The judged thread is a JVM's. */
    JVM,
    /** The judged thread is one of a recorded program without Python or a JVM. */
    NATIVE,
    /** The judged process started others in the judged part that ended in it. */
    PASSING_CHILDREN,
    /**
     * The recording is not one of a runtime other than PyTorch, nor of a JVM. It must show code of PyTorch if it is of
     * an observed program without device work, or if it shows a program other than Python.
     */
    TORCH,
    /** NVIDIA's device runs kernels of a program that no framework for models wrote. */
    OWN_KERNELS,
    /** Code of the package transformers is recorded. */
    TRANSFORMERS,
    /** ONNX Runtime wrote the recording. */
    ONNX,
    /** JAX or TensorFlow wrote the recording, or their code is recorded, and none of PyTorch. */
    XLA,
    /** The recorder combines the kernels of an inference into one block. */
    BLOCKS,
    /** TensorRT's trtexec wrote the recording. */
    TENSORRT,
    VLLM,
    SGLANG,
    /** PyTorch's data loader hands out batches that worker processes made. */
    LOADER_WORKERS,
    /** Backward passes or optimizer steps are recorded. */
    TRAINING,
    /** Forward passes record a graph for gradients, and nothing computes any. */
    NEEDLESS_GRAPH,
    /** Code of Inductor checks the sizes of tensors many times. */
    SIZE_CHECKS,
    /** FSDP shards the weights over ranks, and gathers those of a layer before it computes. */
    FSDP,
    /** Attention runs in kernels that cuDNN generates for each shape. */
    CUDNN_ATTENTION,
    /** Threads that launch work come and go: in the judged part there is one for two steps or fewer. */
    NEW_THREADS,
    /** A fused attention runs already. */
    FUSED_ATTENTION,
    /** The GPU's compute share of the judged part makes the program GPU-bound. */
    GPU_BUSY,
    /**
     * At least a fourth of the judged thread's own Python, by samples, calls a library for models so briefly that the
     * call costs more than its work.
     */
    BRIEF_CALLS,
    /** At least a fourth of the judged thread's preprocessing, by samples, makes tensors of numbers in Python's lists. */
    READS_LISTS,
    /** The program calls for most of its collections of garbage. */
    COLLECTS_ITSELF,
    /** At least half of the time of its collections is during imports and loading, or when the interpreter ends. */
    COLLECTS_AT_ENDS,
    /** The headline device's copies to or from the host are pages of unified memory that moved when they were touched. */
    UNIFIED_MEMORY,
    /** The driver allocates and frees memory about as often as kernels are launched: no allocator keeps what is freed. */
    UNCACHED_ALLOCATIONS,
    /** Another device works nearly all the time that the headline device is idle. */
    DEVICES_TAKE_TURNS,
    /** Most kernels of the judged part are nodes of graphs. */
    REPLAYS_GRAPHS,
    /** All recorded copies from the host come from pinned memory. */
    PINNED_INPUT,
    /** More threads of the judged process are ready to run than it has CPUs. */
    TOO_MANY_THREADS,
    /** All CPUs that the judged process may use are busy in the judged part. */
    BUSY_CPUS,
    /** All CPUs are busy, with other programs more than with the program's own other threads and processes. */
    OTHERS_USE_CPUS,
    /** Several threads of the judged process run code of the program. */
    OWN_THREADS,
    /** At least two of these threads form a pool. */
    POOL,
    /** The threads of a pool pass through a lock one by one. */
    TAKES_TURNS;

    /** Fewer threads may be those of a pool. */
    private static final int LEAST_NEW_THREADS = 8;

    private static final double MOST_OF_IDLE = 0.9;

    /** So many checks are worth a word. A compiled region makes some per kernel. */
    private static final int MANY_CHECKS = 1_000;

    /** The facts that were looked for, and those of them that hold. */
    private record Known(Set<RecordingProperty> facts, Set<RecordingProperty> holding) {
        Known(Analysis analysis) {
            this(EnumSet.noneOf(RecordingProperty.class), EnumSet.noneOf(RecordingProperty.class));
        }
    }

    /** Returns whether this holds for a recording. It is looked for when somebody asks: most advice depends on few. */
    boolean holds(Analysis analysis) {
        Known known = analysis.once(Known.class, Known::new);
        if (known.facts.add(this) && find(analysis)) {
            known.holding.add(this);
        }
        return known.holding.contains(this);
    }

    private boolean find(Analysis analysis) {
        String format = analysis.timeline().info().format();
        return switch (this) {
            case GPU -> !analysis.devices().isEmpty();
            case NVIDIA -> GPU.holds(analysis) && isNvidias(analysis) && !isAmds(analysis);
            case AMD -> GPU.holds(analysis) && isAmds(analysis);
            case OTHER_VENDOR -> GPU.holds(analysis) && isOthers(analysis);
            case JVM -> isJvm(analysis);
            case NATIVE -> !JVM.holds(analysis) && isNative(analysis);
            case PASSING_CHILDREN -> hasPassingChildren(analysis);
            case TORCH ->
                !ONNX.holds(analysis)
                        && !XLA.holds(analysis)
                        && !TENSORRT.holds(analysis)
                        && !JVM.holds(analysis)
                        && mayRunTorch(analysis);
            case OWN_KERNELS ->
                NVIDIA.holds(analysis)
                        && Stream.of(JVM, TORCH, ONNX, XLA, TENSORRT).noneMatch(fact -> fact.holds(analysis));
            case TRANSFORMERS, LOADER_WORKERS, FSDP, CUDNN_ATTENTION, FUSED_ATTENTION ->
                names(analysis, NameRole.valueOf(name())::in);
            case TRAINING -> names(analysis, StepNames::trains);
            case ONNX -> NameRole.ONNX_FORMAT.in(format);
            case XLA ->
                format.equals("xla") || (!ONNX.holds(analysis) && !TENSORRT.holds(analysis) && runsOnlyXla(analysis));
            case BLOCKS -> analysis.timeline().properties().containsKey(TimelineInfo.BLOCKS);
            case TENSORRT -> NameRole.TENSORRT_FORMAT.in(format);
            case VLLM -> EngineSteps.seen(analysis) == EngineSteps.Engine.VLLM;
            case SGLANG -> EngineSteps.seen(analysis) == EngineSteps.Engine.SGLANG;
            case NEEDLESS_GRAPH -> TrainingModeRule.recordsGraph(analysis);
            case SIZE_CHECKS -> checksSizes(analysis.timeline());
            case NEW_THREADS -> launchesFromNewThreads(analysis);
            case GPU_BUSY ->
                GPU.holds(analysis)
                        && analysis.ledger().share(analysis.ledger().ns(LedgerClass.GPU_COMPUTE))
                                >= analysis.threshold(Thresholds.GPU_BOUND);
            case DEVICES_TAKE_TURNS -> GPU.holds(analysis) && takeTurns(analysis);
            case BRIEF_CALLS -> isOften(analysis, LedgerClass.CPU_PYTHON, analysis.classifier()::isBriefCall);
            case READS_LISTS -> isOften(analysis, LedgerClass.CPU_PREPROCESSING, analysis.classifier()::readsList);
            case COLLECTS_ITSELF -> callsCollector(analysis);
            case COLLECTS_AT_ENDS -> collectsAtEnds(analysis);
            case UNIFIED_MEMORY -> GPU.holds(analysis) && movesPages(analysis);
            case UNCACHED_ALLOCATIONS -> GPU.holds(analysis) && CallsRule.isAllocationUncached(analysis);
            case REPLAYS_GRAPHS ->
                GPU.holds(analysis) && LaunchCosts.of(analysis).mostAreReplayed();
            case PINNED_INPUT -> GPU.holds(analysis) && CopyEvidence.arePinned(analysis, CopyDirection.H2D);
            case TOO_MANY_THREADS -> CpuOversubscriptionRule.crowd(analysis).isPresent();
            case BUSY_CPUS -> CpuUse.of(analysis).isBusy();
            case OTHERS_USE_CPUS ->
                BUSY_CPUS.holds(analysis) && CpuUse.of(analysis).isOthers();
            case OWN_THREADS -> ownThreads(analysis) > 1;
            case POOL -> hasPool(analysis);
            case TAKES_TURNS -> LockSerialisedPoolRule.takesTurns(analysis);
        };
    }

    private static boolean takeTurns(Analysis analysis) {
        Intervals idle = analysis.idle();
        DeviceActivity device = analysis.headline().orElseThrow();
        return analysis.devices().stream()
                .filter(other -> other != device)
                .anyMatch(other -> other.busy().intersect(idle).totalNs() >= MOST_OF_IDLE * idle.totalNs());
    }

    private static boolean movesPages(Analysis analysis) {
        return Stream.of(CopyDirection.H2D, CopyDirection.D2H)
                .map(direction -> CopyEvidence.of(analysis, direction))
                .anyMatch(copies ->
                        !copies.isEmpty() && copies.stream().allMatch(copy -> CopyEvidence.mentions(copy, "managed")));
    }

    private static boolean launchesFromNewThreads(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Stretch judged = analysis.judged().stretch();
        long threads = Arrays.stream(analysis.apiCalls())
                .filter(call -> judged.holds(timeline.startNs(call)) && analysis.isLaunch(call))
                .map(timeline::track)
                .distinct()
                .count();
        return threads >= Math.max(LEAST_NEW_THREADS, Steps.judged(analysis).size() / 2);
    }

    private static boolean isNvidias(Analysis analysis) {
        return isOfVendor(analysis, "NVIDIA", "NVIDIA", "Tesla", "GeForce")
                || names(analysis, name -> name.startsWith("cu") && NameRole.OF_NVIDIA.in(name));
    }

    private static boolean isAmds(Analysis analysis) {
        return isOfVendor(analysis, "AMD Instinct", "AMD", "Instinct", "gfx9")
                || NameRole.OF_AMD.in(analysis.timeline().info().format())
                || names(analysis, name -> (name.startsWith("h") || name.startsWith("C")) && NameRole.OF_AMD.in(name));
    }

    private static boolean isOthers(Analysis analysis) {
        return analysis.namesOfCalls().anyMatch(NameRole.OF_OTHER_VENDOR::in)
                || (!isNvidias(analysis)
                        && !isAmds(analysis)
                        && names(analysis, name -> NameRole.OF_INTEL.in(name) || NameRole.OF_ASCEND.in(name)));
    }

    private static boolean isOfVendor(Analysis analysis, String property, String... devices) {
        return analysis.devices().stream()
                        .anyMatch(device ->
                                Arrays.stream(devices).anyMatch(device.track().name()::contains))
                || analysis.timeline().properties().values().stream().anyMatch(text -> text.contains(property));
    }

    private static boolean checksSizes(Timeline timeline) {
        NamePredicate checks = new NamePredicate(timeline, name -> name.contains("assert_size_stride"));
        return checks.any()
                && timeline.rows().filter(checks::testRow).limit(MANY_CHECKS).count() == MANY_CHECKS;
    }

    /** XLA's code is recorded, and none of PyTorch. */
    private static boolean runsOnlyXla(Analysis analysis) {
        return !names(analysis, NameRole.OF_TORCH::in)
                && (NameRole.TENSORFLOW.in(analysis.timeline().properties().getOrDefault(TimelineInfo.FRAMEWORK, ""))
                        || names(analysis, NameRole.OF_XLA::in));
    }

    private static boolean mayRunTorch(Analysis analysis) {
        return names(analysis, NameRole.OF_TORCH::in)
                || (!NATIVE.holds(analysis)
                        && (GPU.holds(analysis)
                                ? !isNamedOtherwise(analysis)
                                : runtime(analysis, analysis.subjectProcess()).isEmpty()));
    }

    /** Some recorders name the program of each process. */
    private static boolean isNamedOtherwise(Analysis analysis) {
        int process = analysis.subjectProcess();
        String program =
                process < 0 ? "" : analysis.timeline().tracks().get(process).name();
        return NameRole.PROGRAMS_FORMAT.in(analysis.timeline().info().format())
                && !program.isEmpty()
                && !program.contains("python")
                && !analysis.classifier().hasPythonFrames();
    }

    private static boolean names(Analysis analysis, Predicate<String> wanted) {
        return analysis.timeline().names().anyMatch(wanted);
    }

    private static boolean isJvm(Analysis analysis) {
        int process = analysis.subjectProcess();
        return ProcessFact.isJvm(analysis.timeline(), process)
                || analysis.threads().all().stream()
                        .anyMatch(thread -> thread.parent() == process && Threads.isJvms(thread));
    }

    /** Only the recorder of running programs knows what runs in them. */
    private static boolean isNative(Analysis analysis) {
        int process = analysis.subjectProcess();
        return process >= 0
                && runtime(analysis, process).isEmpty()
                && analysis.threads().activity(analysis.subjectThread()).hasCpuTime()
                && !showsPython(analysis);
    }

    private static boolean showsPython(Analysis analysis) {
        return analysis.classifier().hasPythonFrames() || analysis.classifier().hasPythonFunctions();
    }

    private static boolean hasPassingChildren(Analysis analysis) {
        int process = analysis.subjectProcess();
        Timeline timeline = analysis.timeline();
        String pid = process < 0 ? "" : timeline.tracks().get(process).key();
        Stretch part = analysis.judgedHostStretch();
        return timeline.tracks().stream()
                .anyMatch(track -> track.kind() == TrackKind.PROCESS
                        && track.id() != process
                        && pid.equals(ProcessFact.PARENT.of(timeline, track.id()))
                        && timeline.firstRow(track.id()) < timeline.endRow(track.id())
                        && timeline.startNs(timeline.firstRow(track.id())) >= part.startNs()
                        && timeline.endNs(timeline.firstRow(track.id())) < part.endNs());
    }

    private static String runtime(Analysis analysis, int process) {
        return ProcessFact.RUNTIME.of(analysis.timeline(), process);
    }

    private static boolean callsCollector(Analysis analysis) {
        long ns = 0;
        for (int row : analysis.rows(RowKind.GC)) {
            boolean called = analysis.timeline().name(row).startsWith("gc.collect");
            ns += called
                    ? analysis.timeline().durationNs(row)
                    : -analysis.timeline().durationNs(row);
        }
        return ns > 0;
    }

    private static boolean collectsAtEnds(Analysis analysis) {
        long allNs = HostShare.judged(analysis).ns(LedgerClass.WAIT_GC);
        if (allNs == 0 || analysis.subjectThread() < 0 || analysis.judgesSteadyState()) {
            return false;
        }
        Stretch part = analysis.judgedHostStretch();
        long[] atEndsNs = {0};
        analysis.threads().explain(analysis.subjectThread(), part.startNs(), part.endNs(), piece -> {
            boolean collects = piece.ledgerClass() == LedgerClass.WAIT_GC;
            atEndsNs[0] += collects && isAtEnds(analysis, piece) ? piece.ns() : 0;
        });
        return 2 * atEndsNs[0] >= allNs;
    }

    private static boolean isAtEnds(Analysis analysis, ThreadPiece piece) {
        Timeline timeline = analysis.timeline();
        for (int row = piece.row(); row >= 0; row = timeline.parent(row)) {
            RangeActivity activity = RangeActivity.of(timeline.attribute(row, Attribute.ACTIVITY));
            if (activity == RangeActivity.LOAD || timeline.name(row).equals(RangeActivity.SHUTDOWN)) {
                return true;
            }
        }
        int stack = piece.sample() < 0 ? -1 : (int) timeline.attribute(piece.sample(), Attribute.STACK);
        return stack >= 0 && analysis.classifier().isInImport(stack);
    }

    /** Returns whether something holds for a fourth or more of the judged thread's samples of a class. */
    private static boolean isOften(Analysis analysis, LedgerClass ledgerClass, IntPredicate sample) {
        Timeline timeline = analysis.timeline();
        int thread = analysis.subjectThread();
        if (thread < 0) {
            return false;
        }
        int[] ofClass = timeline.rows(thread, RowKind.STACK_SAMPLE)
                .filter(row -> analysis.classify(row) == ledgerClass)
                .toArray();
        long heldNs = timeline.sumNs(Arrays.stream(ofClass).filter(sample));
        return heldNs > 0 && 4 * heldNs >= timeline.sumNs(Arrays.stream(ofClass));
    }

    private static boolean hasPool(Analysis analysis) {
        int process = analysis.subjectProcess();
        return Pools.of(analysis).stream()
                .filter(pool -> pool.process() == process)
                .anyMatch(pool -> pool.threads().stream()
                                .filter(thread -> runsOwnCode(analysis, thread))
                                .limit(2)
                                .count()
                        == 2);
    }

    private static long ownThreads(Analysis analysis) {
        int process = analysis.subjectProcess();
        return analysis.threads().all().stream()
                .filter(thread -> thread.parent() == process && !Threads.isRecorders(analysis.timeline(), thread.id()))
                .filter(thread -> runsOwnCode(analysis, thread.id()))
                .count();
    }

    private static boolean runsOwnCode(Analysis analysis, int thread) {
        Timeline timeline = analysis.timeline();
        for (int row = timeline.firstRow(thread); row < timeline.endRow(thread); row++) {
            RowKind kind = timeline.kind(row);
            long stack = kind == RowKind.STACK_SAMPLE ? timeline.attribute(row, Attribute.STACK) : -1;
            if (kind == RowKind.PYTHON_FUNCTION
                    || (kind == RowKind.ANNOTATION && timeline.attribute(row, Attribute.USER_SCOPE) == 1)
                    || (stack >= 0 && analysis.classifier().stacks().hasOwnCode((int) stack))
                    || (stack >= 0 && analysis.classify(row) == LedgerClass.CPU_CODE)) {
                return true;
            }
        }
        return false;
    }
}
