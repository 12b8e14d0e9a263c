package io.inferscope.report;

import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.HolderEvidence;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.KernelCategory;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.MatrixUnits;
import io.inferscope.analyzer.model.PathTables;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Reason;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.*;
import io.inferscope.analyzer.model.Report.RuleOutcome;
import io.inferscope.analyzer.model.RequestTables;
import io.inferscope.analyzer.model.RooflineBound;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.TableNotes;
import io.inferscope.analyzer.model.TableRows;
import io.inferscope.analyzer.model.ThreadState;
import io.inferscope.analyzer.model.WorkKind;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.merge.TimelineMerge;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;

/** Reports by hand, whose figures sum as an analysis' would. */
public final class ReportFixture {
    private static final String KERNEL =
            "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x64_32x6_nn_align4>(cutlass_80_tensorop_s1688gemm_128x64_32x6_nn_align4::Params)";
    private static final String SOFTMAX =
            "void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, true>(float*, float const*, int, int, int, bool const*, int, bool)";

    private ReportFixture() {}

    /** A small language model on a GPU that mostly waits for Python. */
    public static Report gpu() {
        Ledger span = new Ledger.Builder()
                .add(LedgerClass.GPU_COMPUTE, 307_200)
                .add(LedgerClass.COPY_H2D, 2_200)
                .add(LedgerClass.CPU_PYTHON, 1_697_300)
                .add(LedgerClass.LIBRARY_PYTHON, 30_000)
                .add(LedgerClass.FRAMEWORK_PYTHON, 200_000)
                .add(LedgerClass.FRAMEWORK_DISPATCH, 1_210_600)
                .add(LedgerClass.FRAMEWORK_LAUNCH, 320_200)
                .add(LedgerClass.GPU_DEPENDENCY, 98_300)
                .add(LedgerClass.UNATTRIBUTED, 42_000)
                .build("device 0", LedgerPart.SPAN, 3_907_800);
        Ledger head = new Ledger.Builder()
                .add(LedgerClass.CPU_TOKENIZATION, 602_100)
                .addEstimated(LedgerClass.CPU_PREPROCESSING, 232_700, 20_000)
                .build("device 0", LedgerPart.HEAD, 834_800);
        Ledger tail = new Ledger.Builder()
                .add(LedgerClass.FRAMEWORK_SYNC_RETURN, 128_701)
                .build("device 0", LedgerPart.TAIL, 128_701);
        Ledger window = sum("device 0", span, head, tail);
        return new Report(
                "h100-bert-small.json",
                1_758_000_000_123_456_789L,
                new Stretch(1_000_000, 5_871_301),
                4_871_301,
                new Judged(LedgerPart.SPAN, "device 0", new Stretch(1_834_800, 5_742_600)),
                new BoundVerdict(
                        Bound.CPU,
                        "The GPU is idle for 92.1% of its span, and host threads at work are to blame for 88.5% of the span.",
                        68.5,
                        Bound.BALANCED,
                        List.of(
                                Reason.figure("host work 88.5% of the span, limit 20%"),
                                Reason.figure("GPU compute 7.9%, limit 80%"))),
                List.of(span, window, head, tail),
                window.rollup(),
                List.of("GPU is idle for 93.6% of the timeline", "Inference is CPU-bound", "Python dominates CPU time"),
                List.of(
                        "Capture the decode step with torch.compile(mode=\"reduce-overhead\")",
                        "Tokenize in a worker, off the critical path",
                        "Allocate the inputs with pin_memory=True and copy with non_blocking=True"),
                workTables(shapeTables(pathTables(steps(
                                hostTables(new TableRows()
                                        .with(
                                                Report.DEVICES,
                                                List.of(new DeviceFigures(
                                                        "0",
                                                        "NVIDIA H100 80GB HBM3",
                                                        Map.of("compute", 60L, "h2d", 2L),
                                                        1_834_800,
                                                        5_742_600,
                                                        3_907_800,
                                                        309_400,
                                                        3_598_400,
                                                        4_561_901,
                                                        307_200,
                                                        0,
                                                        2_200,
                                                        0,
                                                        0,
                                                        61,
                                                        247_600)))
                                        .with(
                                                Report.IDLE_BLAME,
                                                List.of(
                                                        new BlameFigures(
                                                                "0",
                                                                LedgerPart.SPAN,
                                                                "4711 MainThread",
                                                                LedgerClass.CPU_PYTHON,
                                                                ThreadState.RUNNING,
                                                                "forward",
                                                                "modeling_bert.py:364",
                                                                1_727_300,
                                                                58,
                                                                false,
                                                                0),
                                                        new BlameFigures(
                                                                "0",
                                                                LedgerPart.SPAN,
                                                                "4711 MainThread",
                                                                LedgerClass.FRAMEWORK_DISPATCH,
                                                                ThreadState.RUNNING,
                                                                "aten::addmm",
                                                                "modeling_bert.py:289",
                                                                1_210_600,
                                                                60,
                                                                false,
                                                                0),
                                                        new BlameFigures(
                                                                "0",
                                                                LedgerPart.HEAD,
                                                                "4711 MainThread",
                                                                LedgerClass.CPU_TOKENIZATION,
                                                                ThreadState.RUNNING,
                                                                "tokenizer",
                                                                "infer.py:12",
                                                                602_100,
                                                                1,
                                                                false,
                                                                0),
                                                        new BlameFigures(
                                                                "0",
                                                                LedgerPart.SPAN,
                                                                "4711 MainThread",
                                                                LedgerClass.FRAMEWORK_LAUNCH,
                                                                ThreadState.RUNNING,
                                                                "cudaLaunchKernel",
                                                                "modeling_bert.py:289",
                                                                320_200,
                                                                60,
                                                                false,
                                                                0),
                                                        new BlameFigures(
                                                                "0",
                                                                LedgerPart.HEAD,
                                                                "4711 MainThread",
                                                                LedgerClass.CPU_PREPROCESSING,
                                                                ThreadState.RUNNING,
                                                                "collate",
                                                                "infer.py:18",
                                                                232_700,
                                                                1,
                                                                true,
                                                                20_000),
                                                        new BlameFigures(
                                                                "0",
                                                                LedgerPart.SPAN,
                                                                "",
                                                                LedgerClass.UNATTRIBUTED,
                                                                ThreadState.NOT_RECORDED,
                                                                "",
                                                                "",
                                                                42_000,
                                                                1,
                                                                false,
                                                                0)))
                                        .with(
                                                Report.SCOPES,
                                                List.of(
                                                        new ScopeFigures(
                                                                "generate",
                                                                "infer.py:22",
                                                                LedgerClass.CPU_PYTHON,
                                                                1,
                                                                4_600_000,
                                                                420_000,
                                                                4_512_000L,
                                                                309_400,
                                                                3_598_400,
                                                                true,
                                                                4_600_000),
                                                        new ScopeFigures(
                                                                "tokenize",
                                                                "infer.py:12",
                                                                LedgerClass.CPU_TOKENIZATION,
                                                                1,
                                                                602_100,
                                                                602_100,
                                                                null,
                                                                0,
                                                                602_100,
                                                                false,
                                                                602_100)))
                                        .with(
                                                Report.KERNELS,
                                                List.of(
                                                        new KernelFigures(
                                                                KERNEL,
                                                                "0",
                                                                false,
                                                                24,
                                                                165_200,
                                                                5_100,
                                                                9_800,
                                                                7_300L,
                                                                2_100L,
                                                                "aten::addmm",
                                                                KernelCategory.GEMM,
                                                                "cuBLAS"),
                                                        new KernelFigures(
                                                                SOFTMAX,
                                                                "0",
                                                                false,
                                                                12,
                                                                82_000,
                                                                5_000,
                                                                8_400,
                                                                7_100L,
                                                                2_000L,
                                                                "aten::_softmax",
                                                                KernelCategory.NORMALISATION,
                                                                "PyTorch"),
                                                        new KernelFigures(
                                                                "ncclDevKernel_AllReduce_Sum_f16_RING_LL",
                                                                "0",
                                                                true,
                                                                24,
                                                                60_000,
                                                                2_000,
                                                                3_000,
                                                                null,
                                                                null,
                                                                "",
                                                                KernelCategory.COMMUNICATION,
                                                                "NCCL")))
                                        .with(
                                                Report.COPIES,
                                                List.of(
                                                        new CopyFigures(
                                                                "0",
                                                                CopyDirection.H2D,
                                                                "Pageable -> Device",
                                                                2,
                                                                4_096L,
                                                                2_200,
                                                                1_300),
                                                        new CopyFigures(
                                                                "0", CopyDirection.MEMSET, "", 1, null, 900, 900)))
                                        .with(
                                                Report.OPERATORS,
                                                List.of(
                                                        new OperatorFigures(
                                                                "aten::linear",
                                                                24,
                                                                1_420_000,
                                                                310_000,
                                                                165_200,
                                                                24,
                                                                "[[1, 12, 512], [512, 512], [512]]"),
                                                        new OperatorFigures(
                                                                "aten::softmax", 12, 402_000, 120_000, 82_000, 12, "")))
                                        .with(
                                                Report.THREADS,
                                                List.of(
                                                        new ThreadFigures(
                                                                "4711 python",
                                                                "4711 MainThread",
                                                                4_702_000L,
                                                                12_000L,
                                                                4_600_000,
                                                                62),
                                                        new ThreadFigures(
                                                                "4711 python", "4733 pt_autograd_0", null, null, 0, 0)))
                                        .with(
                                                Report.LAUNCHES,
                                                List.of(new LaunchFigures(
                                                        "0", 63, 1, 0, 4_800L, 7_200L, 12_900L, 2_050L)))
                                        .with(
                                                Report.SAMPLED_LINES,
                                                List.of(new SampleFigures(
                                                        "modeling_bert.py:364 forward",
                                                        LedgerClass.CPU_PYTHON,
                                                        31,
                                                        3_100_000,
                                                        740_000,
                                                        4_100_000,
                                                        "bench.py:12 main 80.0%",
                                                        "13-40 60.0%",
                                                        "memcpy [libc.so.6] 12.5%")))
                                        .with(
                                                Report.SAMPLED_FUNCTIONS,
                                                List.of(new SampleFigures(
                                                        "json/encoder.py: iterencode",
                                                        LedgerClass.CPU_SERIALIZATION,
                                                        4,
                                                        400_000,
                                                        300_000,
                                                        400_000,
                                                        "serve.py:44 answer 100.0%",
                                                        "",
                                                        "")))),
                                head,
                                span))))
                        .with(new TableNotes(
                                "Steady state: steps 2 to 60, known by ranges around each pass; half of them take up to 65.1 us, 19 of 20 up to 71.0 us.",
                                LedgerPart.STEADY_STATE,
                                38,
                                new TableNotes.PathSize(4_000_000, 0, 187, 249))),
                List.of(
                        new Finding(
                                "small-kernels",
                                Severity.CRITICAL,
                                "60 kernels of 5.1 µs each wait for the host: the median gap before a kernel is 50.5 µs.",
                                3_257_900,
                                0.833,
                                "span of device 0",
                                List.of(LedgerClass.FRAMEWORK_DISPATCH, LedgerClass.FRAMEWORK_LAUNCH),
                                List.of(
                                        new Evidence.Range(
                                                "longest gap",
                                                2_100_000,
                                                2_347_600,
                                                "stream 7",
                                                "modeling_bert.py:364"),
                                        new Evidence.Quantity("kernels", 60, "count"),
                                        new Evidence.Quantity("median gap", 50_500, "ns"),
                                        new Evidence.Place(
                                                "aten::addmm dispatch", "modeling_bert.py:289", 1_210_600, 60)),
                                "Capture the decode step with torch.compile(mode=\"reduce-overhead\")",
                                new Finding.Gain(
                                        3_321_000,
                                        3_556_000,
                                        List.of("low: a graph launch costs 12 µs", "high: launches cost nothing")),
                                ""),
                        new Finding(
                                "head",
                                Severity.WARNING,
                                "834.8 µs pass before the first device operation, 72.1% of them in the tokenizer.",
                                834_800,
                                0.171,
                                "span of device 0",
                                List.of(),
                                List.of(new Evidence.Place("tokenizer", "infer.py:12", 602_100, 1)),
                                "Tokenize in a worker, off the critical path",
                                null,
                                "one request was recorded"),
                        new Finding(
                                "pageable-h2d",
                                Severity.INFO,
                                "All host-to-device copies come from pageable memory.",
                                2_200,
                                0.000563,
                                "span of device 0",
                                List.of(LedgerClass.COPY_H2D),
                                List.of(
                                        new Evidence.Quantity("pageable bytes", 4_096, "bytes"),
                                        new Evidence.Quantity("share of all bytes", 1, "ratio"),
                                        new Evidence.Quantity("rate", 1.862e9, "bytes/s")),
                                "Allocate the inputs with pin_memory=True and copy with non_blocking=True",
                                new Finding.Gain(0, 2_200, List.of()),
                                ""),
                        new Finding(
                                "clocks",
                                Severity.HEALTHY,
                                "The GPU ran at its full clock.",
                                0,
                                0,
                                "",
                                List.of(),
                                List.of(),
                                "",
                                null,
                                "")),
                List.of(
                        new RuleOutcome(
                                "small-kernels", "Kernels too small for the host", RuleOutcome.Outcome.FOUND, ""),
                        new RuleOutcome(
                                "head", "Time before the first device operation", RuleOutcome.Outcome.FOUND, ""),
                        new RuleOutcome("pageable-h2d", "Copies from pageable memory", RuleOutcome.Outcome.FOUND, ""),
                        new RuleOutcome("clocks", "GPU clocks", RuleOutcome.Outcome.FOUND, ""),
                        new RuleOutcome(
                                "gil",
                                "Threads that wait for the GIL",
                                RuleOutcome.Outcome.NOT_APPLICABLE,
                                "no GIL waits were recorded"),
                        new RuleOutcome(
                                "sync",
                                "Synchronising calls that idle the GPU",
                                RuleOutcome.Outcome.CLEAN,
                                "they cost 0.4% of the span")),
                List.of(
                        new TrustCheck("drops", true, true, "no record was dropped", ""),
                        new TrustCheck(
                                "profiler-overhead",
                                false,
                                false,
                                "Python functions were recorded with stacks, which inflates Python's time",
                                "Record again with with_stack=False"),
                        new TrustCheck("kernel-before-launch", true, true, "no kernel starts before its launch", "")),
                List.of(
                        new TimelineMerge.Source("bert.json.gz", "kineto", "", 0, 0, "its clock is the axis"),
                        new TimelineMerge.Source(
                                "bert.nsys.sqlite",
                                "nsys",
                                "",
                                -12_345_000,
                                1_500,
                                "40 of 52 kernels that both recorded")),
                List.of(
                        new TimelineInfo.Coverage("kineto cpu_op", 421, 0, ""),
                        new TimelineInfo.Coverage("thread states", 0, 0, "this format does not carry them")),
                List.of(new TimelineInfo.RecorderOverhead("kineto", 120_000, 80_000, 2_411)),
                importStats(),
                List.of("Python functions were recorded with stacks: Python's share is inflated."),
                List.of());
    }

