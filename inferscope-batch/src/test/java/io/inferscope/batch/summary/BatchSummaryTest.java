package io.inferscope.batch.summary;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.batch.JsonTree;
import io.inferscope.batch.Status;
import io.inferscope.batch.summary.Comparison.Alike;
import io.inferscope.batch.summary.Comparison.Own;
import io.inferscope.batch.summary.Comparison.Shared;
import io.inferscope.batch.summary.Comparison.Subject;
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
        pair(model, tracer, outcome, "", operations);
    }

    private void pair(String model, String tracer, String outcome, String reason, String operations)
            throws IOException {
        Path folder = Files.createDirectories(output.resolve(model + "/eval/" + tracer));
        Files.writeString(folder.resolve(Operations.FILE), operations);
        new Status(Map.of(
                        "success",
                        outcome.equals("ok"),
                        "exit_class",
                        outcome,
                        "reason",
                        reason,
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
                        1,
                        3,
                        List.of(new Own("a", 2, List.of("add")), new Own("b", 2, List.of("mul"))),
                        Map.of(
                                "operators", List.of(new Shared("mm", 2, 5)),
                                "kernels", List.of(new Shared("gemm", 2, 6)),
                                "shapes", List.of(new Shared("mm [2]", 2, 2))),
                        List.of(new Alike(List.of("a", "b"), 1, 3))));
        assertThat(output.resolve("summary.md"))
                .content()
                .contains(
                        "| mm | 2 | 5 |",
                        "Of 2 models.",
                        "Operators in all 2 models: 1; in at least one: 3.",
                        "| a | 2 | 1 | add | b 33 % |");
    }

    @Test
    void aFileThatEndsTooEarlyCountsAsNone() throws Exception {
        pair("c", "seeing", "ok", "{\"operators\": {\"mm\": {\"count\": 9, \"shapes\": [\"[2]\"]}, \"sin\": {\"cou");

        whatModelsHaveInCommonIsCountedByTracer();
    }

    @Test
    void onlyOperatorsAndKernelsAreCompared() throws Exception {
        pair(
                "a",
                "other",
                "ok",
                "{\"version\": 3, \"notes\": {\"a\": \"b\", \"c\": 1}, \"operators\": {\"mm\": {\"count\": 1}}}");
        pair(
                "b",
                "other",
                "ok",
                "{\"version\": 3, \"notes\": {\"a\": \"b\", \"c\": 1}, \"operators\": {\"mm\": {\"count\": 1}}}");

        Subject other = comparison().subjects().get(0);
        assertThat(other.tracer()).isEqualTo("other");
        assertThat(other.operatorsOfAny()).isEqualTo(1);
        assertThat(other.shared().get("shapes")).isEmpty();
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
    void failuresOfOneReasonAreOneRow() throws Exception {
        pair("a", "failing", "timeout", "not done | <b>", "{}");
        pair("c", "failing", "timeout", "not done | <b>", "{}");
        pair("c", "other", "timeout", "something else", "{}");
        overview();

        assertThat(output.resolve("summary.md"))
                .content()
                .contains(
                        "| **timeout** | 2 | not done \\| \\<b\\> | [a/eval/failing](a/eval/failing/),"
                                + " [c/eval/failing](c/eval/failing/) |",
                        "| **timeout** | 1 | something else | [c/eval/other](c/eval/other/) |",
                        "| model and mode | failing | seeing | alone | other |",
                        "| a eval | **[timeout](a/eval/failing/)** | [ok](a/eval/seeing/) |  |  |");
        assertThat(output.resolve("summary.html"))
                .content()
                .contains("<td class=\"word bad\">timeout</td><td class=\"number\">2</td>", "not done | &lt;b&gt;")
                .doesNotContain("<b>");
    }

    @Test
    void prefillAndDecodeOfAnEngineAreShown() throws Exception {
        pair("d", "vllm_profiler", "ok", "{}");
        Files.writeString(output.resolve("d/eval/vllm_profiler/vllm_phases.json"), """
                {"ranks": [
                 {"trace": "r0", "told_by": "vllm", "phases": {"decode": {"steps": 4, "wall_us": 10000,
                  "attention": {"kernel_count": 1, "kernel_time_us": 30, "operator_time_us": 1},
                  "kv_cache": {"kernel_count": 1, "kernel_time_us": 10, "operator_time_us": 1},
                  "other": {"kernel_count": 1, "kernel_time_us": 60, "operator_time_us": 98}}}},
                 {"trace": "r1", "told_by": "nothing", "phases": {}}]}""");
        overview();

        assertThat(output.resolve("summary.md"))
                .content()
                .contains("r0 | decode | 4 | 2.50 ms | 30.0 % | 10.0 % | 60.0 % |", "r1 | not known |  |  |  |  |  |");
    }

    @Test
    void modelsAreComparedAgainOnlyWhenWhatTheyDidHasChanged() throws Exception {
        Path json = output.resolve("summary.json");
        Comparison first = comparison();
        Files.writeString(json, Files.readString(json).replace("\"gemm\"", "\"remembered\""));
        assertThat(comparison().subjects().get(0).shared().get("kernels"))
                .containsExactly(new Shared("remembered", 2, 6));

        Path operations = output.resolve("a/eval/seeing").resolve(Operations.FILE);
        Files.setLastModifiedTime(operations, FileTime.fromMillis(1));
        assertThat(comparison()).isEqualTo(first);

        Files.writeString(operations, "{\"operators\": {\"mm\": {\"count\": 4}}}");
        assertThat(comparison().subjects().get(0).shared().get("operators")).containsExactly(new Shared("mm", 2, 7));

        Files.writeString(json, "{");
        assertThat(comparison().subjects().get(0).shared().get("operators")).containsExactly(new Shared("mm", 2, 7));
    }
}
