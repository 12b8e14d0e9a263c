package io.inferscope.analyzer.path;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.graph.ArcKind;
import io.inferscope.analyzer.graph.DependencyGraph;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The critical path of drawn toy graphs: each stretch as track, class and length in microseconds, in the order of time. */
class CriticalPathTest {
    @Test
    void oneThreadIsThePathItself() {
        assertThat(path("""
                us           0    10   20   30   40
                thread main  [tokenize ][generate  ]
                """)).containsExactly("main cpu.tokenization 22", "main cpu.model-compute 24");
    }

    @Test
    void aKernelThatTheHostWaitsForIsOnThePath() {
        assertThat(path("""
                us           0    10   20   30   40
                thread main  PPPPPLLYYYYYYYYYYYYYPPPPP
                stream 7     .......KKKKKKKKKK........
                links in order
                """))
                .containsExactly(
                        "main cpu.python 10",
                        "main framework.launch 4",
                        "7 gpu.compute 20",
                        "main framework.sync-return 6",
                        "main cpu.python 10");
    }

    @Test
    void shortKernelsLeaveThePathOnTheHost() {
        assertThat(path("""
                us           0    10   20   30   40
                thread main  PPPLPPPPLPPPPLPPPPPLPPPPP
                stream 7     ....K....K....K.....K....
                links in order
                """))
                .containsExactly(
                        "main cpu.python 6",
                        "main framework.launch 2",
                        "main cpu.python 8",
                        "main framework.launch 2",
                        "main cpu.python 8",
                        "main framework.launch 2",
                        "main cpu.python 10",
                        "main framework.launch 2",
                        "main cpu.python 10");
    }

    /** The call that copies a result back waits for the kernel before: the host has nothing to gain there. */
    @Test
    void aCopyThatWaitsForItsStreamTakesThePathToTheKernel() {
        Timeline timeline = TimelineFixture.blank()
                .python("main", 0, 100, "step.py(3): step")
                .kernel("7", 12, 60, "gemm")
                .launchedBy("main", 8, 10)
                .d2h("7", 61, 65, "Memcpy DtoH (Device -> Pageable)")
                .launchedBy("main", 20, 70, "hipMemcpyWithStream")
                .build();

        assertThat(path(timeline))
                .containsExactly(
                        "main cpu.python 8",
                        "main framework.launch 2",
                        "7 framework.launch-latency 2",
                        "7 gpu.compute 48",
                        "7 gpu.dependency 1",
                        "7 copy.d2h 4",
                        "main framework.sync-return 5",
                        "main cpu.python 30");
    }

    /** JAX waits in Python, and another thread launches meanwhile. */
    @Test
    void aFunctionThatWaitsForTheDeviceTakesThePathToIt() {
        Timeline timeline = TimelineFixture.blank()
                .python("main", 0, 100, "step.py(3): step")
                .kernel("7", 3, 4, "fill")
                .launchedBy("main", 0, 2)
                .kernel("7", 7, 8, "fill")
                .launchedBy("main", 4, 6)
                .python("main", 10, 80, "api.py(3105): block_until_ready")
                .activity(RangeActivity.SYNCHRONISATION)
                .kernel("7", 32, 70, "gemm")
                .launchedBy("worker", 20, 30)
                .build();

        assertThat(path(timeline))
                .contains("7 gpu.compute 38", "main framework.sync-return 10")
                .doesNotContain("main framework.sync-return 70");
    }

    @Test
    void aFullQueueTakesThePathToTheStream() {
        assertThat(path("""
                us           0    10   20   30   40
                thread main  LLLPPP...................
                stream 7     .KKKKKKKkkkkkkkKKKKKKKKKK
                links 0-0 0-1 0-2
                """)).containsExactly("main framework.launch 2", "7 gpu.compute 48");
    }

    @Test
    void anotherStreamThatEndsSoonerHasSlack() {
        DependencyGraph graph = graph("""
                us           0    10   20   30   40
                thread main  L.L......................
                stream 7     .KKKKKKKKKKKKKKKKKKKKKKKK
                stream 8     ...KKKKKKKKKK............
                links in order
                """);

        assertThat(slackOfOperation(graph, us(2))).isZero();
        assertThat(slackOfOperation(graph, us(6))).isEqualTo(us(24));
    }

    @Test
    void anOperationThatStartsWhenOneOfAnotherStreamEndsWaitedForIt() {
        assertThat(path("""
                us           0    10   20   30   40
                thread main  LL.......................
                stream 7     ..KKKKKKKKKK.............
                stream 8     ............KKKKKKKKKKKKK
                links 0-0 0-1
                """)).containsExactly("main framework.launch 4", "7 gpu.compute 20", "8 gpu.compute 26");
    }

