package io.inferscope.analyzer.tables;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.GraphFigures;
import io.inferscope.analyzer.model.ShapeTables.GraphKernel;
import io.inferscope.analyzer.model.ShapeTables.OperatorShape;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class GraphTableTest {
    private static List<GraphFigures> graphs(Timeline timeline) {
        return Tables.of(Analysis.of(timeline, Thresholds.defaults())).rows(ShapeTables.GRAPHS);
    }

    private static String operatorOf(Timeline timeline, String kernel) {
        return Tables.of(Analysis.of(timeline, Thresholds.defaults())).rows(Report.KERNELS).stream()
                .filter(k -> k.name().equals(kernel))
                .map(KernelFigures::operator)
                .reduce("", (a, b) -> a + b);
    }

    /** Two kernels a replay: one idle microsecond inside each, nine and then four after. */
    @Test
    void idleInsideAReplayIsNotIdleAfterIt() {
        assertThat(graphs(TimelineFixture.draw("""
                        us           0         10        20        30        40
                        thread main  GG............GG...........LL..........
                        name k = softmax
                        stream 7     ..KKKK.kk.........KKKK.kk.....KKKK.....
                        links 0-0 0-1 1-2 1-3 2-4
                        """)))
                .containsExactly(new GraphFigures(
                        "0",
                        "graph 1",
                        "cudaGraphLaunch",
                        2,
                        2,
                        us(7),
                        us(6),
                        us(1),
                        us(5),
                        us(2),
                        us(2),
                        us(14),
                        "",
                        List.of(new GraphKernel("gemm", "", 1, us(8)), new GraphKernel("softmax", "", 1, us(4)))));
    }

    @Test
    void launchesThatReplayOtherOperationsAreOtherGraphs() {
        List<GraphFigures> graphs = graphs(TimelineFixture.draw("""
                us           0         10        20        30        40
                thread main  GG........GG........GG..................
                name k = softmax
                stream 7     ..KK........KK........KKkkkkkkkk........
                links 0-0 1-1 2-2 2-3
                """));

        assertThat(graphs).extracting(GraphFigures::name).containsExactly("graph 1", "graph 2");
        assertThat(graphs).extracting(GraphFigures::replays).containsExactly(1L, 2L);
        assertThat(graphs).extracting(GraphFigures::gapNs).containsExactly(null, us(8));
    }

    /** Streams may overtake each other from one replay to the next. */
    @Test
    void theOrderOfStreamsDoesNotTellGraphsApart() {
        List<GraphFigures> graphs = graphs(TimelineFixture.draw("""
                us           0         10        20
                thread main  GG........GG........
                name k = softmax
                stream 7     ..KK...........KK...
                stream 8     ....kk.......kk.....
                links 0-0 0-1 1-2 1-3
                """));

        assertThat(graphs).extracting(GraphFigures::replays).containsExactly(2L);
    }

    private static TimelineFixture capture(TimelineFixture fixture, String first, String second) {
        return fixture.call("main", 0, 1, "cudaStreamBeginCapture")
                .operator("main", 2, 4, first)
                .call("main", 3, 4, "cudaLaunchKernel")
                .operator("main", 5, 7, second)
                .call("main", 6, 7, "cudaLaunchKernel")
                .call("main", 8, 9, "cudaStreamEndCapture");
    }

    private static TimelineFixture replay(TimelineFixture fixture) {
        return fixture.graphLaunch("main", 20, 22)
                .kernel("7", 22, 25, "a")
                .replayed()
                .kernel("7", 26, 27, "b")
                .replayed();
    }

    @Test
    void operatorsAreThoseOfTheCapture() {
        Timeline timeline = replay(capture(TimelineFixture.blank(), "aten::mm", "aten::relu"))
                .build();

        assertThat(graphs(timeline)).singleElement().satisfies(graph -> {
            assertThat(graph.source()).isEqualTo("capture");
            assertThat(graph.kernels())
                    .containsExactly(
                            new GraphKernel("a", "aten::mm", 1, us(3)), new GraphKernel("b", "aten::relu", 1, us(1)));
        });
        assertThat(operatorOf(timeline, "a")).isEqualTo("aten::mm");
    }

    @Test
    void aCaptureOfOtherLengthOrKindIsNotTheGraphs() {
        Timeline longer = replay(capture(TimelineFixture.blank(), "aten::mm", "aten::relu"))
                .kernel("7", 28, 29, "c")
                .replayed()
                .build();
        Timeline copies = capture(TimelineFixture.blank(), "aten::mm", "aten::relu")
                .graphLaunch("main", 20, 22)
                .kernel("7", 22, 25, "a")
                .replayed()
                .operation(RowKind.MEMCPY_D2D, "7", 26, 27, "Memcpy DtoD")
                .replayed()
                .build();

        assertThat(graphs(longer)).extracting(GraphFigures::source).containsExactly("");
        assertThat(graphs(copies)).extracting(GraphFigures::source).containsExactly("");
    }

    @Test
    void twoCapturesThatFitAndDisagreeSettleNothing() {
        TimelineFixture twice = capture(TimelineFixture.blank(), "aten::mm", "aten::relu")
                .call("main", 10, 11, "cudaStreamBeginCapture")
                .operator("main", 12, 14, "aten::mm")
                .call("main", 13, 14, "cudaLaunchKernel")
                .operator("main", 15, 17, "aten::gelu")
                .call("main", 16, 17, "cudaLaunchKernel")
                .call("main", 18, 19, "cudaStreamEndCapture");

        assertThat(graphs(replay(twice).build()))
                .extracting(GraphFigures::source)
                .containsExactly("");
    }

    @Test
    void theLastCaptureInTimeCountsWhicheverThreadMadeIt() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.captured(RowKind.RUNTIME_CALL, "earlier", 1, 2, "cudaStreamBeginCapture")
                .captured(RowKind.RUNTIME_CALL, "earlier", 3, 4, "cudaLaunchKernel")
                .captured(RowKind.RUNTIME_CALL, "earlier", 5, 6, "cudaLaunchKernel")
                .captured(RowKind.RUNTIME_CALL, "earlier", 7, 8, "cudaStreamEndCapture");
        fixture.call("main", 10, 11, "cudaStreamBeginCapture")
                .call("main", 13, 14, "cudaLaunchKernel")
                .call("main", 16, 17, "cudaLaunchKernel")
                .call("main", 18, 19, "cudaStreamEndCapture");
        fixture.call("other", 0, 1, "cudaStreamBeginCapture")
                .call("other", 2, 3, "cudaLaunchKernel")
                .call("other", 4, 5, "cudaLaunchKernel")
                .call("other", 6, 7, "cudaStreamEndCapture");
        Timeline timeline = replay(fixture).build();
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
        int call = GraphReplays.of(analysis, analysis.devices().get(0)).callOf(0);

        assertThat(timeline.startNs(call)).isEqualTo(us(13));
    }

    /** Three layers of two operators, in a range where one is named. */
    private static TimelineFixture captureOfLayers(TimelineFixture fixture, double atUs, String range, String dims) {
        if (!range.isEmpty()) {
            fixture.scope("main", atUs, atUs + 20, range);
        }
        String[] layers = {"aten::mm", "aten::relu", "aten::mm", "aten::relu", "aten::mm", "aten::relu"};
        return captureOf(fixture, atUs, dims, layers);
    }

    private static TimelineFixture captureOf(TimelineFixture fixture, double atUs, String dims, String... operators) {
        fixture.call("main", atUs, atUs + 1, "cudaStreamBeginCapture");
        double startUs = atUs + 2;
        for (String operator : operators) {
            fixture.operator("main", startUs, startUs + 2, operator)
                    .text(Attribute.INPUT_DIMS, dims)
                    .call("main", startUs + 1, startUs + 2, "cudaLaunchKernel");
            startUs += 2;
        }
        return fixture.call("main", startUs + 2, startUs + 3, "cudaStreamEndCapture");
    }

    private static Timeline replayOf(TimelineFixture fixture, String range, String... kernels) {
        if (!range.isEmpty()) {
            fixture.scope("main", 99, 140, range);
        }
        fixture.graphLaunch("main", 100, 101);
        for (int i = 0; i < kernels.length; i++) {
            fixture.kernel("7", 102 + 2 * i, 103 + 2 * i, kernels[i]).replayed();
        }
        return fixture.build();
    }

    private static List<String> operators(Timeline timeline) {
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
        DeviceActivity device = analysis.devices().get(0);
        List<String> operators = new ArrayList<>();
        for (int i = 0; i < device.operationCount(); i++) {
            int row = ApiCalls.operatorOf(
                    timeline, GraphReplays.of(analysis, device).callOf(i));
            operators.add(row < 0 ? "" : timeline.name(row));
        }
        return operators;
    }

    @Test
    void oneOperationMoreOrLessThanCapturedIsTolerated() {
        Timeline less = replayOf(
                captureOfLayers(TimelineFixture.blank(), 0, "", "[[8]]"), "", "gemm", "relu", "gemm", "gemm", "relu");
        Timeline more = replayOf(
                captureOfLayers(TimelineFixture.blank(), 0, "", "[[8]]"),
                "",
                "gemm",
                "relu",
                "fill",
                "gemm",
                "relu",
                "gemm",
                "relu");

        assertThat(operators(less)).containsExactly("aten::mm", "aten::relu", "aten::mm", "aten::mm", "aten::relu");
        assertThat(operators(more))
                .containsExactly("aten::mm", "aten::relu", "", "aten::mm", "aten::relu", "aten::mm", "aten::relu");
        assertThat(graphs(less)).extracting(GraphFigures::source).containsExactly("capture");
    }

    /** Whether the first or the last operation is missing cannot be told of kernels that occur once; two missing ones are too many. */
    @Test
    void whatIsMissingMustBeCertain() {
        Timeline unlike =
                replayOf(captureOfLayers(TimelineFixture.blank(), 0, "", "[[8]]"), "", "a", "b", "c", "d", "e");
        Timeline two =
                replayOf(captureOfLayers(TimelineFixture.blank(), 0, "", "[[8]]"), "", "gemm", "relu", "gemm", "relu");

        assertThat(graphs(unlike)).extracting(GraphFigures::source).containsExactly("");
        assertThat(graphs(two)).extracting(GraphFigures::source).containsExactly("");
    }

    /** An engine captures one graph for each batch size: the operators are the same, the sizes are not. */
    @Test
    void ofCapturesOfSeveralSizesTheOneWithTheNumberOfTheReplayCounts() {
        String[] kernels = {"gemm", "relu", "gemm", "relu", "gemm", "relu"};
        Timeline named = replayOf(
                captureOfLayers(
                        captureOfLayers(TimelineFixture.blank(), 0, "capture_32", "[[32]]"), 40, "capture_8", "[[8]]"),
                "execute_32_context_0",
                kernels);
        Timeline unnamed = replayOf(
                captureOfLayers(captureOfLayers(TimelineFixture.blank(), 0, "", "[[32]]"), 40, "", "[[8]]"),
                "",
                kernels);

        assertThat(Tables.of(Analysis.of(named, Thresholds.defaults())).rows(ShapeTables.OPERATOR_SHAPES))
                .extracting(OperatorShape::dims)
                .containsOnly("[[32]]");
        assertThat(Tables.of(Analysis.of(unnamed, Thresholds.defaults())).rows(ShapeTables.OPERATOR_SHAPES))
                .isEmpty();
        assertThat(operatorOf(unnamed, "gemm")).isEqualTo("aten::mm");
    }

    /** The captures differ in their sizes; the first three kernels could each be the one that was not captured. */
    @Test
    void ofSeveralCapturesNoneNeedsACallForTheFirstKernels() {
        String[] operators = new String[9];
        Arrays.fill(operators, "aten::gelu");
        operators[0] = "aten::mm";
        operators[1] = "aten::relu";
        String[] kernels = new String[10];
        Arrays.fill(kernels, "gelu");
        System.arraycopy(new String[] {"a", "b", "c"}, 0, kernels, 0, 3);
        TimelineFixture captures = captureOf(TimelineFixture.blank(), 0, "[[8]]", operators);
        Timeline timeline = replayOf(captureOf(captures, 40, "[[32]]", operators), "", kernels);

        assertThat(graphs(timeline)).extracting(GraphFigures::source).containsExactly("capture");
        assertThat(operatorOf(timeline, "gelu")).isEqualTo("aten::gelu");
        assertThat(operatorOf(timeline, "a")).isEmpty();
    }

    private static TimelineFixture eager(TimelineFixture fixture, double atUs, String operator, String kernel) {
        return fixture.operator("main", atUs, atUs + 2, operator)
                .kernel("7", atUs + 3, atUs + 4, kernel)
                .launchedBy("main", atUs + 1, atUs + 2);
    }

    /** The kernel name "a" belongs to two operators; the order of the warm-up tells which is which. */
    @Test
    void operatorsAreThoseOfARunOfTheSameKernels() {
        TimelineFixture fixture = eager(TimelineFixture.blank(), 0, "aten::add", "a");
        fixture = eager(eager(fixture, 4, "aten::mm", "a"), 8, "aten::relu", "b");
        Timeline timeline = replay(fixture).build();

        assertThat(graphs(timeline)).singleElement().satisfies(graph -> {
            assertThat(graph.source()).isEqualTo("eager run");
            assertThat(graph.kernels()).extracting(GraphKernel::operator).containsExactly("aten::mm", "aten::relu");
        });
    }

    @Test
    void withoutEitherAKernelNameOfOneOperatorTells() {
        TimelineFixture fixture = eager(TimelineFixture.blank(), 0, "aten::relu", "b");
        fixture = eager(eager(fixture, 4, "aten::add", "a"), 8, "aten::mm", "a");
        Timeline timeline = replay(fixture).build();

        assertThat(graphs(timeline)).singleElement().satisfies(graph -> {
            assertThat(graph.source()).isEqualTo("kernel names");
            assertThat(graph.kernels()).extracting(GraphKernel::operator).containsExactly("", "aten::relu");
        });
    }

    /** The second replay waits for the host, [12,16); between its own kernels nobody is to blame but the graph. */
    @Test
    void blameTellsTheInsideOfAReplayFromTheTimeBetweenReplays() {
        Analysis analysis = Analysis.of(TimelineFixture.draw("""
                us           0         10        20        30
                thread main  GG...........GG.....
                name k = softmax
                stream 7     ..KKKK.kkkkk....KK..kkkk
                links 0-0 0-1 1-2 1-3
                """), Thresholds.defaults());

        assertThat(analysis.blameFigures().stream()
                        .filter(b -> b.phase() == LedgerPart.SPAN)
                        .map(b -> b.cause().id() + ", " + b.activity() + ": " + b.ns()))
                .containsExactlyInAnyOrder(
                        "gpu.dependency, inside a replay of cudaGraphLaunch: 3000",
                        "unattributed, nothing recorded: 1000",
                        "framework.launch, cudaGraphLaunch: 2000",
                        "gpu.dependency, cudaGraphLaunch: 1000");
    }
}
