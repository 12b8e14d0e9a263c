package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each verdict, the order among them, the margin and the words. */
class JudgeTest {
    @Test
    void gpuFromEightyPercentCompute() {
        BoundVerdict verdict = judge("""
                us           0         10        20        30        40
                stream 7     KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK.......K
                """);

        assertThat(verdict.bound()).isEqualTo(Bound.GPU);
        assertThat(verdict.because()).containsExactly("GPU compute takes 82.5%");
        assertThat(verdict.marginPoints()).isEqualTo(2.5);
        assertThat(verdict.next()).isEqualTo(Bound.BALANCED);
        assertThat(verdict.claim())
                .isEqualTo("GPU-bound: the GPU computes most of its span. It is close: 2.5 points from \"balanced\".");
    }

    @Test
    void muchWaitingForNobodyKnowsWhomIsNeverBalanced() {
        TimelineFixture program = TimelineFixture.blank()
                .scope("main", 0, 100, "generate")
                .state("main", 0, 75, 75, 0, WaitReason.UNKNOWN)
                .state("main", 75, 100, 0, 0, WaitReason.PIPE);
        BoundVerdict verdict = judge(program.build());

        assertThat(verdict.bound()).isEqualTo(Bound.WITHHELD);
        assertThat(verdict.because()).contains("25.0% of the window is waiting with unknown waker");
    }

    @Test
    void aSpanOfOneOperationIsNotJudged() {
        BoundVerdict verdict = judge("""
                us           0         10        20        30        40
                thread main  [load_model                          ]LL
                stream 7     ......................................KK
                links in order
                """);

        assertThat(verdict.bound()).isEqualTo(Bound.CPU);
        assertThat(verdict.claim()).startsWith("CPU-bound");
    }

    @Test
    void aProgramWhoseDeviceOthersUseWaitsForThem() {
        BoundVerdict verdict = judge(SharedDevice.takingTurns(2).build());

        assertThat(verdict.bound()).isEqualTo(Bound.WAITING);
        assertThat(verdict.claim())
                .isEqualTo("Waiting: the program waits for other processes on the GPU for 60.0% of its steady state.");
    }

    @Test
    void waitingFromFortyPercent() {
        BoundVerdict verdict = judge("""
                us           0         10        20        30        40
                thread main  LL......................................LL
                state main   RRSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSRR
                stream 7     ..KKKKKKKKKKKKKKKKKK....................KKKKKKKKKKKKKK
                links in order
                """);

        assertThat(verdict.bound()).isEqualTo(Bound.WAITING);
        assertThat(verdict.claim())
                .startsWith("Waiting: the program waits for others for 38.5% of its span.")
                .doesNotContain("no single cause");

        BoundVerdict longer = judge("""
                us           0         10        20        30        40
                thread main  LL..........................................LL
                state main   RRSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSRR
                stream 7     ..KKKKKKKKKKKKKKKKKK........................KKKKKKKKKK
                links in order
                """);
        assertThat(longer.bound()).isEqualTo(Bound.WAITING);
        assertThat(longer.because()).containsExactly("waiting for others takes 46.2%, above all waiting for a socket");
        assertThat(longer.claim()).isEqualTo("Waiting: the program mostly waits for others.");
    }

    /** Model compute 56 %, waiting for a child process 44 %: less than either limit, and not balanced. */
    @Test
    void aThirdOfWaitingIsNotBalanced() {
        BoundVerdict verdict = judge(TimelineFixture.blank()
                .scope("main", 0, 56, "forward Model")
                .activity(RangeActivity.MODEL)
                .state("main", 0, 56, 56, 0, WaitReason.UNKNOWN)
                .state("main", 56, 100, 0, 0, WaitReason.CHILD_PROCESS)
                .build());

        assertThat(verdict.bound()).isEqualTo(Bound.WAITING);
        assertThat(verdict.because())
                .containsExactly("waiting for others takes 44.0%, above all waiting for a child process");
    }

    @Test
    void copyFromTwentyPercent() {
        BoundVerdict verdict = judge("""
                us        0         10        20        30        40
                stream 7  HHHHHHHHKKKKKKKKKKKKKKKKKKKKKKKKDDDDDDKK
                """);

        assertThat(verdict.bound()).isEqualTo(Bound.COPY);
        assertThat(verdict.because()).containsExactly("exposed copies take 35.0%");
        assertThat(verdict.marginPoints()).isEqualTo(15);
        assertThat(verdict.claim()).isEqualTo("Copy-bound: the GPU waits for copies.");
    }