    /** The event was recorded behind stream 7's operation: the longer one of stream 8 ends inside the call too, and is not waited for. */
    @Test
    void aCallThatWaitsForAnEventWaitsForWhatWasBeforeItAlone() {
        TimelineFixture fixture = TimelineFixture.drawing("""
                us           0    10   20   30   40   50   60
                thread main  LLYYYYYYYYYYYYYYYYYYYYYYPPPPPPPPP
                stream 7     ..KKKKKKKKKK.....................
                stream 8     ..KKKKKKKKKKKKKKKKKKK............
                links 0-0 0-1
                """);
        int call = 1;
        int first = -1;
        for (int row = fixture.builder().rowCount() - 1; row >= 0; row--) {
            boolean shorter = fixture.builder().kindAt(row) == RowKind.KERNEL
                    && fixture.builder().endNsAt(row) == us(24);
            first = shorter ? row : first;
        }
        fixture.builder().link(LinkKind.EVENT_WAIT, first, call, 100);

        assertThat(path(fixture.build()).toString())
                .contains("7 gpu.compute 20")
                .doesNotContain("8 gpu.compute");
    }

    @Test
    void aCopyIsWaitedForByTheCallThatMadeIt() {
        assertThat(path("""
                us           0    10   20   30   40
                thread main  PPP{cudaMemcpyAsync  }PPP
                stream 7     ......DDDDDDDDDDDD.......
                links in order
                """))
                .containsExactly(
                        "main cpu.python 6",
                        "main framework.launch 6",
                        "7 copy.d2h 24",
                        "main framework.launch 8",
                        "main cpu.python 6");
    }

    @Test
    void aGraphLaunchStartsAllItsKernels() {
        assertThat(path("""
                us           0    10   20   30   40
                thread main  PPGGGYYYYYYYYYYYYYYYYYYPP
                stream 7     .....KKKKkkkkKKKKkkkk....
                links 0-0 0-1 0-2 0-3
                """))
                .containsExactly(
                        "main cpu.python 4",
                        "main framework.launch 6",
                        "7 gpu.compute 32",
                        "main framework.sync-return 4",
                        "main cpu.python 4");
    }

    @Test
    void anOperationWithoutLaunchBeginsThePath() {
        assertThat(path("""
                us           0    10   20   30   40
                stream 7     KKKKK..........kkkkkkkkkk
                """)).containsExactly("7 gpu.compute 10", "7 unattributed 20", "7 gpu.compute 20");
    }

    @Test
    void operationsThatOverlapByLittleStillFollowEachOther() {
        Timeline timeline = TimelineFixture.blank()
                .kernel("7", 10, 30, "gemm")
                .launchedBy("main", 0, 10)
                .kernel("7", 28, 50, "softmax")
                .launchedBy("main", 12, 14)
                .build();

        assertThat(path(timeline)).containsExactly("main framework.launch 10", "7 gpu.compute 40");
    }

    /** The worker is slower: what the main thread computes meanwhile has slack. */
    @Test
    void aSlowWorkerCarriesThePath() {
        Timeline timeline = TimelineFixture.drawing("""
                us             0    10   20   30   40
                thread main    [generate  ]....[generate]
                thread worker  [decode_image   ]
                """)
                .handedOver("worker", "main", 24, 34)
                .build();

        assertThat(path(timeline)).containsExactly("worker cpu.preprocessing 34", "main cpu.model-compute 18");
    }

    /** The worker is faster: nothing is waited for, and it has slack. */
    @Test
    void aFastWorkerIsOffThePath() {
        Timeline timeline = TimelineFixture.drawing("""
                us             0    10   20   30   40
                thread main    [generate   ][generate   ]
                thread worker  [decode]
                """)
                .handedOver("worker", "main", 26, 26)
                .build();

        assertThat(path(timeline)).containsExactly("main cpu.model-compute 52");
    }

    @Test
    void thePathGoesThroughEveryoneInAChain() {
        Timeline timeline = TimelineFixture.drawing("""
                us             0    10   20   30   40
                thread main    [generate]...........[generate]
                thread worker  .........[decode_image]
                thread feeder  [preprocess]
                """)
                .handedOver("feeder", "worker", 0, 20)
                .handedOver("worker", "main", 20, 42)
                .build();

        assertThat(path(timeline))
                .containsExactly(
                        "feeder cpu.preprocessing 20", "worker cpu.preprocessing 22", "main cpu.model-compute 20");
    }

