package io.inferscope.analyzer.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.rules.Advice.Figure;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is advised must be about the program that was recorded. */
class AdviceTest {
    /** Two kernels, the second of which a call of so many us launches while nothing runs. */
    private static TimelineFixture launching(double callUs) {
        return TimelineFixture.blank()
                .kernel("7", 10, 20, "gemm")
                .launchedBy("main", 0, 5)
                .kernel("7", 35 + callUs, 60 + callUs, "gemm")
                .launchedBy("main", 30, 30 + callUs);
    }

    private static String against(LedgerClass cause, TimelineFixture fixture) {
        return Advice.against(cause, Analysis.of(fixture.build(), Thresholds.defaults()));
    }

    @Test
    void pinnedMemoryNeedNotBePinned() {
        TimelineFixture pageable = launching(4).h2d("7", 70, 80, "Memcpy HtoD (Pageable -> Device)");
        TimelineFixture pinned = launching(4)
                .h2d("7", 70, 80, "Memcpy HtoD (Pinned -> Device)")
                .bytes(1_000_000)
                .h2d("7", 80, 81, "Memcpy HtoD (Pageable -> Device)")
                .bytes(784);

        assertThat(against(LedgerClass.COPY_H2D, pageable)).contains("`pin_memory=True` and");
        assertThat(against(LedgerClass.COPY_H2D, pinned))
                .contains("pinned already")
                .doesNotContain("pin_memory");
    }

    @ParameterizedTest
    @EnumSource(LedgerClass.class)
    void onlyTimeThatNothingExplainsIsToldToRecordMore(LedgerClass cause) {
        assertThat(against(cause, launching(4)).contains("no evidence explains"))
                .isEqualTo(cause == LedgerClass.UNATTRIBUTED);
    }

    @ParameterizedTest
    @EnumSource(
            value = LedgerClass.class,
            names = {"CPU_TOKENIZATION", "WAIT_RUN_QUEUE"})
    void aJvmIsToldNothingOfPython(LedgerClass cause) {
        TimelineFixture python = TimelineFixture.blank()
                .scope("main", 0, 10, "step")
                .python("main", 1, 2, "transformers/tokenization_utils.py(7): encode");
        TimelineFixture java =
                TimelineFixture.blank().scope("main", 0, 10, "step").property("process.1.runtime", "JVM 17");

        assertThat(against(cause, python)).containsAnyOf("use_fast", "OMP_NUM_THREADS");
        assertThat(against(cause, java)).isNotEmpty().doesNotContain("use_fast", "OMP_NUM_THREADS", "torch");
    }

    /** A JVM that nothing was loaded into is known by its own threads; a program without Python is told nothing of PyTorch. */
    @Test
    void aProgramWithoutPythonIsToldNothingOfPyTorch() {
        TimelineFixture jvm = TimelineFixture.blank()
                .state("main", 0, 10, 5, 5, WaitReason.UNKNOWN)
                .state("G1 Service", 0, 10, 0, 0, WaitReason.FUTEX);
        TimelineFixture server = TimelineFixture.blank().state("main", 0, 10, 5, 5, WaitReason.UNKNOWN);

        assertThat(against(LedgerClass.WAIT_RUN_QUEUE, jvm)).contains("-XX:").doesNotContain("OMP_NUM_THREADS");
        assertThat(against(LedgerClass.WAIT_RUN_QUEUE, server))
                .contains("where they are OpenMP's")
                .doesNotContain("torch");
    }

    /** {@code use_fast} is an option of the package transformers. */
    @Test
    void aTokenizerOfOnesOwnHasNoOptionsOfTransformers() {
        TimelineFixture own = TimelineFixture.blank().scope("main", 0, 10, "step");

        assertThat(against(LedgerClass.CPU_TOKENIZATION, own))
                .contains("hottest lines")
                .doesNotContain("use_fast");
    }