    @Test
    void communicationFromTwentyPercent() {
        BoundVerdict verdict = judge("""
                us        0         10        20        30        40
                stream 7  KKKKKKKKKKKKKKKKKKKKKKKKKKKKNNNNNNNNNNHH
                """);

        assertThat(verdict.bound()).isEqualTo(Bound.COMMUNICATION);
        assertThat(verdict.because()).containsExactly("exposed communication takes 25.0%");
        assertThat(verdict.marginPoints()).isEqualTo(5);
        assertThat(verdict.claim()).isEqualTo("Communication-bound: the GPU waits for other GPUs.");
    }

    @Test
    void cpuFromTwentyPercent() {
        BoundVerdict verdict = judge("""
                us           0         10        20        30        40
                thread main  LL..........[tokenize      ]LL
                stream 7     ..KKKKKKKKKK..................KKKKKKKKKKKK
                links in order
                """);

        assertThat(verdict.bound()).isEqualTo(Bound.CPU);
        assertThat(verdict.because()).containsExactly("the GPU waits for host threads 45.0%");
        assertThat(verdict.marginPoints()).isEqualTo(25);
        assertThat(verdict.claim()).isEqualTo("CPU-bound: the host does not keep up.");
    }

    @Test
    void balancedWhereNoLimitIsReached() {
        BoundVerdict verdict = judge(TimelineFixture.blank()
                .h2d("7", 0, 15, "Memcpy HtoD")
                .kernel("7", 15, 72, "gemm")
                .kernel("7", 72, 86, "ncclDevKernel_AllReduce")
                .kernel("7", 99, 100, "gemm")
                .build());

        assertThat(verdict.bound()).isEqualTo(Bound.BALANCED);
        assertThat(verdict.because()).containsExactly("no limit is reached; the largest class is GPU compute");
        assertThat(verdict.marginPoints()).isEqualTo(5);
        assertThat(verdict.claim()).isEqualTo("Balanced: no single cause limits the program.");
    }

    @Test
    void theEarlierVerdictWins() {
        BoundVerdict copyBeforeCpu = judge("""
                us           0         10        20        30        40
                thread main  LL..............[tokenize]LL
                stream 7     ..HHHHHHHHHHHHHH..........KKKKKKKKKKKKKKKK
                links in order
                """);
        assertThat(copyBeforeCpu.bound()).isEqualTo(Bound.COPY);

        BoundVerdict waitingBeforeCopy = judge("""
                us           0         10        20        30        40
                thread main  LL..........                    LL
                state main   RRRRRRRRRRRRSSSSSSSSSSSSSSSSSSSSRR
                stream 7     ..HHHHHHHHHH......................KKKKKKKK
                links in order
                """);
        assertThat(waitingBeforeCopy.bound()).isEqualTo(Bound.WAITING);
    }

    @Test
    void copiesMustBeTheLargestClassOfTheirKind() {
        BoundVerdict verdict = judge("""
                us           0         10        20        30        40
                thread main  LL........[tokenize        ]LL
                stream 7     ..HHHHHHHH....................KKKKKKKKKKKK
                links in order
                """);

        assertThat(verdict.bound()).isEqualTo(Bound.CPU);
    }

    @Test
    void pythonIsOneLimitWhoeverWroteIt() {
        BoundVerdict verdict = judge(TimelineFixture.blank()
                .h2d("7", 0, 30, "Memcpy HtoD")
                .python("main", 30, 50, "serve.py(1): choose")
                .python("main", 50, 70, "transformers/generation/utils.py(10): sample")
                .kernel("7", 72, 100, "gemm")
                .launchedBy("main", 70, 71)
                .build());

        assertThat(verdict.bound()).isEqualTo(Bound.CPU);
    }