    @Test
    void aLockIsWaitedForWhereItIsHeld() {
        Timeline timeline = TimelineFixture.drawing("""
                us             0    10   20   30   40
                thread main    [generate]......[generate]
                thread other   ....[preprocess]
                """)
                .handedOver("other", "main", 20, 32, HandOver.LOCK)
                .build();

        assertThat(path(timeline))
                .endsWith("main cpu.model-compute 20")
                .anyMatch(p -> p.startsWith("other cpu.preprocessing"));
    }

    /** Of 30 us the main thread waited 20 for the GIL; when is not known. */
    @Test
    void theGilIsWaitedForWhereItIsHeld() {
        Timeline timeline = TimelineFixture.blank()
                .scope("main", 0, 50, "generate")
                .scope("77", 0, 40, "preprocess")
                .state("main", 10, 40, 10, 0, WaitReason.GIL)
                .heldBy(77)
                .build();

        assertThat(path(timeline)).startsWith("77 cpu.preprocessing 30").endsWith("main cpu.model-compute 10");
    }

    @Test
    void aWaitForTheGilWhoseHolderIsNotRecordedIsTheThreadsOwn() {
        Timeline timeline = TimelineFixture.blank()
                .scope("main", 0, 50, "generate")
                .scope("77", 0, 40, "preprocess")
                .state("main", 10, 40, 0, 0, WaitReason.GIL)
                .heldBy(78)
                .build();

        assertThat(path(timeline))
                .containsExactly("main cpu.model-compute 10", "main wait.gil 30", "main cpu.model-compute 10");
    }

    @Test
    void threadsThatHoldTheGilInTurnMakeNoCircle() {
        Timeline timeline = TimelineFixture.blank()
                .scope("76", 0, 50, "generate")
                .scope("77", 0, 50, "generate")
                .state("76", 10, 40, 10, 0, WaitReason.GIL)
                .heldBy(77)
                .state("77", 10, 40, 10, 0, WaitReason.GIL)
                .heldBy(76)
                .build();

        assertThat(graph(timeline).makespanNs()).isEqualTo(us(50));
    }

    @Test
    void whatAGiverGaveBeforeTheTakerAskedIsNotWaitedFor() {
        Timeline timeline = TimelineFixture.blank()
                .scope("main", 0, 50, "generate")
                .scope("worker", 0, 10, "preprocess")
                .handedOver("worker", "main", 5, 10)
                .build();
        DependencyGraph graph =
                CriticalPath.of(Analysis.of(timeline, Thresholds.defaults())).graph();

        assertThat(graph.makespanNs()).isEqualTo(us(50));
        assertThat(path(timeline)).containsExactly("worker cpu.preprocessing 10", "main cpu.model-compute 40");
    }

    @Test
    void threadsThatGiveEachOtherAtOneInstantMakeNoCircle() {
        Timeline timeline = TimelineFixture.blank()
                .scope("main", 0, 50, "generate")
                .scope("other", 0, 50, "generate")
                .handedOver("other", "main", 10, 20)
                .handedOver("main", "other", 10, 20)
                .build();

        assertThat(graph(timeline).makespanNs()).isEqualTo(us(50));
    }

    private static DependencyGraph graph(String art) {
        return graph(TimelineFixture.draw(art));
    }

    private static DependencyGraph graph(Timeline timeline) {
        return CriticalPath.of(Analysis.of(timeline, Thresholds.defaults())).graph();
    }

    private static List<String> path(String art) {
        return path(TimelineFixture.draw(art));
    }

    private static long slackOfOperation(DependencyGraph graph, long startNs) {
        for (int arc = 0; arc < graph.arcCount(); arc++) {
            if (graph.kind(arc) == ArcKind.OPERATION && graph.timeNs(graph.from(arc)) == startNs) {
                return graph.slacksNs()[arc];
            }
        }
        throw new AssertionError("no operation starts at " + startNs);
    }

    /** The path, with stretches of one track and class together. */
    private static List<String> path(Timeline timeline) {
        List<String> keys = new ArrayList<>();
        List<Long> lengths = new ArrayList<>();
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
        CriticalPath.of(analysis).walk((track, meaning, startNs, endNs, ns) -> {
            LedgerClass cause = analysis.classifier().meanings().cause(meaning);
            String key = (track < 0 ? "-" : timeline.tracks().get(track).key()) + " " + cause.id();
            int last = keys.size() - 1;
            if (last >= 0 && keys.get(last).equals(key)) {
                lengths.set(last, lengths.get(last) + ns);
            } else {
                keys.add(key);
                lengths.add(ns);
            }
        });
        List<String> path = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            path.add(keys.get(i) + " " + lengths.get(i) / 1000);
        }
        return path;
    }
}
