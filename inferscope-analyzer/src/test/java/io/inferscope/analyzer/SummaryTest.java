package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Reason;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The sentences at the head of a report. */
class SummaryTest {
    private static final BoundVerdict GPU = new BoundVerdict(Bound.GPU, "GPU.", 10, Bound.BALANCED, List.of());

    @Test
    void saysIdleTimeVerdictAndWhatDominates() {
        assertThat(diagnosis("""
                        us           0         10        20        30        40
                        thread main  LL..........[tokenize      ]LL
                        stream 7     ..KKKKKKKKKK..................KKKKKKKKKK
                        links in order
                        """))
                .containsExactly(
                        "GPU is idle for 50% of the timeline",
                        "Inference is CPU-bound", "Tokenization dominates CPU time");
    }

    @Test
    void aProgramWithoutDevicesHasNothingToKeepUpWith() {
        assertThat(diagnosis("""
                        us           0         10        20        30        40
                        thread main  [load_model                ][generate  ]
                        """))
                .containsExactly(
                        "Inference is CPU-bound: most of the time goes to work outside the model, above all compile and load",
                        "Compiling and loading dominates CPU time");
    }

    @Test
    void whatAStartTakesDominatesNoSteadyState() {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 600_000, "load_model");
        for (int i = 0; i < 40; i++) {
            long at = 600_000 + 10_000L * i;
            fixture.scope("main", at, at + 6_000, "json").scope("main", at + 6_000, at + 10_000, "generate");
        }
        Analysis analysis = analysis(fixture.build());

        assertThat(analysis.judgesSteadyState()).isTrue();
        assertThat(Summary.diagnosis(analysis, Judge.judge(analysis, List.of()), false))
                .contains("Serialisation dominates CPU time")
                .noneMatch(line -> line.contains("loading"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "autograd::engine::evaluate_function: MmBackward0",
                "Optimizer.step#SGD.step",
                "torch/_tensor.py(625): backward"
            })
    void aBackwardPassIsTraining(String name) {
        Timeline timeline = TimelineFixture.blank()
                .kernel("7", 0, 900, "gemm")
                .kernel("7", 900, 1000, "gemm")
                .operator("main", 0, 100, name)
                .build();

        assertThat(Summary.diagnosis(analysis(timeline), GPU, false)).contains("Training is GPU-bound");
    }

    /** Nsight Systems names the program; no framework for models is known in it. */
    @Test
    void aProgramOfItsOwnKernelsNeitherInfersNorTrains() {
        TimelineFixture fixture =
                TimelineFixture.blank().kernel("7", 5, 1000, "reduce").launchedBy("main", 0, 4, "cudaLaunchKernel");
        fixture.builder().trackName(fixture.builder().track(TrackKind.PROCESS, -1, "1"), "sgemm");

        assertThat(Summary.diagnosis(analysis(fixture.builder().build("nsys")), GPU, false))
                .contains("The program is GPU-bound");
    }

    @Test
    void saysHowMuchPassesBeforeAndAfterAShortSpan() {
        assertThat(diagnosis("""
                        us           0         10        20        30        40
                        thread main  [load_model      ]Ll........[json      ]
                        stream 7     ....................KKKKkkkk
                        links in order
                        """))
                .containsExactly(
                        "GPU is idle for 80% of the timeline",
                        "Inference is GPU-bound. Its span is 20.0% of the timeline",
                        "50% of the timeline passes before the first GPU operation, mostly compile and load",
                        "30% of the timeline passes after the last GPU operation, mostly serialisation",
                        "Compiling and loading dominates CPU time");
    }