    @Test
    void aNearMissOfAnEarlierVerdictIsNamed() {
        BoundVerdict verdict = judge(TimelineFixture.blank()
                .h2d("7", 0, 28, "Memcpy HtoD")
                .scope("main", 28, 57, "tokenize")
                .kernel("7", 58, 100, "gemm")
                .launchedBy("main", 57, 58)
                .build());

        assertThat(verdict.bound()).isEqualTo(Bound.CPU);
        assertThat(verdict.because()).containsExactly("the GPU waits for host threads 30.0%");
        assertThat(verdict.marginPoints()).isEqualTo(1);
        assertThat(verdict.claim()).endsWith(" It is close: 1.0 points from \"copy\".");
    }

    @Test
    void aShortSpanDoesNotPassForTheWhole() {
        BoundVerdict verdict = judge("""
                us           0         10        20        30        40
                thread main  [load_model                    ]Ll
                stream 7     ..................................KKKkkk
                links in order
                """);

        assertThat(verdict.bound()).isEqualTo(Bound.GPU);
        assertThat(verdict.claim())
                .isEqualTo("The span is 15.0% of the timeline. GPU-bound: the GPU computes most of its span.");
    }

    /** The judged loop is 400 us. A part of more than a fifth is told, with its largest class, where the loop is less than half. */
    @ParameterizedTest
    @CsvSource({
        "410, 0, 'The steady state is 49.4% of the timeline; start-up is 50.6%, mostly Python. '",
        "390, 0, ''",
        "0, 800, 'The steady state is 33.3% of the timeline; compiling before it is 66.7%, mostly compile and load. '",
        "300, 800, 'The steady state is 26.7% of the timeline; compiling before it is 53.3%, mostly compile and load. '"
    })
    void whatTookLongBesideAShortSteadyStateIsSaid(int beforeUs, int compilesUs, String said) {
        TimelineFixture fixture = TimelineFixture.blank();
        if (beforeUs > 0) {
            fixture.sample("main", 0, beforeUs, "/app/frame.py(7): clean");
        }
        if (compilesUs > 0) {
            fixture.scope("main", beforeUs, beforeUs + compilesUs, "torch.compile forward")
                    .activity(RangeActivity.LOAD);
        }
        for (int i = 0; i < 20; i++) {
            double at = beforeUs + compilesUs + 20 * i;
            fixture.scope("main", at, at + 20, "forward Model").activity(RangeActivity.MODEL);
        }

        assertThat(judge(fixture.build()).claim())
                .isEqualTo(said + "Compute-bound: the model computes most of the time on the CPU.");
    }

    @Test
    void withheldWhereTheGateFails() {
        List<TrustCheck> trust = List.of(
                new TrustCheck("noted", false, false, "6 % profiler", "record less"),
                new TrustCheck("a", false, true, "2 of 3 launches have no work", "record the device"),
                new TrustCheck("b", false, true, "clocks disagree", "record again"));

        BoundVerdict verdict = Judge.judge(analysis(TimelineFixture.draw("""
                                us        0         10        20
                                stream 7  KKKKKKKKKKKKKKKKKKKK
                                """)), trust);

        assertThat(verdict.bound()).isEqualTo(Bound.WITHHELD);
        assertThat(verdict.claim())
                .isEqualTo("The recording is not good enough for a verdict: 2 of 3 launches have no work.");
        assertThat(verdict.because())
                .containsExactly(
                        "2 of 3 launches have no work",
                        "To decide: record the device",
                        "clocks disagree",
                        "To decide: record again");
        assertThat(verdict.marginPoints()).isZero();
    }

    @Test
    void withheldWhereTooMuchIsUnexplained() {
        BoundVerdict verdict = judge("""
                us        0         10        20        30        40
                stream 7  KKKKKKKKKKKKKKKKKKKK..........KKKKKKKKKK
                """);

        assertThat(verdict.bound()).isEqualTo(Bound.WITHHELD);
        assertThat(verdict.claim()).startsWith("Too much of the time is unexplained for a verdict.");
        assertThat(verdict.because())
                .containsExactly(
                        "25.0% of the span is explained by no recorded event",
                        "To decide: record the host side too, with `inferscope run -- COMMAND`");
    }

    @Test
    void aRunThatSawTheThreadsAsksForNamesOnly() {
        BoundVerdict verdict = judge("""
                us           0         10        20        30        40
                thread main  [generate          ]
                state main   RRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRR
                """);

        assertThat(verdict.bound()).isEqualTo(Bound.WITHHELD);
        assertThat(verdict.because())
                .containsExactly(
                        "50.0% of the window is explained by no recorded event",
                        "To decide: name the parts of the program with `scope(\"...\")`, in Python or Java");
    }

