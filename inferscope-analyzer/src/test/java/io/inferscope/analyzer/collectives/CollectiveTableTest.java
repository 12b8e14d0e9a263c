package io.inferscope.analyzer.collectives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.RealTraces;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.analyzer.model.WorkTables.CollectiveFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TimelineFixture;
import io.inferscope.timeline.fixture.TraceFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which kernels are of one collective, how much it sends, and how fast. */
class CollectiveTableTest {
    @TempDir
    private Path folder;

    private static String kernel(int device, int stream, int startUs, int endUs, String group, String name) {
        return "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f32_RING_LL\",\"pid\":" + device
                + ",\"tid\":" + stream + ",\"ts\":" + startUs + ",\"dur\":" + (endUs - startUs)
                + ",\"args\":{\"device\":" + device + ",\"stream\":" + stream + ",\"Collective name\":\"" + name
                + "\",\"In msg nelems\":1000,\"dtype\":\"Float\",\"Process Group Name\":\"" + group
                + "\",\"Group size\":2}}";
    }

    private List<CollectiveFigures> table(String... events) throws Exception {
        String json = "[" + String.join(",", events) + "]";
        Path file = TraceFile.of(folder, "trace.json", json.getBytes(StandardCharsets.UTF_8));
        return CollectiveTable.of(new Analyzer().analysis(CoreFormats.load(file)));
    }

    /**
     * <pre>
     *   device 0   [ group a ............................ ]          by name alone, the first kernels of both devices would be one
     *                  [ group b ...... ]                            collective, and its skew 20 us
     *   device 1               [ group b]     [ group a   ]
     * </pre>
     */
    @Test
    void groupsAreToldApart() throws Exception {
        List<CollectiveFigures> table = table(
                kernel(0, 7, 0, 50, "a", "allreduce"),
                kernel(0, 8, 10, 30, "b", "allreduce"),
                kernel(1, 8, 20, 30, "b", "allreduce"),
                kernel(1, 7, 40, 50, "a", "allreduce"));

        assertThat(table).extracting(CollectiveFigures::group).containsExactly("a", "b");
        assertThat(table).extracting(CollectiveFigures::maxSkewNs).containsExactly(40_000L, 10_000L);
        assertThat(table).extracting(CollectiveFigures::waitingNs).containsExactly(40_000L, 10_000L);
    }

    /** 4,000 bytes in the 100 us from the last arrival on; each of the two links carries 2 x 1/2 of that. */
    @Test
    void bandwidthIsOfTheTimeInWhichDataMoves() throws Exception {
        CollectiveFigures figures = table(
                        kernel(0, 7, 0, 500, "a", "allreduce"), kernel(1, 7, 400, 500, "a", "allreduce"))
                .get(0);

        assertThat(figures.bytes()).isEqualTo(4_000);
        assertThat(figures.algorithmBytesPerSecond()).isCloseTo(4e7, within(1.0));
        assertThat(figures.busBytesPerSecond()).isCloseTo(4e7, within(1.0));
    }

    /** Six ranks are in other recordings, and any of them may be the last one. */
    @Test
    void ofSomeRanksItIsNotKnownWhenDataMoves() throws Exception {
        CollectiveFigures figures = table(
                        kernel(0, 7, 0, 500, "a", "allreduce").replace("\"Group size\":2", "\"Group size\":8"),
                        kernel(1, 7, 400, 500, "a", "allreduce").replace("\"Group size\":2", "\"Group size\":8"))
                .get(0);

        assertThat(figures.ranks()).isEqualTo(8);
        assertThat(figures.waitingNs()).isEqualTo(400_000);
        assertThat(figures.algorithmBytesPerSecond()).isNull();
        assertThat(figures.busBytesPerSecond()).isNull();
    }

    /** The kernel on the second device alone is timed by one clock: 10 us. */
    @Test
    void aTimeWithinTheClocksErrorGivesNoBandwidth() throws Exception {
        CollectiveFigures figures = table(kernel(0, 7, 0, 44, "a", "allreduce"), kernel(1, 7, 40, 50, "a", "allreduce"))
                .get(0);

        assertThat(figures.algorithmBytesPerSecond()).isCloseTo(4e8, within(1.0));
    }

