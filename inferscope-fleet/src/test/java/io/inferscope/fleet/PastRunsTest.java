package io.inferscope.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.limits.History;
import io.inferscope.analyzer.limits.Limits;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PastRunsTest {
    private static final long START_NS = 1_790_000_000_000_000_000L;

    @TempDir
    Path folder;

    @Test
    void aRunLikeItsPastIsWithinNoiseAndASlowOneIsNot() throws Exception {
        List<RecordingRows> past = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Path trace = Traces.write(folder.resolve(i + ".json"), START_NS + i, 50 + i % 5, "op");
            past.add(FleetBuild.summary(
                    trace,
                    new Origin("id" + i, "1", "a", Map.of("service", i < 35 ? "chat" : "other")),
                    new Analyzer()));
        }
        SummarySets sets = new SummarySets(folder.resolve("rows"));
        sets.write(past);
        PastRuns runs = new PastRuns(sets, Map.of("service", "chat"), "id34");

        assertThat(runs.count()).isEqualTo(30);
        assertThat(runs.values("idle.share")).hasSize(30);
        assertThat(new PastRuns(sets, Map.of("service", "cha"), "").count()).isZero();
        Path usual = folder.resolve("34.json");
        assertThat(runs.compared(report(usual)).page().conclusion().get(0)).contains("within the noise of its last 30");
        assertThat(Limits.parse("idle>p95(history)").crossedBy(report(usual), runs))
                .isEmpty();

        Path slow = Traces.write(folder.resolve("slow.json"), START_NS, 50, "op", 400);
        assertThat(runs.compared(report(slow)).page().conclusion())
                .first()
                .asString()
                .contains("beyond the noise of its last 30");
        assertThat(Limits.parse("idle>p95(history)").crossedBy(report(slow), runs))
                .singleElement()
                .asString()
                .contains("limit crossed: idle>p95(history): idle is")
                .contains("of 30 earlier runs");
    }

    @Test
    void aLimitOfHistoryCannotBeCheckedWithoutIt() throws Exception {
        Report report = report(Traces.write(folder.resolve("a.json"), 0, 10, "op"));
        assertThat(Limits.parse("idle>p95(history)").crossedBy(report))
                .singleElement()
                .asString()
                .contains("cannot be checked")
                .contains("8 are needed")
                .contains("\"idle?\"");
        assertThat(Limits.parse("idle?>p95(history)").crossedBy(report)).isEmpty();
        List<Double> seven = List.of(1d, 2d, 3d, 4d, 5d, 6d, 7d);
        History history = metric -> seven;
        assertThat(history.percentile("x", 50)).isEmpty();
        assertThat(((History) metric -> List.of(8d, 7d, 6d, 5d, 4d, 3d, 2d, 1d)).percentile("x", 50))
                .hasValue(4);
    }

    private static Report report(Path trace) throws Exception {
        return new Analyzer().analyze(Formats.importers().load(trace), "a");
    }
}