    @Test
    void withoutAGpuNoneHasNothingToDo() {
        assertThat(against(LedgerClass.WAIT_SOCKET, TimelineFixture.blank().scope("main", 0, 10, "step")))
                .doesNotContain("GPU");
        assertThat(against(LedgerClass.WAIT_SOCKET, launching(4))).contains("GPU");
    }

    @Test
    void aProgramWithoutAnEngineIsToldOfNone() {
        assertThat(against(LedgerClass.FRAMEWORK_DISPATCH, launching(4)))
                .contains("torch.compile")
                .doesNotContain("LLM", "SGLang", "--");
    }

    @ParameterizedTest
    @ValueSource(strings = {"onnxruntime", "xla", "trtexec"})
    void aProgramThatIsNotPyTorchsIsToldOfItsOwnOptions(String format) {
        Analysis analysis = Analysis.of(launching(4).builder().build(format), Thresholds.defaults());

        assertThat(Advice.against(LedgerClass.FRAMEWORK_DISPATCH, analysis)).doesNotContain("torch");
        assertThat(Advice.against(LedgerClass.FRAMEWORK_COMPILE_LOAD, analysis)).doesNotContain("CUDA_MODULE_LOADING");
    }

    @Test
    void anEngineIsKnownByItsModulesKernelsAndSteps() {
        assertThat(against(
                        LedgerClass.FRAMEWORK_DISPATCH,
                        launching(4).python("main", 0, 9, "vllm/v1/engine/core.py(12): step")))
                .contains("--enforce-eager", "FULL_AND_PIECEWISE")
                .doesNotContain("SGLang");
        assertThat(against(
                        LedgerClass.FRAMEWORK_LAUNCH,
                        launching(4).kernel("7", 70, 80, "void vllm::rms_norm_kernel<float>(float*)")))
                .contains("--enforce-eager");
        assertThat(against(LedgerClass.FRAMEWORK_LAUNCH, launching(4).scope("main", 0, 9, "step[DECODE bs=4]")))
                .contains("--cuda-graph-max-bs");
    }

    @Test
    void kernelsOfVllmInSglangAreSglangs() {
        assertThat(against(
                        LedgerClass.FRAMEWORK_DISPATCH,
                        launching(4)
                                .kernel("7", 70, 80, "void vllm::rms_norm_kernel<float>(float*)")
                                .python("main", 0, 9, "sglang/srt/managers/scheduler.py(5): run_batch")))
                .contains("--disable-cuda-graph")
                .doesNotContain("--enforce-eager");
    }

    @Test
    void oneSlowLaunchIsNotHelpedByFewerOfThem() {
        assertThat(against(LedgerClass.FRAMEWORK_LAUNCH, launching(4))).startsWith("Launch less");
        assertThat(against(LedgerClass.FRAMEWORK_LAUNCH, launching(400))).startsWith("A launch takes 2 to 10 us.");
        assertThat(against(LedgerClass.FRAMEWORK_DISPATCH, launching(400))).startsWith("Launch less");
    }

    /** A query that takes long makes the context: to load modules eagerly would make it longer. */
    @Test
    void makingTheContextIsNotCompiling() {
        assertThat(against(
                        LedgerClass.FRAMEWORK_COMPILE_LOAD,
                        launching(4).call("main", -50_000, -1, "cudaDeviceGetStreamPriorityRange")))
                .contains("CUDA_VISIBLE_DEVICES")
                .doesNotContain("CUDA_MODULE_LOADING");
        assertThat(against(LedgerClass.FRAMEWORK_COMPILE_LOAD, launching(4).call("main", -50_000, -1, "cudaFree")))
                .contains("CUDA_VISIBLE_DEVICES");
        assertThat(against(LedgerClass.FRAMEWORK_COMPILE_LOAD, launching(4).call("main", -50_000, -1, "cuModuleLoad")))
                .contains("CUDA_MODULE_LOADING=EAGER");
    }

    @Test
    void unloadingIsNotHelpedByLoadingSooner() {
        assertThat(against(
                        LedgerClass.FRAMEWORK_COMPILE_LOAD,
                        launching(4).call("main", 90_000, 190_000, "cuModuleUnload")))
                .startsWith("Unload no code before the process ends");
    }