    @Test
    void withheldWhereNothingIsRecorded() {
        BoundVerdict verdict = Judge.judge(analysis(TimelineFixture.blank().build()), List.of());

        assertThat(verdict.bound()).isEqualTo(Bound.WITHHELD);
        assertThat(verdict.claim()).isEqualTo("Nothing with a duration is recorded.");
    }

    @Test
    void computeWithoutDeviceWork() {
        BoundVerdict verdict = judge("""
                us           0         10        20        30        40
                thread main  [generate                          ][x ]
                """);

        assertThat(verdict.bound()).isEqualTo(Bound.COMPUTE);
        assertThat(verdict.because()).containsExactly("model compute takes 90.0%");
        assertThat(verdict.claim()).isEqualTo("Compute-bound: the model computes most of the time on the CPU.");
        assertThat(verdict.marginPoints()).isEqualTo(10);
    }

    @Test
    void waitingWithoutDeviceWork() {
        BoundVerdict verdict = judge(TimelineFixture.blank()
                .scope("main", 0, 100, "serve")
                .state("main", 0, 100, 50, 0, WaitReason.TIMER)
                .build());

        assertThat(verdict.bound()).isEqualTo(Bound.WAITING);
        assertThat(verdict.because()).containsExactly("waiting for others takes 50.0%, above all sleeping");
    }

    /** Sleeping alone is one point above its limit; with what the child takes, the program waits all the more. */
    @Test
    void aVerdictIsNotCloseToItself() {
        BoundVerdict verdict = judge(TimelineFixture.blank()
                .scope("main", 0, 100, "tokenize")
                .state("main", 0, 51, 10, 0, WaitReason.TIMER)
                .state("main", 51, 100, 20, 0, WaitReason.CHILD_PROCESS)
                .build());

        assertThat(verdict.bound()).isEqualTo(Bound.WAITING);
        assertThat(verdict.next()).isNotEqualTo(Bound.WAITING);
        assertThat(verdict.marginPoints()).isEqualTo(30);
        assertThat(verdict.claim()).isEqualTo("Waiting: the program mostly waits for others.");
    }

    @Test
    void waitingForChildrenOutweighsAQuarterOfWork() {
        BoundVerdict verdict = judge(TimelineFixture.blank()
                .scope("main", 0, 100, "tokenize")
                .state("main", 0, 25, 25, 0, WaitReason.UNKNOWN)
                .state("main", 25, 100, 0, 0, WaitReason.CHILD_PROCESS)
                .build());

        assertThat(verdict.bound()).isEqualTo(Bound.WAITING);
        assertThat(verdict.because())
                .containsExactly("waiting for others takes 75.0%, above all waiting for a child process");

        BoundVerdict less = judge(TimelineFixture.blank()
                .scope("main", 0, 100, "tokenize")
                .state("main", 0, 55, 55, 0, WaitReason.UNKNOWN)
                .state("main", 55, 100, 0, 0, WaitReason.CHILD_PROCESS)
                .build());
        assertThat(less.bound()).isEqualTo(Bound.CPU);
    }

    @Test
    void cpuWithoutDeviceWork() {
        BoundVerdict verdict = judge("""
                us           0         10        20        30        40
                thread main  [tokenize      ][generate              ]
                """);

        assertThat(verdict.bound()).isEqualTo(Bound.CPU);
        assertThat(verdict.because()).containsExactly("work outside the model takes 40.0%");
        assertThat(verdict.claim())
                .isEqualTo("CPU-bound: 40.0% of the window goes to work outside the model, above all tokenization.");
    }

    @Test
    void aProgramThatGetsNoCpuIsStarvedAndNotAtWork() {
        BoundVerdict verdict = judge(TimelineFixture.blank()
                .scope("main", 0, 100, "tokenize")
                .state("main", 0, 100, 40, 60, WaitReason.UNKNOWN)
                .build());

        assertThat(verdict.bound()).isEqualTo(Bound.CPU);
        assertThat(verdict.claim()).isEqualTo("CPU-bound: 60.0% of the window is waiting for a CPU.");
        assertThat(verdict.because())
                .containsExactly("work on the CPU takes 40.0%, waiting for a lock, the GIL or a CPU 60.0%");
    }

