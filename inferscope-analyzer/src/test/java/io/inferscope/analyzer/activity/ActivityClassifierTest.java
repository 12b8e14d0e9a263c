package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Classes and places of rows that lie deep inside others. */
class ActivityClassifierTest {
    private static final int DEPTH = 50_000;

    @Test
    void nestingMayBeAsDeepAsARecordingIsLong() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.host(RowKind.PYTHON_FUNCTION, "main", 0, 2 * DEPTH + 2, "tiktoken/core.py(7): encode");
        for (int i = 1; i <= DEPTH; i++) {
            fixture.host(RowKind.OPERATOR, "main", i, 2 * DEPTH + 2 - i, "aten::mm");
        }
        Timeline timeline = fixture.build();
        ActivityClassifier classifier = new ActivityClassifier(timeline, true);
        int innermost = timeline.rowCount() - 1;
        assertThat(classifier.classify(innermost)).isEqualTo(LedgerClass.CPU_TOKENIZATION);
        assertThat(classifier.where(innermost)).isEqualTo("tiktoken/core.py:7 encode");
    }

    /** Inductor's module, and a launcher of Triton, which has no file. */
    @Test
    void codeThatACompilerWroteIsTheFrameworks() {
        Timeline timeline = TimelineFixture.blank()
                .python("main", 0, 90, "pipeline.py(7): denoise")
                .python(
                        "main",
                        10,
                        80,
                        "/home/me/.cache/vllm/torch_compile_cache/2f/rank_0/inductor_cache/"
                                + "ov/cov463qhi2m2kw6ldmzzijfv5t3cjjklfci3qly3nsw6upcskct3.py(2533): call")
                .python("main", 20, 30, "<string>(1): launcher")
                .python("main", 82, 85, "<eval_with_key>.1(5): forward")
                .build();
        ActivityClassifier classifier = new ActivityClassifier(timeline, true);

        assertThat(classifier.classify(0)).isEqualTo(LedgerClass.CPU_PYTHON);
        assertThat(classifier.classify(1)).isEqualTo(LedgerClass.FRAMEWORK_PYTHON);
        assertThat(classifier.classify(2)).isEqualTo(LedgerClass.FRAMEWORK_PYTHON);
        assertThat(classifier.classify(3)).isEqualTo(LedgerClass.FRAMEWORK_PYTHON);
        assertThat(classifier.where(2)).isEqualTo("pipeline.py:7 denoise");
    }

    /** What a package is for shows in what its functions call: operators, or only each other. */
    @Test
    void onlyPackagesThatLeadToOperatorsAreFrameworks() {
        Timeline timeline = TimelineFixture.blank()
                .python("main", 0, 90, "serve.py(7): answer")
                .python("main", 10, 40, "/v/lib/python3.11/site-packages/engine/run.py(3): step")
                .python("main", 15, 35, "<built-in method call of type object at 0x7f>")
                .operator("main", 20, 30, "aten::mm")
                .python("main", 50, 80, "/v/lib/python3.11/site-packages/frames/table.py(3): clip")
                .python("main", 55, 75, "<built-in method clip of type object at 0x7f>")
                .build();
        ActivityClassifier classifier = new ActivityClassifier(timeline, true);

        assertThat(classifier.classify(1)).isEqualTo(LedgerClass.FRAMEWORK_PYTHON);
        assertThat(classifier.classify(2)).isEqualTo(LedgerClass.FRAMEWORK_PYTHON);
        assertThat(classifier.classify(4)).isEqualTo(LedgerClass.LIBRARY_PYTHON);
        assertThat(classifier.classify(5)).isEqualTo(LedgerClass.LIBRARY_PYTHON);
    }

    /** torch.profiler records Python's calls as measured functions: nothing else says that the thread waits. */
    @Test
    void aMeasuredCallThatWaitsIsNoPython() {
        Timeline timeline = TimelineFixture.blank()
                .python("main", 0, 90_000, "serve.py(7): loop")
                .python("main", 10_000, 30_000, "<built-in function sleep>")
                .python("main", 40_000, 70_000, "threading.py(295): wait")
                .python("main", 41_000, 69_000, "<built-in method acquire of _thread.lock object at 0x7f>")
                .python("main", 80_000, 80_002, "<built-in method acquire of _thread.lock object at 0x7f>")
                .python("main", 82_000, 83_000, "<built-in> select.epoll poll")
                .python("main", 84_000, 85_000, "<built-in> _socket.socket recv")
                .python("main", 86_000, 87_000, "<built-in> _thread.lock acquire")
                .build();
        ActivityClassifier classifier = new ActivityClassifier(timeline, false);

        assertThat(classifier.classify(0)).isEqualTo(LedgerClass.CPU_PYTHON);
        assertThat(classifier.classify(1)).isEqualTo(LedgerClass.WAIT_TIMER);
        assertThat(classifier.classify(3)).isEqualTo(LedgerClass.WAIT_UNKNOWN);
        assertThat(classifier.classify(4)).isEqualTo(LedgerClass.CPU_PYTHON); // The lock was free.
        assertThat(classifier.classify(5)).isEqualTo(LedgerClass.WAIT_UNKNOWN);
        assertThat(classifier.classify(6)).isEqualTo(LedgerClass.WAIT_SOCKET);
        assertThat(classifier.classify(7)).isEqualTo(LedgerClass.WAIT_LOCK);
        assertThat(classifier.where(1)).isEqualTo("serve.py:7 loop");
    }

    /** As speedscope files of evented profiles have, whatever the language. */
    @ParameterizedTest
    @CsvSource({"b.rs(9): decode, CPU_CODE", "b.py(9): decode, CPU_PYTHON", "decode, CPU_CODE"})
    void aMeasuredFunctionIsPythonOnlyWherePythonIsShown(String name, LedgerClass expected) {
        Timeline timeline = TimelineFixture.blank().python("main", 0, 100, name).build();

        assertThat(new ActivityClassifier(timeline, false).classify(0)).isEqualTo(expected);
        assertThat(new ActivityClassifier(timeline, false).hasPythonFunctions())
                .isEqualTo(expected == LedgerClass.CPU_PYTHON);
    }

    /** torch.compile records its stages as operators, with the operators that it traces inside. */
    @Test
    void aStageOfTorchCompileIsCompiling() {
        Timeline timeline = TimelineFixture.blank()
                .host(RowKind.OPERATOR, "main", 0, 90, "Torch-Compiled Region: 0/0")
                .host(RowKind.OPERATOR, "main", 100, 900, "_compile.compile_inner (dynamo_timed)")
                .host(RowKind.OPERATOR, "main", 110, 120, "aten::empty_strided")
                .build();

        assertThat(new ActivityClassifier(timeline, false).classify(0)).isEqualTo(LedgerClass.CPU_MODEL_COMPUTE);
        assertThat(new ActivityClassifier(timeline, false).classify(1)).isEqualTo(LedgerClass.FRAMEWORK_COMPILE_LOAD);
        assertThat(new ActivityClassifier(timeline, false).classify(2)).isEqualTo(LedgerClass.FRAMEWORK_COMPILE_LOAD);
        assertThat(new ActivityClassifier(timeline, true).classify(1)).isEqualTo(LedgerClass.FRAMEWORK_COMPILE_LOAD);
    }

    @Test
    void aThreadThatWaitsInTheRecordersOwnWorkWaitsForTheRecorder() {
        assertThat(blocked("inferscope agent end", RangeActivity.PROFILER, WaitReason.FUTEX))
                .isEqualTo(LedgerClass.PROFILER);
    }

    /** From outside, an event loop that waits for its next timer looks as if it waited for its sockets. */
    @ParameterizedTest
    @CsvSource({"SOCKET, WAIT_TIMER", "UNKNOWN, WAIT_TIMER", "GIL, WAIT_GIL", "PAGE_FAULT, WAIT_PAGE_FAULT"})
    void aLoopThatWaitsForATimerSleeps(WaitReason reason, LedgerClass expected) {
        assertThat(blocked("asyncio timer", RangeActivity.TIMER, reason)).isEqualTo(expected);
    }

    /** A compiler starts processes and pools: waiting for them is compiling. A model's file is read, not compiled. */
    @ParameterizedTest
    @CsvSource({
        "torch.compile step, CHILD_PROCESS, FRAMEWORK_COMPILE_LOAD",
        "torch.compile step, FUTEX, FRAMEWORK_COMPILE_LOAD",
        "jax.jit step, FUTEX, FRAMEWORK_COMPILE_LOAD",
        "triton autotune kernel, TIMER, FRAMEWORK_COMPILE_LOAD",
        "torch extension build, CHILD_PROCESS, FRAMEWORK_COMPILE_LOAD",
        "torch.compile step, GIL, WAIT_GIL",
        "load model, CHILD_PROCESS, WAIT_CHILD_PROCESS",
    })
    void whatACompilerWaitsForIsCompiling(String range, WaitReason reason, LedgerClass expected) {
        assertThat(blocked(range, RangeActivity.LOAD, reason)).isEqualTo(expected);
    }

    /** A compiler collects garbage, measures kernels and sleeps between them. */
    @ParameterizedTest
    @CsvSource({
        "torch.compile step, FRAMEWORK_COMPILE_LOAD, FRAMEWORK_COMPILE_LOAD, FRAMEWORK_COMPILE_LOAD",
        "triton autotune kernel, FRAMEWORK_COMPILE_LOAD, FRAMEWORK_COMPILE_LOAD, FRAMEWORK_COMPILE_LOAD",
        "import torch, WAIT_GC, FRAMEWORK_LAUNCH, WAIT_TIMER",
    })
    void whatHappensInsideACompilationIsCompiling(String range, LedgerClass gc, LedgerClass call, LedgerClass blocked) {
        Timeline timeline = TimelineFixture.blank()
                .host(RowKind.ANNOTATION, "main", 0, 100, range)
                .activity(RangeActivity.LOAD)
                .host(RowKind.GC, "main", 10, 20, "gc generation 1")
                .call("main", 30, 40, "cudaLaunchKernel")
                .state("main", 0, 100, 0, 0, WaitReason.TIMER)
                .build();
        ActivityClassifier classifier = new ActivityClassifier(timeline, true);
        int launch = row(timeline, RowKind.RUNTIME_CALL);

        assertThat(classifier.classify(row(timeline, RowKind.GC))).isEqualTo(gc);
        assertThat(classifier.classify(launch)).isEqualTo(call);
        assertThat(classifier.classifyBlocked(row(timeline, RowKind.THREAD_STATE), launch, -1))
                .isEqualTo(blocked);
    }

    private static int row(Timeline timeline, RowKind kind) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == kind)
                .findFirst()
                .orElseThrow();
    }

    /** The class of a thread that is blocked throughout a range. */
    private static LedgerClass blocked(String range, RangeActivity activity, WaitReason reason) {
        Timeline timeline = TimelineFixture.blank()
                .host(RowKind.ANNOTATION, "main", 0, 100, range)
                .activity(activity)
                .state("main", 0, 100, 0, 0, reason)
                .build();
        boolean rangeFirst = timeline.kind(0) == RowKind.ANNOTATION;
        return new ActivityClassifier(timeline, true).classifyBlocked(rangeFirst ? 1 : 0, rangeFirst ? 0 : 1, -1);
    }

    @ParameterizedTest
    @CsvSource({
        "true, CPython 3.11.7, program, CPU_PYTHON",
        "true, JVM 17, program, CPU_CODE",
        "true, '', serve.py, CPU_CODE",
        "false, '', v8.compile, CPU_CODE",
        "false, '', main.main.func1, CPU_CODE",
        "false, '', serve (/srv/serve.py:7), CPU_UNKNOWN",
        "false, '', aten::mm, CPU_UNKNOWN",
        "false, '', /usr/bin/python3.11, CPU_UNKNOWN",
    })
    void aRangeIsPythonOnlyWhereAnInterpreterRuns(boolean run, String runtime, String name, LedgerClass expected) {
        TimelineBuilder builder = new TimelineBuilder();
        int process = builder.track(TrackKind.PROCESS, -1, "10");
        int thread = builder.track(TrackKind.THREAD, process, "10");
        if (run) {
            builder.row(RowKind.PROCESS, process, 0, 100, builder.name(name));
        }
        if (!runtime.isEmpty()) {
            builder.property("process.10.runtime", runtime);
        }
        builder.row(RowKind.ANNOTATION, thread, 0, 10, builder.name(name));
        builder.row(RowKind.ANNOTATION, thread, 10, 20, builder.name("step 4"));
        Timeline timeline = builder.build("spool");
        ActivityClassifier classifier = new ActivityClassifier(timeline, false);
        int range = timeline.rowCount() - 1;
        assertThat(timeline.kind(range)).isEqualTo(RowKind.ANNOTATION);
        assertThat(classifier.classify(range)).isEqualTo(expected);
    }

    /** What no frame shows to be Python is not: XLA's own ranges are inside a frame and contain none. */
    @Test
    void rangesOfOtherRecordersArePythonWhereFramesShowIt() {
        Timeline timeline = TimelineFixture.blank()
                .python("main", 0, 50, "train.py(31): run_step")
                .scope("main", 5, 10, "Build buffer allocations")
                .scope("main", 20, 40, "my range")
                .python("main", 38, 41, "<built-in method __exit__>")
                .scope("main", 60, 70, "between frames")
                .scope("main", 80, 90, "choose (beams.py:7)")
                .scope("other", 0, 10, "a thread without frames")
                .build();
        ActivityClassifier classifier = new ActivityClassifier(timeline, true);
        Map<String, LedgerClass> classes = new HashMap<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            classes.put(timeline.name(row), classifier.classify(row));
        }

        assertThat(classes)
                .containsEntry("Build buffer allocations", LedgerClass.FRAMEWORK_DISPATCH)
                .containsEntry("my range", LedgerClass.CPU_PYTHON)
                .containsEntry("between frames", LedgerClass.CPU_UNKNOWN)
                .containsEntry("choose (beams.py:7)", LedgerClass.CPU_PYTHON)
                .containsEntry("a thread without frames", LedgerClass.CPU_UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource({
        "## forward ##, CPU_MODEL_COMPUTE, FRAMEWORK_DISPATCH",
        "## backward ##, CPU_MODEL_COMPUTE, FRAMEWORK_DISPATCH",
        "backwardness, CPU_CODE, CPU_CODE",
    })
    void aRangeAroundAPassIsTheModelsEitherWay(String name, LedgerClass onCpu, LedgerClass withDevice) {
        Timeline timeline = TimelineFixture.blank().scope("main", 0, 100, name).build();

        assertThat(new ActivityClassifier(timeline, false).classify(0)).isEqualTo(onCpu);
        assertThat(new ActivityClassifier(timeline, true).classify(0)).isEqualTo(withDevice);
    }

    /** Without a device, operators compute, and a range around them has the time between them. */
    @ParameterizedTest
    @CsvSource({"10, FRAMEWORK_DISPATCH", "200, CPU_MODEL_COMPUTE"})
    void shortTimeBetweenOperatorsIsDispatch(double betweenUs, LedgerClass expected) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 10 * (5 + betweenUs), "forward")
                .scope("main", 0, 5 * (5 + betweenUs), "block 1");
        for (int i = 0; i < 10; i++) {
            double startUs = i * (5 + betweenUs);
            fixture.operator("main", startUs, startUs + 5, "aten::add");
        }
        ActivityClassifier classifier = new ActivityClassifier(fixture.build(), false);

        assertThat(classifier.classify(0)).isEqualTo(expected);
        assertThat(classifier.classify(1)).isEqualTo(expected);
        assertThat(classifier.classify(2)).isEqualTo(LedgerClass.CPU_MODEL_COMPUTE);
    }

    /** Three milliseconds in an operator: computing, unless it is for memory or a call to the device. */
    @Test
    void aLongOperatorWithoutACallComputesOnTheCpu() {
        Timeline timeline = TimelineFixture.blank()
                .operator("main", 0, 3_000, "aten::normal_")
                .operator("main", 3_100, 6_100, "aten::empty")
                .operator("main", 6_200, 9_200, "aten::item")
                .call("main", 6_210, 9_190, "cudaStreamSynchronize")
                .operator("main", 9_300, 9_350, "aten::add")
                .operator("other", 0, 3_000, "aten::normal_")
                .build();
        ActivityClassifier classifier = new ActivityClassifier(timeline, true);
        List<LedgerClass> classes = IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.OPERATOR)
                .mapToObj(classifier::classify)
                .toList();

        assertThat(classes)
                .containsExactly(
                        LedgerClass.CPU_NATIVE,
                        LedgerClass.FRAMEWORK_ALLOCATION,
                        LedgerClass.FRAMEWORK_DISPATCH,
                        LedgerClass.FRAMEWORK_DISPATCH,
                        LedgerClass.FRAMEWORK_DISPATCH);
    }

    @Test
    void anOperatorOfACpuProviderComputesOnTheCpu() {
        TimelineFixture fixture = TimelineFixture.blank()
                .operator("main", 0, 30, "NonMaxSuppression")
                .text(Attribute.PROVIDER, "CPUExecutionProvider");

        assertThat(new ActivityClassifier(fixture.build(), true).classify(0)).isEqualTo(LedgerClass.CPU_NATIVE);
    }
}
