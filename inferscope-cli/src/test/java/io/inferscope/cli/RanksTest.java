package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.collectives.Collectives;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import io.inferscope.formats.archive.InputFiles;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Collectives of real recordings, against figures that were computed by hand from the kernels' stamps. */
@Tag("traces")
class RanksTest {
    @Test
    void ofEightRanksTheLateOneIsNamed() throws Exception {
        Timeline timeline = load("ranks/dlrm-8-ranks.tar.gz");
        Analysis analysis = new Analyzer().analysis(timeline);
        Collectives collectives = Collectives.of(analysis);
        DeviceActivity victim = collectives.victim().orElseThrow();
        DeviceActivity late = collectives.awaited(victim).orElseThrow();

        assertThat(collectives.matched()).hasSize(8).allMatch(c -> c.arrivals().size() == 8);
        assertThat(victim.label()).isEqualTo("GPU 1 of rank 1");
        assertThat(collectives.waiting(victim).totalNs()).isBetween(11_000_000L, 11_400_000L);
        assertThat(late.label()).isEqualTo("GPU 7 of rank 7");
        assertThat(collectives.last(late)).hasSize(5);

        Report report = new Analyzer().analyze(timeline, "ranks");
        assertThat(report.verdict().claim())
                .isEqualTo(
                        "Communication-bound: GPU 1 of rank 1 waits in collectives, most for GPU 7 of rank 7, which is"
                                + " late, most of all through operator dispatch.");
        assertThat(report.findings().get(0).places()).startsWith("DistributedDataParallel.forward");
        assertThat(report.notes()).noneMatch(note -> note.contains("what other ranks do"));
    }

    @Test
    void ofTwoGpusInOneRecordingOneWaits() throws Exception {
        Timeline timeline = load("more/2gpu-nccl.sqlite");
        Analysis analysis = new Analyzer().analysis(timeline);
        Collectives collectives = Collectives.of(analysis);
        DeviceActivity victim = collectives.victim().orElseThrow();

        assertThat(collectives.matched()).hasSize(31);
        assertThat(victim.id()).isEqualTo("1");
        assertThat(collectives.waiting(victim).totalNs()).isBetween(18_100_000L, 18_300_000L);
        assertThat(collectives.inCollectivesNs(victim)).isEqualTo(23_753_085L);

        // Both compute for 227 ms: GPU 0 is late because its thread launches later, not because it computes longer.
        DeviceActivity late = collectives.awaited(victim).orElseThrow();
        assertThat(collectives.lateness(analysis, late).causes().get(0).getKey())
                .isEqualTo(LedgerClass.FRAMEWORK_DISPATCH);
        List<String> claims = new Analyzer()
                .analyze(timeline, "gpus").findings().stream()
                        .map(Finding::claim)
                        .toList();
        assertThat(claims.get(0)).contains("the host waits until the GPU has no work left");
        assertThat(claims)
                .anySatisfy(claim -> assertThat(claim)
                        .startsWith("GPU 1 waits in collectives for others")
                        .contains("waits most for GPU 0"));
    }

    private static Timeline load(String name) throws ImportException {
        return load(SharedTraces.folder().resolve(name));
    }

    static Timeline load(Path trace) throws ImportException {
        List<Input> given = List.of(new Input(trace, null));
        try (InputFiles handed = InputFiles.of(given, Formats.importers(), System.in, "")) {
            return Formats.importers().load(handed.inputs(), bytes -> {});
        }
    }
}
