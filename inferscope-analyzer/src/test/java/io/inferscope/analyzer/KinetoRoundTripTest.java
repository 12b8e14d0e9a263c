package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.kineto.KinetoExporter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The merged trace that a run leaves must explain itself as the run did. */
@Tag("traces")
class KinetoRoundTripTest {
    @TempDir
    private Path folder;

    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void anExportedTraceGivesTheSameReport(Path trace) throws Exception {
        Timeline original = SharedTraces.timeline(trace);
        Path copy = folder.resolve("copy.json.gz");
        KinetoExporter.write(original, copy);
        Timeline again = CoreFormats.load(copy);

        assertThat(again.importStats().count(Effect.DROPPED)).isZero();
        assertThat(again.rowCount()).isEqualTo(original.rowCount());
        assertThat(again.links().count()).isEqualTo(original.links().count());
        Report second = new Analyzer().analyze(again, RealTraces.name(trace));
        SameValue.assertSame(second, RealTraces.report(trace), "importStats", "trust");
    }
}