    @Test
    void elementsHaveASizeByEitherOfTheirNames() {
        assertThat(Message.sized("allreduce", "a", 2, 1000, "BFloat16").bytes()).isEqualTo(2_000);
        assertThat(Message.sized("allreduce", "a", 2, 1000, "c10::BFloat16").bytes())
                .isEqualTo(2_000);
        assertThat(Message.sized("allreduce", "a", 2, 1000, "c10::Half").bytes())
                .isEqualTo(2_000);
    }

    @Test
    void aMessageGatheredByOneRankIsThatOfAllRanks() {
        assertThat(Message.sized("gather", "a", 2, 1000, "Float").bytes()).isEqualTo(8_000);
    }

    @Test
    void aRangeThatNamesSenderAndReceiverIsPointToPoint() throws Exception {
        CollectiveFigures figures = table("""
                        {"ph":"X","cat":"cpu_op","name":"nccl:send 0->1","pid":1,"tid":1,"ts":0,"dur":20}""", """
                        {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":5,"dur":5,
                        "args":{"correlation":9}}""", """
                        {"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv","pid":0,"tid":7,"ts":15,"dur":30,
                        "args":{"device":0,"stream":7,"correlation":9}}""").get(0);

        assertThat(figures.name()).isEqualTo("send");
        assertThat(new Message(figures.name(), "", 0, -1).isPointToPoint()).isTrue();
    }

    @Test
    void aGatheredMessageIsThatOfAllRanks() throws Exception {
        CollectiveFigures figures = table(
                        kernel(0, 7, 0, 10, "a", "_allgather_base"), kernel(1, 7, 0, 10, "a", "_allgather_base"))
                .get(0);

        assertThat(figures.bytes()).isEqualTo(8_000);
        assertThat(figures.busBytesPerSecond()).isCloseTo(4e8, within(1.0));
    }

    /** Who sends to whom is not recorded: in a group of many, the kernels of two ranks need not belong together. */
    @Test
    void sendingFromRankToRankIsNotMatched() throws Exception {
        assertThat(table(kernel(0, 7, 0, 50, "a", "send"), kernel(1, 7, 40, 50, "a", "send")))
                .singleElement()
                .extracting(CollectiveFigures::waitingNs)
                .isNull();
    }

    /** The middle one of 15 rates, by the events' own figures. */
    @Test
    @Tag("traces")
    void aRealTraceSaysWhatItSent() throws Exception {
        assertThat(RealTraces.report("a100-nccl").rows(WorkTables.COLLECTIVES))
                .filteredOn(figures -> figures.name().equals("allreduce"))
                .singleElement()
                .satisfies(figures -> {
                    assertThat(figures.calls()).isEqualTo(15);
                    assertThat(figures.ranks()).isEqualTo(2);
                    assertThat(figures.bytes()).isEqualTo(26_255_360);
                    assertThat(figures.algorithmBytesPerSecond()).isCloseTo(5.755e9, within(1e6));
                });
    }

    /** PyTorch's range names the exchange, NCCL's range inside it tells the size: 1,000,000 bytes in 100 us. */
    @Test
    void theSizeThatNcclTellsIsThatOfTheRangeAroundIt() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int gpu = 0; gpu < 2; gpu++) {
            String thread = "rank" + gpu;
            fixture.device(Integer.toString(gpu))
                    .operator(thread, 0, 40, "nccl:all_to_all")
                    .operator(thread, 1, 30, "NCCL:ncclGroupEnd")
                    .text(Attribute.COLLECTIVE, "SendRecv")
                    .text(Attribute.ELEMENT_TYPE, "Byte")
                    .attribute(Attribute.MESSAGE_ELEMENTS, 1_000_000)
                    .kernel("7", 50, 150, "ncclDevKernel_SendRecv")
                    .launchedBy(thread, 2, 10, "cudaLaunchKernelExC");
        }

        CollectiveFigures figures = CollectiveTable.of(Analysis.of(fixture.build(), Thresholds.defaults()))
                .get(0);

        assertThat(figures.name()).isEqualTo("all_to_all");
        assertThat(figures.bytes()).isEqualTo(1_000_000);
        assertThat(figures.busBytesPerSecond()).isEqualTo(0.5e10);
    }
}
