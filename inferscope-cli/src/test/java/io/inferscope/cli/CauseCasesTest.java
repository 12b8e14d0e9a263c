package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.fixture.SharedTraces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Recordings rebuilt from public reports, whose cause is known: the verdict, the first finding, what must be told and what must not. */
@Tag("traces")
class CauseCasesTest {
    /**
     * What is right.
     *
     * @param first the rule of the first finding, empty for any
     * @param says parts of what the report says, all of them
     * @param saysNot parts of what it must not say
     */
    record Case(String file, Bound bound, String first, List<String> says, List<String> saysNot) {
        @Override
        public String toString() {
            return file;
        }
    }

    static List<Case> cases() {
        return List.of(
                new Case(
                        "kernels-lost-at-random.json.gz",
                        Bound.WITHHELD,
                        "",
                        List.of(
                                "Either \"gpu\" or \"balanced\"",
                                "idle for 2.76 ms to 5.94 ms",
                                "idle for 2.77 ms to 5.95 ms, 9.7% to 20.8%",
                                "GPU is idle for 10% to 21%"),
                        List.of("is Python", "vectorise")),
                new Case(
                        "graph-launch-called-eager.json.gz",
                        Bound.CPU,
                        "launch-bound",
                        List.of(
                                "inside 10 graph launches, which take 616 us each for 224 nodes, 2.75 us a node",
                                "CUPTI and other tracers that record each node add 1 to 2 us per node",
                                "most of this time exists under the tracer only",
                                "it is probably \"gpu\": up to 4.48 ms inside graph launches exist under the tracer only",
                                "replayed by graphs already",
                                "label=kernels launched one by one, value=120.0"),
                        List.of("disable-cuda-graph", "Launch less", "2,360 kernels")),
                new Case(
                        "jax-xla-ranges-are-not-python.xplane.pb",
                        Bound.CPU,
                        "launch-bound",
                        List.of("label=operator dispatch, where=train.py:31 run_step > ThenExecuteCallback"),
                        List.of("program's own Python code")),
                new Case(
                        "item-drains-the-queue.json.gz",
                        Bound.CPU,
                        "blocking-sync",
                        List.of(
                                "the GPU is idle for 24.2 ms",
                                "label=the queue was emptied at, where=sglang/srt/model_executor/forward_batch_info.py:700"
                                        + " _compute_spec_mrope_positions > aten::item",
                                "no `.item()`"),
                        List.of("launch-bound:")),
                new Case(
                        "python-gc-events.json.gz",
                        Bound.CPU,
                        "garbage-collection",
                        List.of("in 3 of 60 steps", "`gc.freeze()`"),
                        List.of("vectorise", "own Python code")),
                new Case(
                        "cpu-model-beside-a-gpu.json.gz",
                        Bound.COMPUTE,
                        "unused-device",
                        List.of("the machine's GPU (NVIDIA H100 80GB HBM3) is not used", "model.to(\"cuda\")"),
                        List.of("nothing around it is worth changing")),
                new Case(
                        "caching-allocator-off.json.gz",
                        Bound.CPU,
                        "device-allocation",
                        List.of("the caching allocator is switched off. Unset `PYTORCH_NO_CUDA_MEMORY_CACHING`"
                                + " (AMD: `PYTORCH_NO_HIP_MEMORY_CACHING`) first"),
                        List.of("expandable_segments", "empty_cache")),
                new Case(
                        "slow-first-launch.json.gz",
                        Bound.GPU,
                        "outside-span",
                        List.of("its module is loaded", "`CUDA_MODULE_LOADING=EAGER`"),
                        List.of("fusing", "make its kernels cheaper first")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theReportSaysWhatIsRight(Case known) throws Exception {
        Path file = SharedTraces.folder().resolve("cases").resolve(known.file);
        assertThat(Files.exists(file)).isTrue();
        Report report = new Analyzer().analyze(Formats.importers().load(file), known.file);
        String text = text(report);

        assertThat(report.verdict().bound()).as(text).isEqualTo(known.bound);
        if (!known.first.isEmpty()) {
            assertThat(report.findings()).as(text).extracting(Finding::rule).startsWith(known.first);
        }
        assertThat(text).contains(known.says);
        known.saysNot.forEach(wrong -> assertThat(text).doesNotContain(wrong));
    }

    private static String text(Report report) {
        Stream<String> findings = report.findings().stream()
                .map(one -> one.rule() + ": " + one.claim() + " " + one.evidence() + " " + one.advice());
        return Stream.of(
                        Stream.of(report.verdict().claim()),
                        report.verdict().because().stream(),
                        report.diagnosis().stream(),
                        report.suggestions().stream(),
                        findings,
                        report.notes().stream())
                .flatMap(lines -> lines)
                .collect(Collectors.joining("\n"));
    }
}
