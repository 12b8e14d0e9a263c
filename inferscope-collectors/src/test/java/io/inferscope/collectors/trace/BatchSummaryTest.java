package io.inferscope.collectors.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.trace.Comparison.Alike;
import io.inferscope.collectors.trace.Comparison.Shared;
import io.inferscope.collectors.trace.Comparison.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The overview over statuses that lie in a folder. */
class BatchSummaryTest {
    @TempDir
    Path output;

    @BeforeEach
    void threeModels() throws IOException {
        pair("a", "seeing", "ok", """
                {"operators": {"mm": {"count": 2, "shapes": ["[2]", "[3]"]}, "add": {"count": 1, "shapes": []}},
                 "kernels": {"gemm": 5}}""");
        pair("b", "seeing", "ok", """
                {"operators": {"mm": {"count": 3, "shapes": ["[2]"]}, "mul": {"count": 1, "shapes": []}},
                 "kernels": {"gemm": 1, "copy": 1}}""");
        pair("c", "seeing", "ok", "{\"operators\": {\"mm\"");
        pair("c", "alone", "ok", "{\"operators\": {\"mm\": {\"count\": 1}}}");
        pair("b", "failing", "crash", "{\"operators\": {\"mm\": {\"count\": 1}}}");
    }

    private void pair(String model, String tracer, String outcome, String operations) throws IOException {
        Path folder = Files.createDirectories(output.resolve(model + "/eval/" + tracer));
        Files.writeString(folder.resolve(OperationsReader.FILE), operations);
        new Status(Map.of(
                        "success",
                        outcome.equals("ok"),
                        "exit_class",
                        outcome,
                        "reason",
                        "",
                        "model_id",
                        "/m/" + model))
                .write(folder);
    }

    private Map<String, ?> overview() throws IOException, InterruptedException {
        BatchSummary.write(output, List.of());
        return JsonTree.read(output.resolve("summary.json"));
    }

    private Comparison comparison() throws IOException, InterruptedException {
        return Comparison.of(JsonTree.objects(overview(), "comparison"));
    }

    @Test
    void whatModelsHaveInCommonIsCountedByTracer() throws Exception {
        assertThat(comparison().subjects())
                .containsExactly(new Subject(
                        "seeing",
                        "eval",
                        List.of("a", "b"),
                        1,
                        Map.of(
                                "operators", List.of(new Shared("mm", 2, 5)),
                                "kernels", List.of(new Shared("gemm", 2, 6)),
                                "shapes", List.of(new Shared("mm [2]", 2, 2))),
                        List.of(new Alike(List.of("a", "b"), 1, 3))));
        assertThat(output.resolve("summary.md")).content().contains("| mm | 2 | 5 |", "Of 2 models.");
    }

    @Test
    void everyPairIsListedWithItsOutcome() throws Exception {
        Map<String, ?> overview = overview();
        assertThat(JsonTree.object(overview, "outcomes")).containsEntry("ok", 4).containsEntry("crash", 1);
        assertThat(JsonTree.objects(overview, "pairs"))
                .extracting(pair -> JsonTree.text(pair, "folder"))
                .containsExactly("a/eval/seeing", "b/eval/failing", "b/eval/seeing", "c/eval/alone", "c/eval/seeing");
    }

    @Test
    void modelsAreComparedAgainOnlyWhenWhatTheyDidHasChanged() throws Exception {
        Path json = output.resolve("summary.json");
        Comparison first = comparison();
        Files.writeString(json, Files.readString(json).replace("\"gemm\"", "\"remembered\""));
        assertThat(comparison().subjects().get(0).shared().get("kernels"))
                .containsExactly(new Shared("remembered", 2, 6));

        Path operations = output.resolve("a/eval/seeing").resolve(OperationsReader.FILE);
        Files.setLastModifiedTime(operations, FileTime.fromMillis(1));
        assertThat(comparison()).isEqualTo(first);

        Files.writeString(operations, "{\"operators\": {\"mm\": {\"count\": 4}}}");
        assertThat(comparison().subjects().get(0).shared().get("operators")).containsExactly(new Shared("mm", 2, 7));

        Files.writeString(json, "{");
        assertThat(comparison().subjects().get(0).shared().get("operators")).containsExactly(new Shared("mm", 2, 7));
    }
}