    @Test
    void waitingForTheGilIsNoWorkEither() {
        BoundVerdict verdict = judge(TimelineFixture.blank()
                .scope("main", 0, 100, "tokenize")
                .state("main", 0, 60, 0, 0, WaitReason.GIL)
                .state("main", 60, 100, 40, 0, WaitReason.UNKNOWN)
                .build());

        assertThat(verdict.bound()).isEqualTo(Bound.CPU);
        assertThat(verdict.claim()).isEqualTo("CPU-bound: 60.0% of the window is waiting for the GIL.");
    }

    @Test
    void balancedWithoutDeviceWork() {
        BoundVerdict verdict = judge(TimelineFixture.blank()
                .scope("main", 0, 70, "generate")
                .scope("main", 70, 85, "tokenize")
                .scope("main", 85, 100, "serve")
                .state("main", 85, 100, 0, 0, WaitReason.SOCKET)
                .build());

        assertThat(verdict.bound()).isEqualTo(Bound.BALANCED);
        assertThat(verdict.marginPoints()).isEqualTo(5);
        assertThat(verdict.claim()).isEqualTo("Balanced: no single cause limits the program.");
    }

    /** Compute takes 28 us of 37; of these, up to a fifth was added in the first case, and at most 1.1 us in the second. */
    @Test
    void aVerdictThatRecordingMayDecideIsWithheld() {
        Timeline timeline = TimelineFixture.draw("""
                us           0         10        20        30        40
                thread main  LLL.......LLL.......LLL.......LLL.......
                stream 7     ...KKKKKKK...KKKKKKK...KKKKKKK...KKKKKKK
                links in order
                """);
        BoundVerdict recorded = judge(timeline);
        BoundVerdict slowed = judge(timeline.with("inferscope.recording_slowdown", "1.2 1.1 1.25 8 medians full"));

        assertThat(recorded.bound()).isEqualTo(Bound.CPU);
        assertThat(slowed.bound()).isEqualTo(Bound.WITHHELD);
        assertThat(slowed.claim())
                .startsWith("Either \"")
                .endsWith("recording device work made steps up to 25 % longer.");
        assertThat(slowed.reasons().get(0).remedy()).contains("--gpu-detail launches");
        assertThat(judge(timeline.with("inferscope.recording_slowdown", "1.02 1.01 1.03 8")))
                .isEqualTo(recorded);
        assertThat(judge(timeline.with("inferscope.recording_slowdown", "1.2 0.9 1.5 8")))
                .isEqualTo(recorded);
    }

    private static BoundVerdict judge(String art) {
        return judge(TimelineFixture.draw(art));
    }

    private static BoundVerdict judge(Timeline timeline) {
        return Judge.judge(analysis(timeline), List.of());
    }

    private static Analysis analysis(Timeline timeline) {
        return Analysis.of(timeline, Thresholds.defaults());
    }

    @Test
    void waitingForADeviceOfWhichNothingIsRecordedIsNoWorkOfTheHost() {
        BoundVerdict verdict = judge(TimelineFixture.blank()
                .sample("main", 0, 60, "serve.py(3): step", "torch/cuda/streams.py(220): synchronize")
                .sample("main", 60, 100, "serve.py(3): step", "serve.py(9): schedule")
                .build());

        assertThat(verdict.bound()).isEqualTo(Bound.WITHHELD);
        assertThat(verdict.because())
                .contains("60.0% of the window is waiting for a device, of which nothing is recorded");
        assertThat(verdict.reasons().get(0).remedy()).startsWith("record the device, too");
    }

    @Test
    void aLittleWaitingForADeviceLeavesTheVerdictToTheHost() {
        BoundVerdict verdict = judge(TimelineFixture.blank()
                .sample("main", 0, 10, "serve.py(3): step", "torch/cuda/streams.py(220): synchronize")
                .sample("main", 10, 100, "serve.py(3): step", "serve.py(9): schedule")
                .build());

        assertThat(verdict.bound()).isEqualTo(Bound.CPU);
    }
}
