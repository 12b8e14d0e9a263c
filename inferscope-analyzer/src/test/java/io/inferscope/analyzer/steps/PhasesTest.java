package io.inferscope.analyzer.steps;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which phases and steps are found, and by what. */
class PhasesTest {
    /** Passes of a model on a CPU: loading up to 1,000 us, two slow passes, then those of 10 us with 10 us before each. */
    private static TimelineFixture cpuProgram(int steadyPasses) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 900, "from_pretrained Model")
                .activity(RangeActivity.LOAD)
                .scope("main", 1_000, 1_300, "forward Model")
                .activity(RangeActivity.MODEL)
                .scope("main", 1_310, 1_500, "forward Model")
                .activity(RangeActivity.MODEL);
        for (int i = 0; i < steadyPasses; i++) {
            fixture.scope("main", 1_510 + 20 * i, 1_520 + 20 * i, "forward Model")
                    .activity(RangeActivity.MODEL)
                    .scope("main", 1_502 + 20 * i, 1_508 + 20 * i, "tokenize")
                    .activity(RangeActivity.TOKENIZATION);
        }
        return fixture.scope("main", 1_520 + 20 * steadyPasses, 1_600 + 20 * steadyPasses, "shut down");
    }

    private static Analysis analysis(Timeline timeline) {
        return Analysis.of(timeline, Thresholds.defaults());
    }

    @Test
    void passesThatSettleMakeASteadyStateAndWhatIsBeforeThemIsStartUp() {
        Analysis analysis = analysis(cpuProgram(20).build());

        assertThat(analysis.phases().phases())
                .extracting(Phases.Phase::kind)
                .containsExactly(PhaseKind.LOAD, PhaseKind.WARM_UP, PhaseKind.STEADY_STATE, PhaseKind.AFTER);
        assertThat(analysis.judged().what()).isEqualTo(LedgerPart.STEADY_STATE);
        assertThat(analysis.judged().stretch()).isEqualTo(new Stretch(us(1_500), us(1_900)));
        assertThat(analysis.steps()).hasSize(22);
        assertThat(analysis.steps().get(2))
                .isEqualTo(new Step("forward Model", "", us(1_500), us(1_520), PhaseKind.STEADY_STATE));
        assertThat(analysis.phases().evidence()).contains("steps 3 to 22").contains("20.0 us");
    }

    /**
     * Passes of 100 and 800 us in turns, so that lengths show no warm-up; the first {@code loading} of them load code for 50
     * us each.
     */
    private static Analysis loadingPasses(int loading) {
        TimelineFixture fixture = TimelineFixture.blank();
        double atUs = 0;
        for (int i = 0; i < 12; i++) {
            double us = i % 2 == 0 ? 800 : 100;
            fixture.scope("main", atUs, atUs + us, "forward Model")
                    .activity(RangeActivity.MODEL)
                    .kernel("7", atUs + us - 20, atUs + us - 10, "gemm")
                    .launchedBy("main", atUs + us - 30, atUs + us - 25);
            if (i < loading) {
                fixture.call("main", atUs + 10, atUs + 60, "cuLibraryLoadData");
            }
            atUs += us + 10;
        }
        return analysis(fixture.build());
    }

    @Test
    void firstStepsThatLoadCodeAreWarmUp() {
        assertThat(loadingPasses(3).phases().evidence()).contains("steps 4 to 12");
        assertThat(loadingPasses(3).phases().phases())
                .extracting(Phases.Phase::evidence)
                .anyMatch(evidence -> evidence.startsWith("3 steps that load code, of 110 us to 810 us"));
        assertThat(loadingPasses(0).phases().evidence()).contains("steps 1 to 12");
        assertThat(loadingPasses(12).phases().evidence()).as("all of them").contains("steps 1 to 12");
    }

    /** Calls of coroutines that run at their beginning and at their end, one every {@code everyUs}, 200 us each. */
    private static Analysis suspendedCalls(int everyUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 20; i++) {
            double at = everyUs * i;
            fixture.scope("main", at, at + 10, "HTTP GET")
                    .scope("main", at + 190, at + 200, "HTTP GET")
                    .ofCallFrom(at)
                    .scope("main", at + 12, at + 188, "asyncio await")
                    .activity(RangeActivity.AWAIT);
        }
        return analysis(fixture.build());
    }

    @Test
    void stretchesOfACoroutineAreOneStepFromTheFirstToTheLast() {
        Analysis analysis = suspendedCalls(210);

        assertThat(analysis.steps()).hasSize(20);
        assertThat(analysis.steps().get(0))
                .extracting(Step::name, Step::startNs, Step::endNs)
                .containsExactly("HTTP GET", us(0), us(200));
        assertThat(Tables.of(analysis).rows(Report.SCOPES))
                .filteredOn(scope -> scope.name().equals("HTTP GET"))
                .singleElement()
                .satisfies(scope -> assertThat(scope)
                        .extracting(s -> s.count(), s -> s.wallNs(), s -> s.selfNs())
                        .containsExactly(20L, us(4_000), us(400)));
    }

    @Test
    void callsOfCoroutinesSideBySideAreNoSteps() {
        assertThat(suspendedCalls(60).steps()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"generate.py", "decode.py", "-m app.generate"})
    void aProgramThatIsCalledLikeAStepIsNone(String script) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 3_000, script)
                .activity(RangeActivity.INTERPRETER)
                .scope("main", 0, 900, "import torch")
                .activity(RangeActivity.LOAD);
        for (int i = 0; i < 20; i++) {
            fixture.scope("main", 1_010 + 20 * i, 1_020 + 20 * i, "forward Model")
                    .activity(RangeActivity.MODEL);
        }

        assertThat(analysis(fixture.build()).judged().stretch()).isEqualTo(new Stretch(us(1_010), us(1_400)));
    }

    /** A main thread that imports for 1,000 us and then waits for the thread that serves; on a CPU for so many us of each 100 meanwhile. */
    private static Analysis served(long onCpuUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 3_000, "app.py")
                .activity(RangeActivity.INTERPRETER)
                .scope("main", 0, 900, "import torch")
                .activity(RangeActivity.LOAD);
        for (int i = 0; i < 10; i++) { // The model is warmed up where it is made.
            fixture.scope("main", 900 + 10 * i, 908 + 10 * i, "forward Model").activity(RangeActivity.MODEL);
        }
        fixture.state("main", 0, 1_000, 1_000, 0, WaitReason.UNKNOWN);
        for (int i = 0; i < 20; i++) {
            long at = 1_000 + 100L * i;
            fixture.state("main", at, at + 100, onCpuUs, 0, WaitReason.FUTEX)
                    .state("pool_0", at, at + 100, 100, 0, WaitReason.UNKNOWN)
                    .scope("pool_0", at + 10, at + 90, "forward Model")
                    .activity(RangeActivity.MODEL);
        }
        return analysis(fixture.build());
    }

    @Test
    void theLoopOfAMainThreadThatOnlyWaitsIsThatOfTheThreadThatServes() {
        assertThat(served(5).judged().what()).isEqualTo(LedgerPart.STEADY_STATE);
        assertThat(served(5).judged().stretch().startNs()).isGreaterThanOrEqualTo(us(1_000));
        assertThat(served(5).ledger().subject()).contains("main");
        assertThat(served(60).judged().stretch().endNs()).isLessThan(us(1_000));
    }

    /** A main thread that waits for one thread after the other, each with four passes; or for all of them side by side. */
    private static Analysis threadPerRequest(boolean inTurn) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 3_000, "app.py")
                .activity(RangeActivity.INTERPRETER)
                .state("main", 0, 1_000, 1_000, 0, WaitReason.UNKNOWN)
                .state("main", 1_000, 3_000, 10, 0, WaitReason.FUTEX);
        for (int i = 0; i < 20; i++) {
            String thread = "Thread-" + i;
            long at = 1_000 + (inTurn ? 100L * i : 0);
            fixture.scope(thread, at, at + 98, "generate").activity(RangeActivity.MODEL);
            for (int pass = 0; pass < 4; pass++) {
                fixture.scope(thread, at + 24 * pass + 1, at + 24 * pass + 20, "forward Model")
                        .activity(RangeActivity.MODEL);
            }
        }
        return analysis(fixture.build());
    }

    @Test
    void thePassesOfThreadsThatTakeTurnsAreOneLoop() {
        Analysis inTurn = threadPerRequest(true);

        assertThat(inTurn.steps()).hasSize(80);
        assertThat(inTurn.judged().stretch()).isEqualTo(new Stretch(us(1_000), us(2_992)));
        assertThat(threadPerRequest(false).steps()).hasSize(4);
    }

    @Test
    void thePhasesLedgersSumToTheWindows() {
        Analysis analysis = analysis(cpuProgram(20).build());

        Ledger window = analysis.ledger(LedgerPart.WINDOW).orElseThrow();
        assertThat(Ledger.sum(LedgerPart.WINDOW, analysis.phaseLedgers())).isEqualTo(window);
        assertThat(analysis.ledger(LedgerPart.START_UP).orElseThrow().durationNs())
                .isEqualTo(us(1_500));
        assertThat(analysis.ledger())
                .isEqualTo(analysis.ledger(LedgerPart.STEADY_STATE).orElseThrow());
        assertThat(analysis.ledger().ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(20 * us(6));
    }

    @Test
    void eachStepSaysWhereItsTimeGoes() {
        Tables tables = Tables.of(analysis(cpuProgram(20).build()));

        StepTables.StepFigures step = tables.rows(StepTables.STEPS).get(0);
        assertThat(tables.rows(StepTables.STEPS)).hasSize(1);
        assertThat(step.count()).isEqualTo(20);
        assertThat(step.medianNs()).isEqualTo(us(20));
        assertThat(step.medianIdleNs()).isNull();
        assertThat(step.causes())
                .extracting(StepTables.StepCause::cause, StepTables.StepCause::medianNs, StepTables.StepCause::activity)
                .contains(tuple(LedgerClass.CPU_MODEL_COMPUTE, us(10), "forward Model"))
                .contains(tuple(LedgerClass.CPU_TOKENIZATION, us(6), "tokenize"));
    }

    @Test
    void fewStepsMakeNoSteadyState() {
        Analysis analysis = analysis(cpuProgram(4).build());

        assertThat(analysis.phases().phases()).isEmpty();
        assertThat(analysis.judged().what()).isEqualTo(LedgerPart.WINDOW);
        assertThat(analysis.phases().evidence())
                .isEqualTo("No steady state: only 4 steps follow the slow ones, and 5 are needed.");
    }

    @Test
    void stepsThatKeepChangingMakeNoSteadyState() {
        TimelineFixture fixture = TimelineFixture.blank();
        double startUs = 0;
        for (int i = 0; i < 20; i++) {
            double lengthUs = i < 10 ? 10 : 40;
            fixture.scope("main", startUs, startUs + lengthUs, "ProfilerStep#" + i);
            startUs += lengthUs;
        }
        Analysis analysis = analysis(fixture.build());

        assertThat(analysis.phases().steadyState()).isEmpty();
        assertThat(analysis.phases().evidence()).contains("differ from those of the first by a factor of 4.0");
        assertThat(analysis.steps()).hasSize(20).allMatch(step -> step.phase() == null);
    }

    /** What a request does before its pass may take longer than that; a long pause says that passes do not recur. */
    @ParameterizedTest
    @CsvSource({"0, true", "400, false"})
    void passesWithMuchBetweenThemRecurAllTheSame(double pauseUs, boolean steady) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 20; i++) {
            double startUs = 1_000 + 100 * i + (i < 10 ? 0 : pauseUs);
            fixture.scope("main", startUs, startUs + 90, "POST /score")
                    .scope("main", startUs + 60, startUs + 90, "forward Model")
                    .activity(RangeActivity.MODEL);
        }
        Analysis analysis = analysis(fixture.build());

        assertThat(analysis.phases().steadyState().isPresent()).isEqualTo(steady);
        assertThat(analysis.phases().evidence().contains("with a gap of 470 us"))
                .isNotEqualTo(steady);
    }

    @Test
    void oneSlowStepDoesNotEndASteadyState() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 20; i++) {
            fixture.scope("main", 100 * i, 100 * i + (i == 7 ? 90 : 20), "ProfilerStep#" + i);
        }

        assertThat(analysis(fixture.build()).phases().steadyState()).isPresent();
    }

    @Test
    void compilingThatFillsAStretchIsAPhase() {
        Timeline timeline = cpuProgram(20)
                .scope("main", 1_010, 1_260, "torch.compile forward")
                .activity(RangeActivity.LOAD)
                .build();

        assertThat(analysis(timeline).phases().phases())
                .extracting(Phases.Phase::kind, phase -> phase.stretch().durationNs())
                .contains(tuple(PhaseKind.COMPILE, us(250)))
                .contains(tuple(PhaseKind.WARM_UP, us(240)));
    }

    @Test
    void warmUpThatCompilingDividesHasALedgerOfEachPart() {
        TimelineFixture fixture = cpuProgram(20)
                .scope("main", 1_010, 1_260, "torch.compile forward")
                .activity(RangeActivity.LOAD);
        for (double at : new double[] {1_270, 1_400}) {
            fixture.kernel("7", at + 5, at + 10, "gemm").launchedBy("main", at, at + 2);
        }
        for (int i = 0; i < 20; i++) {
            fixture.kernel("7", 1_514 + 20 * i, 1_518 + 20 * i, "gemm")
                    .launchedBy("main", 1_511 + 20 * i, 1_512 + 20 * i);
        }
        Analysis analysis = analysis(fixture.build());

        assertThat(analysis.headline()).isPresent();
        assertThat(analysis.phaseLedgers())
                .extracting(Ledger::part, Ledger::durationNs)
                .startsWith(
                        tuple(LedgerPart.LOAD, us(1_000)),
                        tuple(LedgerPart.WARM_UP, us(10)),
                        tuple(LedgerPart.COMPILE, us(250)),
                        tuple(LedgerPart.WARM_UP, us(258)));
    }

    @Test
    void whatRecursInsideOnePassIsNoStep() {
        TimelineFixture fixture =
                TimelineFixture.blank().scope("main", 0, 1_000, "forward Model").activity(RangeActivity.MODEL);
        for (int i = 0; i < 12; i++) {
            fixture.scope("main", 10 + 80 * i, 80 + 80 * i, "forward attention").activity(RangeActivity.MODEL);
        }

        assertThat(analysis(fixture.build()).steps()).isEmpty();
    }

    @Test
    void theFirstPassOfAGenerationIsThePrefill() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int g = 0; g < 3; g++) {
            double at = 1_000 * g;
            fixture.scope("main", at, at + 600, "generate").activity(RangeActivity.MODEL);
            for (int i = 0; i < 5; i++) {
                fixture.scope("main", at + 10 + 100 * i, at + 100 + 100 * i, "forward Llama")
                        .activity(RangeActivity.MODEL);
            }
        }
        Analysis analysis = analysis(fixture.build());

        assertThat(analysis.steps()).hasSize(15);
        assertThat(analysis.steps().subList(0, 6))
                .extracting(Step::kind)
                .containsExactly("prefill", "decode", "decode", "decode", "decode", "prefill");
        assertThat(analysis.steps().get(5).startNs()).isEqualTo(us(1_000));
    }

    @ParameterizedTest
    @CsvSource({
        "'step[DECODE bs=32]', true, decode",
        "'step[EXTEND bs=15 toks=15360]', true, prefill",
        "'execute_32_context_0(sq0sk0)_generation_32(sq32)', true, decode",
        "'execute_context_1(888)_generation_0(0)', true, prefill",
        "'execute_9_context_1(8)_generation_8(8)', true, mixed",
        "forward LlamaForCausalLM, true, ''",
        "forward LlamaForCausalLM (draft), false, ''",
        "vllm.step, true, ''",
        "Optimizer.step#SGD.step, false, ''",
        "nccl:all_reduce, false, ''",
        "generate, false, ''",
        "tokenize, false, ''"
    })
    void namesOfRangesTellPasses(String name, boolean pass, String kind) {
        assertThat(StepNames.isPass(name)).isEqualTo(pass);
        assertThat(StepNames.kind(name)).isEqualTo(kind);
    }

    /** A loop of launches that ends with a copy to the host, drawn by a list of kernel names per iteration. */
    private static TimelineFixture launching(List<List<String>> iterations, boolean exchanges) {
        TimelineFixture fixture = TimelineFixture.blank();
        double at = 0;
        for (List<String> kernels : iterations) {
            for (String kernel : kernels) {
                fixture.kernel("7", at + 5, at + 9, kernel).launchedBy("main", at, at + 2);
                at += 10;
            }
            if (exchanges) {
                fixture.d2h("7", at + 3, at + 4, "Memcpy DtoH (Device -> Pinned)")
                        .launchedBy("main", at, at + 2, "cudaMemcpyAsync");
                fixture.call("main", at + 2, at + 6, "cudaStreamSynchronize");
            }
            at += 10;
        }
        return fixture;
    }

    /** A large kernel, and then elements of its result that are read one by one. */
    @Test
    void copiesThatRecurWithoutAKernelAreNoSteps() {
        TimelineFixture fixture =
                TimelineFixture.blank().kernel("7", 5, 900, "gemm").launchedBy("main", 0, 2);
        for (int i = 0; i < 40; i++) {
            double at = 1000 + 10 * i;
            fixture.d2h("7", at + 3, at + 4, "Memcpy DtoH (Device -> Pageable)")
                    .launchedBy("main", at, at + 6, "cudaMemcpy");
        }

        assertThat(analysis(fixture.build()).phases().loop()).isEmpty();
    }

    /** The same, with a kernel that picks each element: little of what the device did. */
    @Test
    void launchesThatRecurWithLittleOfTheDevicesWorkAreNoSteps() {
        assertThat(analysis(launching(java.util.Collections.nCopies(10, List.of("pick", "cast", "scale")), true)
                                .kernel("7", 1_000, 60_000, "gemm")
                                .launchedBy("main", 900, 902)
                                .build())
                        .phases()
                        .loop())
                .isEmpty();
    }

    @Test
    void launchesThatRecurBetweenExchangesAreSteps() {
        List<String> step = List.of("embed", "gemm", "softmax", "gemm");
        Analysis analysis = analysis(
                launching(java.util.Collections.nCopies(10, step), true).build());

        assertThat(analysis.phases().loop().orElseThrow().source()).isEqualTo(Loop.Source.LAUNCHES);
        assertThat(analysis.steps()).hasSize(9);
        assertThat(analysis.steps().subList(1, 9)).allMatch(s -> s.durationNs() == us(50));
        StepTables.StepFigures figures =
                Tables.of(analysis).rows(StepTables.STEPS).get(0);
        assertThat(figures.medianBusyNs()).isEqualTo(us(17));
        assertThat(figures.medianIdleNs()).isEqualTo(us(33));
    }

    @Test
    void launchesThatRecurWithoutAnExchangeAreLayers() {
        List<String> layer = List.of("gemm", "softmax", "gemm");

        assertThat(analysis(launching(java.util.Collections.nCopies(12, layer), false)
                                .build())
                        .steps())
                .isEmpty();
    }

    @Test
    void randomLaunchesAreNoSteps() {
        for (int seed = 0; seed < Seeds.of(200, 2); seed++) {
            Random random = new Random(seed);
            List<List<String>> iterations = new java.util.ArrayList<>();
            for (int i = 0; i < 60; i++) {
                List<String> kernels = new java.util.ArrayList<>();
                for (int k = 0; k < 1 + random.nextInt(4); k++) {
                    kernels.add("kernel" + random.nextInt(4));
                }
                iterations.add(kernels);
            }
            assertThat(analysis(launching(iterations, true).build()).steps())
                    .as("seed " + seed)
                    .isEmpty();
        }
    }

    @Test
    void whatRunsLaterOnTheDeviceBelongsToTheStepThatLaunchedIt() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 6; i++) {
            fixture.scope("main", 10 * i, 10 * i + 10, "ProfilerStep#" + i)
                    .kernel("7", 8 + 100 * i, 98 + 100 * i, "gemm")
                    .launchedBy("main", 10 * i + 2, 10 * i + 4);
        }
        Analysis analysis = analysis(fixture.build());

        assertThat(analysis.judged().stretch()).isEqualTo(new Stretch(0, us(598)));
        assertThat(analysis.steps())
                .extracting(Step::endNs)
                .containsExactly(us(98), us(198), us(298), us(398), us(498), us(598));
        assertThat(analysis.ledger().ns(LedgerClass.GPU_COMPUTE)).isEqualTo(us(540));
    }

    @Test
    void idleTimeIsToldByOperator() {
        Tables tables = Tables.of(analysis(TimelineFixture.blank()
                .kernel("7", 0, 10, "gemm")
                .operator("main", 10, 40, "aten::linear")
                .operator("main", 20, 40, "aten::addmm")
                .kernel("7", 40, 50, "gemm")
                .launchedBy("main", 36, 38)
                .build()));

        assertThat(tables.rows(StepTables.IDLE_OPERATORS))
                .containsExactly(
                        new StepTables.OperatorIdle("aten::addmm", LedgerClass.FRAMEWORK_DISPATCH, us(20)),
                        new StepTables.OperatorIdle("aten::linear", LedgerClass.FRAMEWORK_DISPATCH, us(10)));
        assertThat(tables.rows(StepTables.LARGEST_GAPS))
                .containsExactly(new StepTables.GapFigures(
                        new Stretch(us(10), us(40)),
                        LedgerPart.SPAN,
                        LedgerClass.FRAMEWORK_DISPATCH,
                        "thread main",
                        "aten::addmm",
                        ""));
    }

    @Test
    void gapsThatNobodyCouldCloseAreNotListed() {
        Tables tables = Tables.of(analysis(TimelineFixture.blank()
                .kernel("7", 0, 10, "gemm")
                .kernel("7", 10.9, 20, "gemm")
                .kernel("7", 21, 30, "gemm")
                .build()));

        assertThat(tables.rows(StepTables.LARGEST_GAPS))
                .extracting(StepTables.GapFigures::stretch)
                .containsExactly(new Stretch(us(20), us(21)));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "-60, 80"})
    void whatLeadsToTheFirstPassBelongsToItWhereItIsLikeWhatLeadsToOthers(double outerUs, double firstUs) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", outerUs, 1_000, "serve");
        for (int i = 0; i < 10; i++) {
            fixture.scope("main", 100 * i + 80, 100 * i + 100, "forward Model").activity(RangeActivity.MODEL);
        }
        Analysis analysis = analysis(fixture.build());

        assertThat(analysis.steps()).hasSize(10);
        assertThat(analysis.steps().get(0).startNs()).isEqualTo(us(firstUs));
        assertThat(analysis.steps().get(1))
                .extracting(Step::startNs, Step::endNs)
                .containsExactly(us(100), us(200));
    }
}