    /** The report of a GPU, which lacks a table and a rule. */
    public static Report withFailures() {
        Report whole = gpu();
        return copy(
                whole,
                "failures",
                List.of(
                        new Report.Failure("rule gpu-idle", "IllegalArgumentException: gain [2, 1]"),
                        new Report.Failure("table kernels", "StackOverflowError")));
    }

    private static Report copy(Report report, String component, Object value) {
        RecordComponent[] components = Report.class.getRecordComponents();
        Object[] values = new Object[components.length];
        Class<?>[] types = new Class<?>[components.length];
        try {
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                values[i] = components[i].getName().equals(component)
                        ? value
                        : components[i].getAccessor().invoke(report);
            }
            return Report.class.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** An embedding service without a GPU. */
    public static Report cpuOnly() {
        Ledger window = new Ledger.Builder()
                .add(LedgerClass.CPU_MODEL_COMPUTE, 3_592_000_000L)
                .add(LedgerClass.CPU_TOKENIZATION, 2_899_000_000L)
                .add(LedgerClass.CPU_PYTHON, 479_000_000L)
                .add(LedgerClass.FRAMEWORK_DISPATCH, 304_000_000L)
                .add(LedgerClass.CPU_SERIALIZATION, 122_000_000L)
                .addEstimated(LedgerClass.WAIT_RUN_QUEUE, 84_000_000L, 9_000_000L)
                .add(LedgerClass.PROFILER, 68_000_000L)
                .add(LedgerClass.UNATTRIBUTED, 62_000_000L)
                .build("thread 812 (MainThread)", LedgerPart.WINDOW, 7_610_000_000L);
        return new Report(
                "embed.py",
                1_758_000_000_000_000_000L,
                new Stretch(0, 7_610_000_000L),
                7_610_000_000L,
                new Judged(LedgerPart.WINDOW, "thread 812 (MainThread)", new Stretch(0, 7_610_000_000L)),
                new BoundVerdict(
                        Bound.CPU,
                        "Work outside of the model takes 50.6% of the time; tokenization alone takes 38.1%.",
                        30.6,
                        Bound.BALANCED,
                        List.of(Reason.figure("model compute 47.2%, limit 80%"))),
                List.of(window),
                window.rollup(),
                List.of(
                        "No accelerator was used",
                        "Inference is CPU-bound outside of the model",
                        "Tokenization dominates CPU time"),
                List.of("Use AutoTokenizer.from_pretrained(..., use_fast=True)"),
                new TableRows()
                        .with(
                                Report.SCOPES,
                                List.of(new ScopeFigures(
                                        "tokenize",
                                        "embed.py:31",
                                        LedgerClass.CPU_TOKENIZATION,
                                        412,
                                        2_899_000_000L,
                                        2_899_000_000L,
                                        2_880_000_000L,
                                        0,
                                        0,
                                        true,
                                        2_899_000_000L)))
                        .with(
                                Report.OPERATORS,
                                List.of(new OperatorFigures(
                                        "aten::linear", 9_888, 2_900_000_000L, 2_900_000_000L, 0, 0, "")))
                        .with(
                                Report.THREADS,
                                List.of(new ThreadFigures(
                                        "812 python",
                                        "812 MainThread",
                                        7_201_000_000L,
                                        84_000_000L,
                                        7_548_000_000L,
                                        0))),
                List.of(new Finding(
                        "slow-tokenizer",
                        Severity.WARNING,
                        "The tokenizer takes 2.90 s in 412 calls.",
                        2_899_000_000L,
                        0.381,
                        "window of thread 812 (MainThread)",
                        List.of(LedgerClass.CPU_TOKENIZATION),
                        List.of(new Evidence.Place("tokenize", "embed.py:31", 2_899_000_000L, 412)),
                        "Use AutoTokenizer.from_pretrained(..., use_fast=True)",
                        new Finding.Gain(
                                2_359_000_000L,
                                2_899_000_000L,
                                List.of("low: the fast tokenizer is 5 times faster", "high: it costs nothing")),
                        "")),
                List.of(new RuleOutcome(
                        "small-kernels",
                        "Kernels too small for the host",
                        RuleOutcome.Outcome.NOT_APPLICABLE,
                        "no device work was recorded")),
                List.of(new TrustCheck("drops", true, true, "no record was dropped", "")),
                List.of(),
                List.of(new TimelineInfo.Coverage("host sampler", 7_548, 12, "the process ended")),
                List.of(
                        new TimelineInfo.RecorderOverhead("host", 68_000_000, 0, 7_548),
                        new TimelineInfo.RecorderOverhead("python-probe", 2_000_000, 1_000_000, 300),
                        new TimelineInfo.RecorderOverhead("python-probe", 3_000_000, 500_000, 200)),
                new ImportStats.Builder().build(),
                List.of(),
                List.of());
    }

    /** A recording that lost its device events. */
    public static Report withheld() {
        Ledger window = new Ledger.Builder()
                .add(LedgerClass.WAIT_UNKNOWN, 60_000_000)
                .add(LedgerClass.UNATTRIBUTED, 40_000_000)
                .build("device 0", LedgerPart.WINDOW, 100_000_000);
        ImportStats.Builder stats = new ImportStats.Builder().source("cut.json.gz");
        stats.bytes(120_000);
        stats.lost(1_996);
        stats.event();
        stats.count(ImportStats.Reason.TRUNCATED, 118_004, "inside a string");
        return new Report(
                "cut.json.gz",
                0,
                new Stretch(1_758_000_000_000_000_000L, 1_758_000_000_100_000_000L),
                100_000_000,
                new Judged(
                        LedgerPart.WINDOW,
                        "device 0",
                        new Stretch(1_758_000_000_000_000_000L, 1_758_000_000_100_000_000L)),
                new BoundVerdict(
                        Bound.WITHHELD,
                        "The recording is not good enough for a verdict: 120 graph launches have no kernels.",
                        Double.NaN,
                        null,
                        List.of(
                                Reason.figure("kernels replayed by graphs were not recorded"),
                                Reason.figure(
                                        "Record again with CUDA graphs traced: `inferscope run -- python infer.py`"))),
                List.of(window),
                window.rollup(),
                List.of(),
                List.of(),
                new TableRows(),
                List.of(),
                List.of(),
                List.of(
                        new TrustCheck(
                                "graph-kernels",
                                false,
                                true,
                                "120 graph launches replay no recorded kernel",
                                "Record with `inferscope run -- python infer.py`"),
                        new TrustCheck("drops", true, true, "no record was dropped", "")),
                List.of(),
                List.of(new TimelineInfo.Coverage("kernels", 0, 120, "graph launches without kernels")),
                List.of(),
                stats.build(),
                List.of(),
                List.of());
    }

    private static TableRows pathTables(TableRows to) {
        return to.with(
                        PathTables.CLASSES,
                        List.of(
                                new PathTables.ClassTime(LedgerClass.FRAMEWORK_DISPATCH, 2_500_000),
                                new PathTables.ClassTime(LedgerClass.GPU_COMPUTE, 1_500_000)))
                .with(
                        PathTables.WORK,
                        List.of(
                                new PathTables.WorkTime(
                                        LedgerClass.FRAMEWORK_DISPATCH,
                                        "thread 12",
                                        "aten::addmm",
                                        "model.py:31 forward",
                                        2_500_000,
                                        60),
                                new PathTables.WorkTime(
                                        LedgerClass.GPU_COMPUTE, "device 0 stream 7", "gemm", "", 1_500_000, 2)))
                .with(
                        PathTables.LINES,
                        List.of(new PathTables.LineTime(
                                "model.py:31 forward", LedgerClass.FRAMEWORK_DISPATCH, 2_500_000)))
                .with(
                        PathTables.PIECES,
                        List.of(new PathTables.PathPiece(
                                1_000_000, 2_500_000, LedgerClass.GPU_COMPUTE, "device 0 stream 7", "gemm", "")))
                .with(
                        PathTables.TRACKS,
                        List.of(
                                new PathTables.TrackTime("thread 12", 2_500_000, null),
                                new PathTables.TrackTime("device 0 stream 7", 1_500_000, 12_000L)));
    }

    private static TableRows shapeTables(TableRows to) {
        return to.with(
                        ShapeTables.GRAPHS,
                        List.of(
                                new ShapeTables.GraphFigures(
                                        "0",
                                        "graph 1",
                                        "cudaGraphLaunch",
                                        12,
                                        421,
                                        5_200_000,
                                        5_000_000,
                                        200_000,
                                        310_000L,
                                        95_000,
                                        2_400_000,
                                        3_410_000,
                                        "capture",
                                        List.of(
                                                new ShapeTables.GraphKernel(
                                                        "nvjet_tst_64x64", "aten::addmm", 144, 30_000_000),
                                                new ShapeTables.GraphKernel("fused_rope", "", 36, 4_000_000))),
                                new ShapeTables.GraphFigures(
                                        "0",
                                        "graph 2",
                                        "cudaGraphLaunch",
                                        1,
                                        1,
                                        9_000,
                                        9_000,
                                        0,
                                        null,
                                        12_000,
                                        0,
                                        0,
                                        "",
                                        List.of())))
                .with(
                        ShapeTables.OPERATOR_SHAPES,
                        List.of(
                                new ShapeTables.OperatorShape(
                                        "aten::addmm",
                                        "[[768],[788,768],[768,768],[],[]]",
                                        "[c10::BFloat16,c10::BFloat16,c10::BFloat16,Scalar,Scalar]",
                                        WorkKind.MATMUL,
                                        48,
                                        1_150_000,
                                        399_000,
                                        0.714,
                                        929_562_624.0,
                                        3_601_920.0,
                                        1.118e14,
                                        4.333e11,
                                        RooflineBound.MEMORY,
                                        0.129,
                                        null,
                                        MatrixUnits.USED),
                                new ShapeTables.OperatorShape(
                                        "aten::cat",
                                        "[[[4,1,768],[4,196,768]],[]]",
                                        "",
                                        null,
                                        1,
                                        16_700,
                                        7_260,
                                        0.286,
                                        null,
                                        null,
                                        null,
                                        null,
                                        null,
                                        null,
                                        null,
                                        null)))
                .with(
                        ShapeTables.DEVICE_PEAKS,
                        List.of(new ShapeTables.PeakFigures(
                                "0", "H100 SXM", 9.894e14, 6.69e13, 3.352e12, "NVIDIA H100 white paper")))
                .with(
                        ShapeTables.ALLOCATORS,
                        List.of(
                                new ShapeTables.MemoryFigures(
                                        "812 python",
                                        "0",
                                        572,
                                        231_735_296,
                                        41_000_000,
                                        "aten::gelu",
                                        245_366_784L,
                                        214_958_080,
                                        85_018_279_936L),
                                new ShapeTables.MemoryFigures(
                                        "812 python", "host", 48, 16, 40_000_000, "", null, 0, null)));
    }

    private static TableRows workTables(TableRows to) {
        return to.with(
                        WorkTables.KERNEL_CATEGORIES,
                        List.of(
                                new WorkTables.CategoryFigures("products of matrices", "cuBLAS", 288, 60_000_000, 0.75),
                                new WorkTables.CategoryFigures("copies and sets", "", 4, 20_000_000, 0.25)))
                .with(
                        WorkTables.MODULES,
                        List.of(
                                new WorkTables.ModuleFigures("Net", 1, 4, 90_000_000, 80_000_000, 20_000_000, 1),
                                new WorkTables.ModuleFigures(
                                        "Net > Linear", 12, 48, 70_000_000, 60_000_000, 60_000_000, 0.75)))
                .with(
                        WorkTables.KERNEL_SEQUENCES,
                        List.of(new WorkTables.SequenceFigures(
                                "nvjet_tst_64x64; void at::native::copy<4>(int)",
                                2,
                                144,
                                50_000_000,
                                1_000_000,
                                0.625)))
                .with(
                        WorkTables.LAUNCH_QUEUES,
                        List.of(new WorkTables.QueueFigures("0", "7", 288, 80_000_000, 260_000_000, 41, 0.125, 0)))
                .with(
                        WorkTables.COLLECTIVES,
                        List.of(
                                new WorkTables.CollectiveFigures(
                                        "all_reduce",
                                        "default_pg",
                                        8,
                                        16,
                                        8_388_608L,
                                        9_000_000,
                                        4_000_000L,
                                        900_000L,
                                        4e10,
                                        7e10),
                                new WorkTables.CollectiveFigures(
                                        "sendrecv", "", 0, 2, null, 100_000, null, null, null, null)))
                .with(
                        WorkTables.MODEL_UTILISATION,
                        List.of(
                                new WorkTables.UtilisationFigures(
                                        "0", 4.46e10, 0.113, 0.028, 0.714, 2.5e8, 0.129, 0.032, 0.75, ""),
                                WorkTables.UtilisationFigures.withheld("1", "the peak of the device is not known")))
                .with(
                        WorkTables.HLO_OPERATIONS,
                        List.of(new WorkTables.HloFigures(
                                "loop_add_fusion", "loop fusion", "jit_step", 24, 8_000_000, 0.1, "train.py:12")));
    }

    private static TableRows hostTables(TableRows to) {
        return to.with(
                        HostTables.HOST_TIME,
                        List.of(
                                new HostTables.PlaceFigures(
                                        "loader.py, thread 912 (worker 0)",
                                        true,
                                        LedgerClass.CPU_PREPROCESSING,
                                        ThreadState.PIPE,
                                        "",
                                        "/srv/loader.py:31 decode",
                                        402_000,
                                        40,
                                        true,
                                        21_000),
                                new HostTables.PlaceFigures(
                                        "thread 812 (MainThread)",
                                        false,
                                        LedgerClass.WAIT_GIL,
                                        ThreadState.GIL,
                                        "forward",
                                        "",
                                        91_000,
                                        9,
                                        false,
                                        0)))
                .with(
                        HostTables.WAITED_FOR,
                        List.of(
                                new HostTables.HolderFigures(
                                        LedgerClass.WAIT_GIL,
                                        "thread 813 (metrics)",
                                        "/srv/metrics.py:8 count",
                                        91_000,
                                        HolderEvidence.RECORDED),
                                new HostTables.HolderFigures(
                                        LedgerClass.WAIT_RUN_QUEUE,
                                        "gzip, thread 950",
                                        "",
                                        12_000,
                                        HolderEvidence.AT_WORK_MEANWHILE)))
                .with(
                        HostTables.REQUESTS,
                        List.of(
                                new HostTables.RequestFigures(
                                        "POST /v1/completions",
                                        "serve.py",
                                        120,
                                        41_000_000,
                                        88_000_000,
                                        120_000_000,
                                        140_000_000,
                                        9_000_000L,
                                        21_000_000L,
                                        7_680,
                                        1_200_000_000L),
                                new HostTables.RequestFigures(
                                        "GET /health",
                                        "serve.py",
                                        3,
                                        900_000,
                                        1_100_000,
                                        1_100_000,
                                        1_100_000,
                                        null,
                                        null,
                                        0,
                                        null)))
                .with(
                        HostTables.MACHINE,
                        List.of(
                                new HostTables.CounterFigures(
                                        "", "host.cgroup_throttled_ns", 3, 0, 40_000_000, 0, 40_000_000, 40_000_000),
                                new HostTables.CounterFigures(
                                        "serve.py", "host.rss_bytes", 60, 1.5e9, 1.75e9, 1.5e9, 1.8e9, 4e8)))
                .with(
                        HostTables.NATIVE_MODULES,
                        List.of(
                                new HostTables.NativeModuleFigures(
                                        "4711 (python)",
                                        "libc.so.6",
                                        4,
                                        387_500,
                                        120_000,
                                        "/usr/lib/x86_64-linux-gnu/libc.so.6",
                                        "6196744a316dbd57c0fb8968df1680aac482cec4"),
                                new HostTables.NativeModuleFigures(
                                        "4711 (python)", "kernel", 1, 90_000, 90_000, "", "")));
    }

    private static TableRows steps(TableRows to, Ledger head, Ledger span) {
        Ledger.Builder request = new Ledger.Builder()
                .add(LedgerClass.FRAMEWORK_DISPATCH, 4_000_000_000L)
                .add(LedgerClass.WAIT_UNKNOWN, 920_000_000L);
        return to.with(
                        StepTables.PHASES,
                        List.of(
                                new StepTables.PhaseFigures(
                                        PhaseKind.LOAD,
                                        new Stretch(1_000_000, 1_834_800),
                                        "before the first step",
                                        head),
                                new StepTables.PhaseFigures(
                                        PhaseKind.STEADY_STATE,
                                        new Stretch(1_834_800, 5_742_600),
                                        "steps 2 to 60, known by ranges around each pass",
                                        span)))
                .with(
                        StepTables.STEPS,
                        List.of(new StepTables.StepFigures(
                                "forward BertModel",
                                "decode",
                                "ranges around each pass",
                                "steady-state",
                                59,
                                65_100,
                                71_000,
                                90_300,
                                5_100L,
                                60_000L,
                                List.of(
                                        new StepTables.StepCause(
                                                LedgerClass.CPU_PYTHON,
                                                29_000,
                                                1_727_300,
                                                "4711 MainThread",
                                                "forward",
                                                "modeling_bert.py:364",
                                                1_700_000,
                                                false),
                                        new StepTables.StepCause(
                                                LedgerClass.GPU_DEPENDENCY, 1_600, 98_300, "", "", "", 98_300, true)))))
                .with(
                        StepTables.IDLE_OPERATORS,
                        List.of(new StepTables.OperatorIdle("aten::addmm", LedgerClass.FRAMEWORK_DISPATCH, 1_210_600)))
                .with(
                        StepTables.LARGEST_GAPS,
                        List.of(
                                new StepTables.GapFigures(
                                        new Stretch(1_000_000, 1_834_800),
                                        LedgerPart.HEAD,
                                        LedgerClass.CPU_TOKENIZATION,
                                        "4711 MainThread",
                                        "tokenizer",
                                        "infer.py:12"),
                                new StepTables.GapFigures(
                                        new Stretch(5_000_000, 5_042_000),
                                        LedgerPart.SPAN,
                                        LedgerClass.UNATTRIBUTED,
                                        "",
                                        "",
                                        "")))
                .with(
                        RequestTables.REQUEST_TIME,
                        List.of(
                                new RequestTables.RequestTime(
                                        "POST /v1/completions",
                                        "serve.py",
                                        120,
                                        9_000_000L,
                                        21_000_000L,
                                        600_000L,
                                        700_000L,
                                        List.of(
                                                new RequestTables.RequestPart("decode", 4_000_000_000L),
                                                new RequestTables.RequestPart("queue", 920_000_000L)),
                                        new RequestTables.TokenFigures(
                                                7_200,
                                                590_000L,
                                                820_000L,
                                                2_400_000L,
                                                9_100_000L,
                                                885_000L,
                                                140,
                                                160_000_000,
                                                List.of(
                                                        new RequestTables.SlowCause(
                                                                LedgerClass.WAIT_GC,
                                                                120_000_000,
                                                                "serve.py:88 answer > gc"),
                                                        new RequestTables.SlowCause(
                                                                LedgerClass.WAIT_UNKNOWN, 30_000_000, ""))),
                                        request.build(
                                                "requests POST /v1/completions", LedgerPart.REQUESTS, 4_920_000_000L)),
                                new RequestTables.RequestTime(
                                        "GET /health",
                                        "serve.py",
                                        3,
                                        null,
                                        null,
                                        null,
                                        null,
                                        List.of(new RequestTables.RequestPart("other", 2_900_000)),
                                        RequestTables.TokenFigures.NONE,
                                        new Ledger.Builder()
                                                .add(LedgerClass.CPU_PYTHON, 2_900_000)
                                                .build("requests GET /health", LedgerPart.REQUESTS, 2_900_000))));
    }

    private static ImportStats importStats() {
        ImportStats.Builder stats = new ImportStats.Builder().source("h100-bert-small.json");
        stats.bytes(1_258_291);
        stats.count(ImportStats.Reason.FLOW, 120, 4_096, "ac2g");
        stats.count(ImportStats.Reason.MISSING_DURATION, 2, -1, "");
        return stats.build();
    }

    private static Ledger sum(String subject, Ledger... ledgers) {
        Ledger.Builder sum = new Ledger.Builder();
        long durationNs = 0;
        for (Ledger ledger : ledgers) {
            durationNs += ledger.durationNs();
            for (Ledger.Entry entry : ledger.entries()) {
                if (entry.estimated()) {
                    sum.addEstimated(entry.ledgerClass(), entry.ns(), entry.boundNs());
                } else {
                    sum.add(entry.ledgerClass(), entry.ns());
                }
            }
        }
        return sum.build(subject, LedgerPart.WINDOW, durationNs);
    }
}
