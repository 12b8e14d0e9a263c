package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.analyzer.model.WorkTables.HloFigures;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.HiddenLaunches;
import io.inferscope.timeline.fixture.SharedTraces;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every real recording that is no Chrome trace: exports of Nsight Systems, rocprofv3, ONNX Runtime, JAX, stack samplers. */
@Tag("traces")
class RealFormatsTest {
    static List<Path> traces() throws IOException {
        List<Path> traces = new ArrayList<>();
        for (String family : List.of("nsys", "other", "xla")) {
            try (Stream<Path> files = Files.list(SharedTraces.folder().resolve(family))) {
                files.sorted().forEach(traces::add);
            }
        }
        return traces;
    }

    @ParameterizedTest
    @MethodSource("traces")
    void allOfItsTimeIsExplained(Path trace) throws Exception {
        Report report = new Analyzer()
                .analyze(Formats.importers().load(trace), trace.getFileName().toString());

        assertThat(report.ledgers()).isNotEmpty();
        assertThat(report.rollup().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(report.window().durationNs());
        assertThat(report.verdict().claim()).isNotEmpty();
    }

    /**
     * As LaunchMatcherTest does with traces in Chrome's format. One recording does not decide all of it: jax08 names an event's wait as the launch of a
     * kernel, and a copy as that of two. h100_2gpu_1s is a second cut out of a run whose device is 0.4 s behind its host: half of the launches and half
     * of the operations have no partner in it, and its waits show which ones have.
     */
    @ParameterizedTest
    @CsvSource({
        "nsys/h100_2gpu_1s.sqlite, 0.999",
        "nsys/healthy_1pct.sqlite, 0.999",
        "more/2gpu-nccl.sqlite, 0.999",
        "more/vllm-fp8.rpd.gz, 0.999",
        "ranks/dlrm-8-ranks.tar.gz, 0.999",
        "xla/jax08.xplane.pb, 0.98",
        "xla/jaxlegacy.xplane.pb, 0.999",
        "xla/jaxte.xplane.pb, 0.999"
    })
    void operationsAreMatchedWithoutTheirIds(String name, double least, @TempDir Path folder) throws Exception {
        HiddenLaunches hidden = HiddenLaunches.of(load(name, folder));
        System.out.println(name + ": " + hidden);
        assertThat(hidden.wrong() + hidden.wrongName() + hidden.unnamed())
                .as("%s", hidden)
                .isZero();
        assertThat(hidden.right()).as("%s", hidden).isPositive().isGreaterThanOrEqualTo((long)
                Math.ceil(least * hidden.operations()));
    }

    private static Timeline load(String name, Path folder) throws Exception {
        Path trace = SharedTraces.folder().resolve(name);
        if (name.endsWith(".rpd.gz")) {
            try (InputStream packed = new GZIPInputStream(Files.newInputStream(trace))) {
                trace = folder.resolve("trace.rpd");
                Files.copy(packed, trace);
            }
        }
        return RanksTest.load(trace);
    }

    /** What is required of the matching, over all traces with device work of CUDA or ROCm at once; mtia-inference is of neither. */
    @Test
    void ofAllOperationsOfAllTracesOneInAThousandMayBeLeftOutAndNoneIsWrong(@TempDir Path folder) throws Exception {
        long operations = 0;
        long right = 0;
        int traces = 0;
        List<String> names = new ArrayList<>(List.of(
                "nsys/h100_2gpu_1s.sqlite",
                "nsys/healthy_1pct.sqlite",
                "more/2gpu-nccl.sqlite",
                "more/vllm-fp8.rpd.gz",
                "ranks/dlrm-8-ranks.tar.gz",
                "xla/jax08.xplane.pb",
                "xla/jaxlegacy.xplane.pb",
                "xla/jaxte.xplane.pb"));
        SharedTraces.chrome()
                .forEach(trace ->
                        names.add(SharedTraces.folder().relativize(trace).toString()));
        names.removeIf(name -> name.contains("mtia"));
        for (String name : names) {
            HiddenLaunches hidden = HiddenLaunches.of(load(name, folder));
            assertThat(hidden.wrong() + hidden.wrongName() + hidden.unnamed())
                    .as("%s: %s", name, hidden)
                    .isZero();
            operations += hidden.operations();
            right += hidden.right();
            traces += hidden.operations() > 0 ? 1 : 0;
        }
        System.out.println("launches without ids: " + right + " of " + operations + " operations of " + traces
                + " traces have theirs, none another one");
        assertThat(right).isGreaterThanOrEqualTo((long) Math.ceil(0.999 * operations));
    }

    /** Two held up by their hosts, one that computes. */
    @ParameterizedTest
    @CsvSource({"jax08, CPU", "jaxlegacy, CPU", "jaxte, GPU"})
    void profilesOfJaxGetAVerdict(String name, BoundVerdict.Bound bound) throws Exception {
        Path trace = SharedTraces.folder().resolve("xla").resolve(name + ".xplane.pb");

        assertThat(new Analyzer()
                        .analyze(Formats.importers().load(trace), name)
                        .verdict()
                        .bound())
                .isEqualTo(bound);
    }

    /** Sums of a script over the kernels by their HLO instruction. The kernels of the convolution are called products of matrices. */
    @Test
    void kernelsOfJaxAreSummedUpByTheirHloInstruction() throws Exception {
        Path trace = SharedTraces.folder().resolve("xla").resolve("jax08.xplane.pb");
        Report report = new Analyzer().analyze(Formats.importers().load(trace), "jax08");

        assertThat(report.rows(WorkTables.HLO_OPERATIONS))
                .extracting(HloFigures::operation, HloFigures::category, HloFigures::module, HloFigures::totalNs)
                .containsExactly(
                        tuple("input_transpose_fusion", "input fusion", "jit_forward_3d_conv", 14_825_540L),
                        tuple("cudnn-conv", "convolution", "jit_forward_3d_conv", 12_531_616L),
                        tuple("loop_transpose_fusion", "loop fusion", "jit_forward_3d_conv", 193_520L));
    }

    /** The HLO modules in the profiles, read by a script: one call of cuBLAS without a name, and the lines of a program. */
    @Test
    void hloModulesOfJaxNameWhatIsCalledAndTheLine() throws Exception {
        Path folder = SharedTraces.folder().resolve("xla");
        Report te = new Analyzer().analyze(Formats.importers().load(folder.resolve("jaxte.xplane.pb")), "jaxte");
        Report legacy =
                new Analyzer().analyze(Formats.importers().load(folder.resolve("jaxlegacy.xplane.pb")), "jaxlegacy");

        assertThat(te.rows(WorkTables.HLO_OPERATIONS))
                .extracting(HloFigures::operation, HloFigures::category, HloFigures::totalNs)
                .contains(tuple("__cublas$gemm", "product", 584_605L));
        assertThat(legacy.rows(WorkTables.HLO_OPERATIONS).get(0).where())
                .isEqualTo("/workspace/conv-jax/jax_conv_profiling.py:77");
    }

    /** Each of ten executions allocates its result on all eight GPUs; kernels of GPU 7 alone are recorded. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"jax08; ", "jaxte; ", "jaxlegacy; 0, 1, 2, 3, 4, 5, 6"})
    void devicesOfJaxWhoseKernelsAreMissingAreNoted(String name, String devices) throws Exception {
        Path trace = SharedTraces.folder().resolve("xla").resolve(name + ".xplane.pb");

        assertThat(new Analyzer().analyze(Formats.importers().load(trace), name).trust())
                .filteredOn(check -> check.check().equals("known-accelerator"))
                .singleElement()
                .satisfies(check -> assertThat(check.detail())
                        .startsWith(
                                devices == null
                                        ? "every event category is known"
                                        : "the program allocates memory on device " + devices + " and no kernel"));
    }
}