    @Test
    void doesNotCallAGpuIdleWhoseEarlierWorkIsMissing() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.kernel("7", 3000, 6000, "gemm").launchedBy("main", 0, 10);
        assertThat(Summary.diagnosis(analysis(fixture.build()), GPU, false))
                .contains("No work of the GPU is recorded for 50% of the timeline")
                .noneMatch(line -> line.contains("idle") || line.contains("before the first GPU operation"));
    }

    @Test
    void doesNotCallAGpuIdleOfARecordingThatTheGateRefused() {
        Analysis analysis = analysis(TimelineFixture.draw("""
                us        0         10        20
                stream 7  KKKK............KKKK
                """));

        assertThat(Summary.diagnosis(analysis, Judge.judge(analysis, List.of()), true))
                .first()
                .isEqualTo("No work of the GPU is recorded for 60% of the timeline");
    }

    @Test
    void manyGpusShareOneSentence() {
        assertThat(diagnosis("""
                        us                 0         10        20
                        device 0 stream 7  KKKKKKKKKKKKKKKKKKKK
                        device 1 stream 7  KKKKKKKKKK..........
                        device 2 stream 7  KKKKKKKKKKKKKKK.....
                        """))
                .containsExactly(
                        "The 3 GPUs are idle for 0% (GPU 0) to 50% (GPU 1) of the timeline", "Inference is GPU-bound");
    }

    @Test
    void numbersTheGpusWhereThereAreSeveral() {
        assertThat(diagnosis("""
                        us                 0         10        20
                        device 0 stream 7  KKKKKKKKKKKKKKKKKKKK
                        device 1 stream 7  KKKKKKKKKK..........
                        """))
                .containsExactly(
                        "GPU 0 is idle for 0% of the timeline",
                        "GPU 1 is idle for 50% of the timeline", "Inference is GPU-bound");
    }

    @Test
    void hasNoIdleTimeWithoutAGpu() {
        assertThat(diagnosis("""
                        us           0         10        20        30        40
                        thread main  [generate                          ][x ]
                        """))
                .containsExactly("Inference is compute-bound on the CPU", "The model's computation dominates CPU time");
    }

    @Test
    void saysWhenThereIsNoVerdict() {
        assertThat(diagnosis("""
                        us        0         10        20
                        stream 7  KKKK............KKKK
                        """))
                .containsExactly(
                        "GPU is idle for 60% of the timeline", "No verdict: the recording is not good enough for one");
    }

    /** Work of the device may be lost, beside which the host's calls look like computing. */
    @Test
    void nothingDominatesARecordingThatIsTooDamagedForAVerdict() {
        assertThat(new Analyzer().analyze(generating().build(), "whole").diagnosis())
                .contains("The model's computation dominates CPU time");
        TimelineFixture damaged = generating().eventsRead(10).damaged(ImportStats.Reason.RECORDER_DROPPED, 9);
        assertThat(new Analyzer().analyze(damaged.build(), "damaged").diagnosis())
                .contains("No verdict: the recording is not good enough for one")
                .noneMatch(line -> line.contains("dominates"));
    }

    /** The verdict counts what is outside the model together, so the largest class has the rest beside it. */
    @Test
    void theModelsPartIsSaidBesideTheRest() {
        assertThat(diagnosis("""
                        us           0         10        20        30        40
                        thread main  [generate    ][tokenize  ][preprocess]
                        """))
                .contains("The model's computation takes 36.8% of CPU time, more than any other class;"
                        + " all work outside it takes 63.2%");
    }

    private static TimelineFixture generating() {
        return TimelineFixture.drawing("""
                us           0         10        20        30        40
                thread main  [generate                          ][x ]
                """);
    }

    /** The model is called again and again, each time after a wait for the GIL. */
    @Test
    void whatHeldTheGilInMostStepsIsSaidWhereThatIsRecorded() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int us = 0; us < 2_000; us += 100) {
            fixture.state("11", us, us + 60, 0, 0, WaitReason.GIL).heldBy(12);
            fixture.state("11", us + 60, us + 100, 40, 0, WaitReason.UNKNOWN);
            fixture.scope("11", us + 60, us + 100, "forward Model").activity(RangeActivity.MODEL);
        }
        fixture.state("12", 0, 2_000, 2_000, 0, WaitReason.UNKNOWN).sample("12", 0, 2_000, "feed.py(8): rows");
        assertThat(new Analyzer().analyze(fixture.build(), "gil").diagnosis())
                .anyMatch(line ->
                        line.startsWith("Each step") && line.endsWith("waiting for the GIL, held at feed.py:8 rows"));
    }

    @Test
    void theFrameworksOwnPythonIsCalledSo() {
        assertThat(diagnosis("""
                        us           0         10        20        30        40
                        thread main  "app.py(7): f""transformers/a.py(9): g"
                        """)).contains("The framework's own Python code dominates CPU time");
    }

    @Test
    void suggestionsAreSaidOnce() {
        assertThat(Summary.suggestions(
                        List.of(advising("Pin."), advising("Fuse."), advising("Pin."), advising("")),
                        new BoundVerdict(Bound.CPU, "CPU.", 10, Bound.BALANCED, List.of(Reason.figure("because")))))
                .containsExactly("Pin.", "Fuse.");
    }

    /** The copies lie under a kernel, so pinning their memory saves nothing; the tokenizer keeps the GPU waiting. */
    @Test
    void whatSavesNothingIsNoSuggestion() {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 10, 500, "gemm")
                .launchedBy("main", 5, 7)
                .h2d("8", 100, 140, "Memcpy HtoD (Pageable -> Device)")
                .bytes(4096)
                .launchedBy("main", 90, 92, "cudaMemcpyAsync")
                .scope("main", 500, 690, "tokenize")
                .kernel("7", 700, 1_000, "gemm")
                .launchedBy("main", 695, 697);
        Report report = new Analyzer().analyze(fixture.build(), "pageable");

        assertThat(report.findings()).anyMatch(finding -> finding.rule().equals("pageable-copies"));
        assertThat(report.suggestions()).isNotEmpty().noneMatch(advice -> advice.contains("pinned"));
    }

    @Test
    void aStartUpIsNoSuggestionWhereTheSteadyStateIsJudged() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.scope("main", 0, 1_500, "import torch").activity(RangeActivity.LOAD);
        for (int us = 1_500; us < 2_100; us += 30) {
            fixture.scope("main", us, us + 30, "step").scope("main", us, us + 20, "tokenize");
        }
        Report report = new Analyzer().analyze(fixture.build(), "serve");

        assertThat(report.judged().what()).isEqualTo(LedgerPart.STEADY_STATE);
        assertThat(report.findings()).anyMatch(finding -> finding.rule().equals("compile-load"));
        assertThat(report.suggestions()).isNotEmpty().noneMatch(advice -> advice.contains("before serving"));
    }

    @Test
    void theRemedyOfAWithheldVerdictIsNoSuggestionAsWell() {
        TimelineFixture unexplained = TimelineFixture.blank()
                .kernel("7", 0, 10, "gemm")
                .launchedBy("main", -5, -4)
                .kernel("7", 90, 100, "gemm")
                .launchedBy("main", 89, 90);
        Report report = new Analyzer().analyze(unexplained.build(), "unexplained");
        String remedy = "record the host side too, with `inferscope run -- COMMAND`";

        assertThat(report.verdict().because()).endsWith("To decide: " + remedy);
        assertThat(report.findings())
                .extracting(Finding::advice)
                .contains("R" + remedy.substring(1) + ": no evidence explains this time.");
        assertThat(report.suggestions()).noneMatch(suggestion -> suggestion.contains("inferscope run"));
    }

    @Test
    void aScopeOfAJvmIsNotCalledPython() {
        TimelineFixture fixture =
                TimelineFixture.blank().scope("main", 0, 100, "serve").property("process.1.runtime", "JVM 17");
        assertThat(analysis(fixture.build()).ledger().entries())
                .extracting(entry -> entry.ledgerClass().id())
                .containsExactly("cpu.code");
    }

    @Test
    void thereAreAtMostFiveSuggestions() {
        List<Finding> findings =
                IntStream.range(0, 7).mapToObj(i -> advising("advice " + i)).toList();

        assertThat(Summary.suggestions(
                        findings,
                        new BoundVerdict(Bound.CPU, "CPU.", 10, Bound.BALANCED, List.of(Reason.figure("because")))))
                .containsExactly("advice 0", "advice 1", "advice 2", "advice 3", "advice 4");
    }

    @Test
    void aRunTooShortToBeSampledSaysSo() {
        assertThat(Summary.notes(analysis(TimelineFixture.blank()
                        .state("main", 0, 49_000, 49_000, 0, WaitReason.UNKNOWN)
                        .build())))
                .contains(
                        "The program ran for 49.0 ms, too short for more than a few samples: let it repeat its work.");
        assertThat(Summary.notes(analysis(TimelineFixture.blank()
                        .state("main", 0, 50_000, 50_000, 0, WaitReason.UNKNOWN)
                        .build())))
                .noneMatch(note -> note.startsWith("The program ran"));
    }

    @Test
    void notesSayWhatChangesHowFiguresMustBeRead() {
        Timeline timeline = TimelineFixture.drawing("""
                        us                 0         10        20
                        thread main        "app.py(7): f       "
                        device 0 stream 7  KKKKKKKKKK.....KKKKK
                        device 1 stream 7  KKKKKKKKKK..........
                        """)
                .property("distributedInfo.rank", "1")
                .property("distributedInfo.world_size", "4")
                .build();

        assertThat(Summary.notes(analysis(timeline)))
                .containsExactly(
                        "Python functions were recorded one by one: host time, Python above all,"
                                + " is inflated by the recording.",
                        "25.0% of the judged part is unattributed: no evidence explains it.",
                        "This is rank 1 of 4: the work of other ranks is not in this recording.",
                        "Every device of this node is shown by itself; the headline is about device 0,"
                                + " which computes most.");
    }

    @Test
    void aPlainRecordingHasNoNotes() {
        assertThat(Summary.notes(analysis(TimelineFixture.draw("""
                        us        0         10        20
                        stream 7  KKKKKKKKKKKKKKKKKKKK
                        """)))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "5, The program ended with exit code 5 after 1.20 s.",
        "-9, The program was ended by signal 9 (SIGKILL) after 1.20 s.",
        "-60, The program was ended by signal 60 after 1.20 s."
    })
    void aProgramThatDidNotEndWellIsSaidFirst(String code, String sentence) {
        Analysis analysis = analysis(ended(code));

        assertThat(Summary.notes(analysis)).first().isEqualTo(sentence);
        assertThat(Summary.diagnosis(analysis, Judge.judge(analysis, List.of()), false))
                .first()
                .isEqualTo(sentence);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "unknown"})
    void aProgramThatEndedWellIsNotSaid(String code) {
        assertThat(Summary.notes(analysis(ended(code)))).noneMatch(note -> note.startsWith("The program"));
    }

    /** The program's own process starts first; one of its children outlives it. */
    private static Timeline ended(String code) {
        TimelineFixture fixture =
                TimelineFixture.blank().scope("main", 0, 1_000_000, "work").property("inferscope.exit_code", code);
        int child = fixture.builder().track(TrackKind.PROCESS, -1, "11");
        fixture.builder()
                .row(RowKind.PROCESS, child, 10, 600_000_000L, fixture.builder().name("child"));
        int program = fixture.builder().track(TrackKind.PROCESS, -1, "12");
        fixture.builder()
                .row(
                        RowKind.PROCESS,
                        program,
                        0,
                        1_200_000_000L,
                        fixture.builder().name("program"));
        return fixture.build();
    }

    /** Both cost loading time and are worth knowing only; the second was measured in the time that is judged. */
    @Test
    void whatIsCompiledInTheSteadyStateIsNoStartUp() {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 600_000, "load_model");
        for (int i = 0; i < 40; i++) {
            long at = 600_000 + 10_000L * i;
            fixture.scope("main", at, at + 6_000, "json").scope("main", at + 6_000, at + 10_000, "generate");
        }
        Analysis analysis = analysis(fixture.build());
        Finding startUp =
                loading(analysis.ledger(LedgerPart.WINDOW).orElseThrow().what(), "load less");
        Finding again = loading(analysis.ledger().what(), "compile less");

        assertThat(Summary.aboutJudged(List.of(startUp, again), analysis)).containsExactly(again);
    }

    private static Finding loading(String of, String advice) {
        return new Finding(
                "rule",
                Severity.INFO,
                "claim",
                1,
                0.1,
                of,
                List.of(LedgerClass.FRAMEWORK_COMPILE_LOAD),
                List.of(),
                advice,
                null,
                "not replayed");
    }

    private static Finding advising(String advice) {
        return new Finding(
                "rule", Severity.INFO, "claim", 1, 0.1, "window", List.of(), List.of(), advice, null, "not replayed");
    }

    private static List<String> diagnosis(String art) {
        Analysis analysis = analysis(TimelineFixture.draw(art));
        return Summary.diagnosis(analysis, Judge.judge(analysis, List.of()), false);
    }

    private static Analysis analysis(Timeline timeline) {
        return Analysis.of(timeline, Thresholds.defaults());
    }
}
