package io.inferscope.shapes;

import static io.inferscope.shapes.ShapeLogFixture.collect;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferscope.shapes.ShapeReport.ReplayFigures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls that are not rows of a log: in replays of CUDA graphs, and after a recording broke off. */
class UnseenCallsTest {
    private static final ShapeSections ENDLESS = new ShapeSections(true, true, true, 9_999, 9_999);

    @TempDir
    private Path folder;

    @Test
    void whatACaptureSawCountsForEachReplay() throws Exception {
        String product =
                "\"operation\": \"aten.mm.default\", \"inputs\": {\"a\": {\"shape\": [2, 3], \"dtype\": \"torch.half\"},"
                        + " \"b\": {\"shape\": [3, 4], \"dtype\": \"torch.half\"}}, \"outputs\": {\"shape\": [2, 4], \"dtype\": \"torch.half\"}}";
        Path log = Files.writeString(folder.resolve("a.jsonl"), """
                {"call_id": 1, "forward_pass": 0, MM
                {"marker": "GRAPH_CAPTURE_START", "graph": 1, "forward_pass": 0}
                {"call_id": 2, "forward_pass": 0, MM
                {"call_id": 3, "forward_pass": 0, MM
                {"call_id": 4, "forward_pass": 0, "operation": "aten.mystery.default", "inputs": null, "outputs": null}
                {"marker": "GRAPH_CAPTURE_END", "graph": 1, "forward_pass": 0}
                {"marker": "GRAPH_REPLAY", "graph": 1, "captured_call_ids": [2, 4], "forward_pass": 1}
                {"call_id": 5, "forward_pass": 1, MM
                {"marker": "GRAPH_REPLAY", "graph": 1, "captured_call_ids": [2, 4], "forward_pass": 2}
                {"marker": "GRAPH_REPLAY", "graph": 1, "captured_call_ids": [2, 4], "forward_pass": 3}
                {"marker": "GRAPH_REPLAY", "graph": 7, "captured_call_ids": null, "forward_pass": 3}
                {"marker": "GRAPH_CAPTURE_START", "graph": 1, "forward_pass": 3}
                {"call_id": 6, "forward_pass": 3, MM
                {"marker": "GRAPH_CAPTURE_END", "graph": 1, "forward_pass": 3}
                {"marker": "GRAPH_REPLAY", "graph": 1, "captured_call_ids": [6, 6], "forward_pass": 4}
                """.replace("MM", product));
        ShapeReport report = ShapeAnalysis.of(collect(log), "", ENDLESS);

        assertThat(report.totals().calls()).as("replays stand for themselves").isEqualTo(6);
        assertThat(report.replays())
                .extracting(
                        ReplayFigures::operation,
                        ReplayFigures::captured,
                        replay -> replay.totals().calls())
                .containsExactly(tuple("aten.mm.default", 3L, 7L), tuple("aten.mystery.default", 1L, 3L));
        assertThat(report.replays().get(0).totals().flops()).isEqualTo(7 * 2 * 2 * 3 * 4);
        assertThat(report.replays().get(1).totals().workCalls()).isZero();
        assertThat(report.cautions())
                .containsExactly("a.jsonl: 5 replays of CUDA graphs; the operators inside count once, at the capture."
                        + " 1 replay graphs whose capture is not in the log.");
    }

    /** 5,001 graphs of 20 operators: one graph more than are counted. */
    @Test
    @Tag("slow")
    void moreGraphsThanAreCountedAreSaidToBe() throws Exception {
        StringBuilder calls = new StringBuilder();
        for (int graph = 0; graph <= 5_000; graph++) {
            calls.append("{\"marker\": \"GRAPH_CAPTURE_START\", \"graph\": " + graph + "}\n");
            for (int operator = 0; operator < 20; operator++) {
                calls.append("{\"call_id\": 1, \"operation\": \"aten.op" + operator
                        + "\", \"inputs\": null, \"outputs\": null}\n");
            }
            calls.append("{\"marker\": \"GRAPH_CAPTURE_END\", \"graph\": " + graph + "}\n");
        }
        calls.append("{\"marker\": \"GRAPH_REPLAY\", \"graph\": 5000}\n");
        Path log = Files.writeString(folder.resolve("a.jsonl"), calls);

        assertThat(ShapeAnalysis.of(collect(log), "", ENDLESS).cautions())
                .containsExactly("a.jsonl: 1 replays of CUDA graphs; the operators inside count once, at the capture."
                        + " The table of replays lacks some operators: there are too many graphs to count all.");
    }

    @Test
    void whatARecordingLacksIsSaid() throws Exception {
        Path log = Files.writeString(folder.resolve("a.jsonl"), """
                {"call_id": 1, "forward_pass": 1, "operation": "aten.mm.default", "inputs": null, "outputs": null}
                """);
        ShapeReport killed = report(log, """
                {"total_operations": 1, "complete": false, "lost_operations": 7, "problems": {"inputs: TypeError": 3}}""");
        assertThat(summary(killed)).isEqualTo("agrees");
        assertThat(killed.cautions())
                .containsExactly(
                        "a.jsonl: the process was killed while it recorded; the log has everything up to then.",
                        "a.jsonl: 7 operators are missing because the disk is full; free space on it.",
                        "a.jsonl: the recorder met a problem: inputs: TypeError (3 times).");
        ShapeReport whole = report(log, """
                {"total_operations": 1, "complete": true, "lost_operations": 0, "problems": {}}""");
        assertThat(summary(whole)).isEqualTo("agrees");
        assertThat(whole.cautions()).isEmpty();
    }

    @Test
    void aLogWhoseRestIsNotWrittenYetSaysWhereThatIs() throws Exception {
        Path log = Files.writeString(folder.resolve("a.jsonl"), """
                {"call_id": 1, "forward_pass": 1, "operation": "aten.mm.default", "inputs": null, "outputs": null}
                """);
        Path rest = Files.createDirectory(folder.resolve("a.jsonl.log"));
        for (String summary : List.of("{\"total_operations\": 9, \"complete\": false}", "")) {
            ShapeReport report = report(log, summary);
            assertThat(summary(report)).isEqualTo("not compared: part of the log is not written yet");
            assertThat(report.cautions())
                    .containsExactly("a.jsonl: its last part is still in " + rest
                            + ". If the process that recorded it has ended: inferscope shapes recover " + rest + ".");
        }
    }

    private ShapeReport report(Path log, String summary) throws Exception {
        Path file = folder.resolve("a_summary.json");
        Files.deleteIfExists(file);
        if (!summary.isEmpty()) {
            Files.writeString(file, summary);
        }
        return ShapeAnalysis.of(collect(log), "", ENDLESS);
    }

    private static String summary(ShapeReport report) {
        return report.logs().get(0).summary();
    }
}
