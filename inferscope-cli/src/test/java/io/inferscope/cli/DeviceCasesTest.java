package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.Explained;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.formats.Formats;
import io.inferscope.report.Renderers;
import io.inferscope.timeline.fixture.SharedTraces;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Recordings of devices that were taken for something else, each with what a report must say of it, and what it must not. */
@Tag("traces")
class DeviceCasesTest {
    /**
     * A recording.
     *
     * @param says parts of the reports for the console and in Markdown
     * @param never what is no part of the report for the console
     */
    record Case(String file, Bound verdict, List<String> says, List<String> never) {
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
                        List.of("serve.py:30 postprocess", "22.0 ms"),
                        List.of("have no launch in the trace", "known-accelerator:")),
                new Case(
                        "xpu-launches-without-kernels.json.gz",
                        Bound.WITHHELD,
                        List.of("600 of 620 launch and copy calls have no device operation"),
                        List.of("have no launch in the trace", "nsys profile")),
                new Case(
                        "ascend-trace_view.json",
                        Bound.COMMUNICATION,
                        List.of(
                                "NPU compute: 46.4 ms",
                                "Communication: 30.4 ms",
                                "hcom_allReduce__123",
                                "torch_npu.profiler"),
                        List.of("Python work", "nsys profile")),
                new Case(
                        "rocprof-v1-results.json",
                        Bound.WITHHELD,
                        List.of("28.0 ms", "Cijk_Ailk_Bljk_SB"),
                        List.of("the program's own code takes")),
                new Case(
                        "graph-nodes-overlap-pdl.json.gz",
                        Bound.CPU,
                        List.of("process_batch_result_decode", "idle for 47% of the timeline"),
                        List.of("timestamps are wrong")),
                new Case(
                        "hip-graph-node-gaps.json.gz",
                        Bound.BALANCED,
                        List.of(
                                "2676 gaps between nodes of graph replays, 3.20 us each",
                                "no work is missing there",
                                "Without a tracer of graph nodes it is probably \"gpu\": 8.56 ms between nodes of graphs"),
                        List.of("the device work they waited for is missing", "7.36 ms")),
                new Case(
                        "tpu-copy-done.xplane.pb",
                        Bound.COPY,
                        List.of("TPU compute: 10.0 ms", "24.0 ms", "Communication: 4.00 ms", "copy-start"),
                        List.of("GPU", "have no launch", "pin_memory", "CUDA", "stream of their own")),
                new Case(
                        "nsys-no-cuda-diagnostics.sqlite",
                        Bound.WITHHELD,
                        List.of(
                                "CUDA profiling might have not been started correctly",
                                "No CUDA events collected. Does the process use CUDA?",
                                "6.03 s"),
                        List.of("record dropped", "larger buffer")),
                new Case(
                        "trtexec-block-is-no-kernel.json",
                        Bound.GPU,
                        List.of("`trtexec --exportProfile=FILE --separateProfileRun`", "`nsys profile trtexec ...`"),
                        List.of("One kernel is", "Profile this kernel alone")),
                new Case(
                        "ggml-products-called-elementwise.json.gz",
                        Bound.GPU,
                        List.of(
                                "| products of matrices | llama.cpp | 800 | 56.0 ms | 84.8% |",
                                "| attention | llama.cpp | 400 | 8.00 ms | 12.1% |",
                                "| normalisation and softmax | - | 400 | 2.00 ms | 3.0% |"),
                        List.of("Elementwise kernels and copies take")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theReportSaysWhatIsRight(Case expected) throws Exception {
        Path trace = SharedTraces.folder().resolve("cases").resolve(expected.file());
        Explained explained = new Analyzer().explain(Formats.importers().load(trace), expected.file());
        String console = text("console", explained);

        assertThat(explained.report().verdict().bound()).isEqualTo(expected.verdict());
        assertThat(console + text("markdown", explained)).contains(expected.says());
        assertThat(console).doesNotContain(expected.never());
    }

    private static String text(String format, Explained explained) throws IOException {
        StringBuilder out = new StringBuilder();
        Renderers.byFormat(format).render(explained.report(), out);
        return out.toString().replaceAll("\\s+", " ");
    }
}
