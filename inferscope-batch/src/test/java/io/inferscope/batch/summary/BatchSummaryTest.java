package io.inferscope.batch.summary;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.batch.Status;
import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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
        Files.writeString(folder.resolve(OperationCounts.FILE), operations);
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
        return JsonValues.read(output.resolve("summary.json"));
    }

    private List<Map<String, @Nullable Object>> comparison() throws IOException, InterruptedException {
        return JsonValues.objects(overview(), "comparison");
    }

    private String shared(String kind) throws IOException, InterruptedException {
        return JsonValues.line(comparison().get(0).get("shared_" + kind));
    }

    @Test
    void whatModelsHaveInCommonIsCountedByTracer() throws Exception {
        assertThat(JsonValues.line(comparison())).isEqualTo("""
                [{"tracer":"seeing","mode":"eval","models":["a","b"],"unreadable":1,"operators_of_all":1,\
                "operators_of_any":3,"by_model":[{"model":"a","operators":2,"in_no_other":["add"]},\
                {"model":"b","operators":2,"in_no_other":["mul"]}],\
                "shared_operators":[{"name":"mm","models":2,"count":5}],\
                "shared_kernels":[{"name":"gemm","models":2,"count":6}],\
                "shared_shapes":[{"name":"mm [2]","models":2,"count":2}],\
                "pairs":[{"models":["a","b"],"operators_of_both":1,"operators_of_either":3}]}]""");
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

        Map<String, @Nullable Object> other = comparison().get(0);
        assertThat(other).containsEntry("tracer", "other").containsEntry("operators_of_any", 1);
        assertThat(JsonValues.objects(other, "shared_shapes")).isEmpty();
    }

    @Test
    void everyPairIsListedWithItsOutcome() throws Exception {
        Map<String, ?> overview = overview();
        assertThat(JsonValues.object(overview, "outcomes"))
                .containsEntry("ok", 4)
                .containsEntry("crash", 1);
        assertThat(JsonValues.objects(overview, "pairs"))
                .extracting(pair -> JsonValues.text(pair, "folder"))
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
        List<Map<String, @Nullable Object>> first = comparison();
        Files.writeString(json, Files.readString(json).replace("\"gemm\"", "\"remembered\""));
        assertThat(shared("kernels")).isEqualTo("[{\"name\":\"remembered\",\"models\":2,\"count\":6}]");

        Path operations = output.resolve("a/eval/seeing").resolve(OperationCounts.FILE);
        Files.setLastModifiedTime(operations, FileTime.fromMillis(1));
        assertThat(comparison()).isEqualTo(first);

        Files.writeString(operations, "{\"operators\": {\"mm\": {\"count\": 4}}}");
        assertThat(shared("operators")).isEqualTo("[{\"name\":\"mm\",\"models\":2,\"count\":7}]");

        Files.writeString(json, "{");
        assertThat(shared("operators")).isEqualTo("[{\"name\":\"mm\",\"models\":2,\"count\":7}]");
    }
}