    @Test
    void aLoaderWithWorkersIsNotToldToHaveSome() {
        assertThat(against(
                        LedgerClass.CPU_PREPROCESSING,
                        launching(4)
                                .scope(
                                        "main",
                                        -50,
                                        -1,
                                        "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__")))
                .startsWith("The DataLoader's worker processes")
                .doesNotContain("num_workers=N");
    }

    @Test
    void aCollectiveWaitsForOtherRanks() {
        assertThat(against(LedgerClass.WAIT_UNKNOWN, TimelineFixture.blank().scope("main", 0, 100, "gloo:all_reduce")))
                .startsWith("A collective waits for the slowest rank");
        assertThat(against(LedgerClass.WAIT_UNKNOWN, TimelineFixture.blank().scope("main", 0, 100, "serve")))
                .startsWith("The thread waits, and the recording does not show for what");
    }

    @Test
    void largeCopiesAreNotSaidToCostAsMuchAsSmallOnes() {
        assertThat(advice("copies-per-step", Map.of(Figure.COPY_BYTES, 400e6)))
                .doesNotContain("10 us")
                .startsWith("These copies are large");
        assertThat(advice("copies-per-step", Map.of(Figure.COPY_BYTES, 80.0)))
                .startsWith("A copy costs some 10 us however small it is");
    }

    @Test
    void whereAllIsCopiedNothingIsDetokenized() {
        assertThat(advice("CPU_SERIALIZATION", Map.of(Figure.COPIED_RATIO, 1.0)))
                .doesNotContain("detokenize")
                .startsWith("Copy results back");
        assertThat(advice("CPU_SERIALIZATION", Map.of(Figure.COPIED_RATIO, 0.0)))
                .contains("detokenize once per batch")
                .doesNotContain("Copy results");
        assertThat(advice("CPU_SERIALIZATION", Map.of())).contains("detokenize once per batch");
    }

    @Test
    void aStreamOfItsOwnIsForCommunicationThatNothingAwaits() {
        assertThat(advice("GPU_COMMUNICATION", Map.of(Figure.SERIAL_RATIO, 0.9, Figure.AWAITED_RATIO, 1.0)))
                .doesNotContain("stream of their own");
        assertThat(advice("GPU_COMMUNICATION", Map.of(Figure.SERIAL_RATIO, 0.9, Figure.AWAITED_RATIO, 0.0)))
                .startsWith("Give collectives a stream of their own.");
        assertThat(advice("GPU_COMMUNICATION", Map.of(Figure.SERIAL_RATIO, 0.1, Figure.AWAITED_RATIO, 0.0)))
                .doesNotContain("stream of their own");
    }

    @Test
    void theFirstLaunchLoadsItsModule() {
        assertThat(Advice.of(
                        "slow-launch-calls", Set.of(RecordingProperty.NVIDIA)::contains, Map.of(Figure.ONE_OFF, 1.0)))
                .startsWith("At the first use of a kernel its module is loaded")
                .doesNotContain("descheduled");
        assertThat(Advice.of("slow-launch-calls", Set.of(RecordingProperty.NVIDIA)::contains, Map.of()))
                .startsWith("A launch takes 2 to 10 us.");
    }

    @Test
    void graphsAreNotAdvisedWhereTheyAreReplayed() {
        for (RecordingProperty program : Set.of(
                RecordingProperty.VLLM,
                RecordingProperty.SGLANG,
                RecordingProperty.TORCH,
                RecordingProperty.ONNX,
                RecordingProperty.TENSORRT,
                RecordingProperty.GPU)) {
            assertThat(Advice.of("launch-bound", Set.of(program, RecordingProperty.REPLAYS_GRAPHS)::contains, Map.of()))
                    .doesNotContain("CUDA graphs", "enforce-eager", "as a graph")
                    .contains("replayed by graphs already");
        }
    }

    private static String advice(String topic, Map<Figure, Double> figures) {
        return Advice.of(topic, fact -> false, figures);
    }
}
