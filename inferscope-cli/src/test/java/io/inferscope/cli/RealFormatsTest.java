package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.fixture.SharedTraces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every real recording that is no Chrome trace: exports of Nsight Systems, rocprofv3, ONNX Runtime, stack samplers. */
@Tag("traces")
class RealFormatsTest {
    static List<Path> traces() throws IOException {
        List<Path> traces = new ArrayList<>();
        for (String family : List.of("nsys", "other")) {
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
}
