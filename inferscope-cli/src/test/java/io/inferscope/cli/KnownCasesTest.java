package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import io.inferscope.report.Renderers;
import io.inferscope.timeline.fixture.SharedTraces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Recordings rebuilt from public reports, whose cause or device is known: the verdict, the first finding, what must be told and what
 * must not.
 */
@Tag("traces")
class KnownCasesTest {
    /**
     * What is right.
     *
     * @param first the rule of the first finding, empty for any
     * @param says parts of the report, for the console, in Markdown or as values
     * @param saysNot what is no part of the report for the console, nor of any advice
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
                        "xpu-runtime.json.gz",
                        Bound.CPU,
                        "",
                        List.of("serve.py:30 postprocess", "22.0 ms"),
                        List.of("have no launch in the trace", "known-accelerator:")),
                new Case(
                        "xpu-launches-without-kernels.json.gz",
                        Bound.WITHHELD,
                        "",
                        List.of("600 of 620 launch and copy calls have no device operation"),
                        List.of("have no launch in the trace", "nsys profile")),
                new Case(
                        "ascend-trace_view.json",
                        Bound.COMMUNICATION,
                        "",
                        List.of(
                                "NPU compute: 46.4 ms",
                                "Communication: 30.4 ms",
                                "hcom_allReduce__123",
                                "torch_npu.profiler"),
                        List.of("Python work", "nsys profile")),
                new Case(
                        "rocprof-v1-results.json",
                        Bound.WITHHELD,
                        "",
                        List.of("28.0 ms", "Cijk_Ailk_Bljk_SB"),
                        List.of("the program's own code takes")),
                new Case(
                        "graph-nodes-overlap-pdl.json.gz",
                        Bound.CPU,
                        "",
                        List.of("process_batch_result_decode", "idle for 47% of the timeline"),
                        List.of("timestamps are wrong")),
                new Case(
                        "hip-graph-node-gaps.json.gz",
                        Bound.BALANCED,
                        "",
                        List.of(
                                "2676 gaps between nodes of graph replays, 3.20 us each",
                                "no work is missing there",
                                "Without a tracer of graph nodes it is probably \"gpu\": 8.56 ms between nodes of graphs"),
                        List.of("the device work they waited for is missing", "7.36 ms")),
                new Case(
                        "tpu-copy-done.xplane.pb",
                        Bound.COPY,
                        "",
                        List.of("TPU compute: 10.0 ms", "24.0 ms", "Communication: 4.00 ms", "copy-start"),
                        List.of("GPU", "have no launch", "pin_memory", "CUDA", "stream of their own")),
                new Case(
                        "nsys-no-cuda-diagnostics.sqlite",
                        Bound.WITHHELD,
                        "",
                        List.of(
                                "CUDA profiling might have not been started correctly",
                                "No CUDA events collected. Does the process use CUDA?",
                                "6.03 s"),
                        List.of("record dropped", "larger buffer")),
                new Case(
                        "trtexec-block-is-no-kernel.json",
                        Bound.GPU,
                        "",
                        List.of("`trtexec --exportProfile=FILE --separateProfileRun`", "`nsys profile trtexec ...`"),
                        List.of("One kernel is", "Profile this kernel alone")),
                new Case(
                        "ggml-products-called-elementwise.json.gz",
                        Bound.GPU,
                        "",
                        List.of(
                                "| products of matrices | llama.cpp | 800 | 56.0 ms | 84.8% |",
                                "| attention | llama.cpp | 400 | 8.00 ms | 12.1% |",
                                "| normalisation and softmax | - | 400 | 2.00 ms | 3.0% |"),
                        List.of("Elementwise kernels and copies take")),
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
        Report report = new Analyzer()
                .explain(Formats.importers().load(file), known.file)
                .report();
        String text = rendered("console", report)
                + report.findings().stream()
                        .map(one -> '\n' + one.rule() + ": " + one.advice())
                        .collect(Collectors.joining());

        assertThat(report.verdict().bound()).as(text).isEqualTo(known.bound);
        if (!known.first.isEmpty()) {
            assertThat(report.findings()).as(text).extracting(Finding::rule).startsWith(known.first);
        }
        assertThat(text + rendered("markdown", report) + values(report)).contains(known.says);
        assertThat(text).doesNotContain(known.saysNot);
    }

    private static String values(Report report) {
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

    private static String rendered(String format, Report report) throws IOException {
        StringBuilder out = new StringBuilder();
        Renderers.byFormat(format).render(report, out);
        return out.toString().replaceAll("\\s+", " ");
    }
}
