package io.inferscope.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SummarySetsTest {
    private static final String SECRET = "hf_abcdefghijklmnopqrstuvwxyz";

    @TempDir
    Path folder;

    @Test
    void theRowsOfARecordingAreWrittenAndReadBack() throws Exception {
        Path trace = Traces.write(folder.resolve("a.json"), 1_700_000_000_000_000_000L, 7, "matmul");
        AnalyzedReport explained = explain(trace);
        SummarySets sets = new SummarySets(folder.resolve("sets"));
        sets.write(List.of(RecordingRows.of(origin(trace, Map.of("service", "chat", "team", "a b")), explained)));

        assertThat(rows(sets, FleetTable.TRACE, "schema_version service labels day window_ns trust verdict devices"))
                .containsExactly(List.of(
                        1L,
                        "chat",
                        "{\"service\":\"chat\",\"team\":\"a b\"}",
                        "2023-11-14",
                        explained.report().window().durationNs(),
                        "ok",
                        explained.report().verdict().bound().id(),
                        1L));
        long entries = explained.report().ledgers().stream()
                .map(Ledger::entries)
                .mapToLong(List::size)
                .sum();
        assertThat(rows(sets, FleetTable.LEDGER, "ns")).hasSize((int) entries);
        assertThat(rows(sets, FleetTable.METRIC, "name unit value"))
                .anySatisfy(row -> assertThat(row).startsWith("idle.share", "ratio"));
        assertThat(rows(sets, FleetTable.FINDING, "rule")).isNotEmpty();
    }

    @Test
    void blameIsWholeHoweverManyPlacesThereAre() throws Exception {
        Path trace = Traces.write(folder.resolve("a.json"), 0, 900, "operator");
        AnalyzedReport explained = explain(trace);
        SummarySets sets = new SummarySets(folder.resolve("sets"));
        sets.write(List.of(RecordingRows.of(origin(trace, Map.of()), explained)));

        List<List<Object>> rows = rows(sets, FleetTable.BLAME, "activity ns");
        assertThat(explained.report().rows(Report.IDLE_BLAME)).hasSizeGreaterThan(210);
        assertThat(rows)
                .hasSizeBetween(200, 210)
                .anySatisfy(row -> assertThat(row.get(0)).isNull());
        assertThat(rows.stream().mapToLong(row -> (Long) row.get(1)).sum())
                .isEqualTo(explained.report().rows(Report.IDLE_BLAME).stream()
                        .mapToLong(one -> one.ns())
                        .sum());
    }

    @Test
    void noFileHoldsWhatRedactionRemoves() throws Exception {
        Path trace = Traces.write(
                folder.resolve("of-jdoe42.json"), 0, 5, "/home/jdoe42/model.py token=" + SECRET + " of jdoe42");
        SummarySets sets = new SummarySets(folder.resolve("sets"));
        sets.write(List.of(RecordingRows.of(origin(trace, Map.of("owner", "jdoe42")), explain(trace))));

        assertThat(rows(sets, FleetTable.TRACE, "name")).hasSize(1);
        List<List<Object>> texts = new ArrayList<>();
        for (FleetTable table : FleetTable.values()) {
            String columns = String.join(
                    " ", table.columns().stream().map(column -> column.name()).toList());
            texts.addAll(rows(sets, table, columns));
        }
        assertThat(texts.toString()).contains("model.py").doesNotContain(SECRET).doesNotContain("jdoe42");
    }

    @Test
    void aRecordingIsReplacedAndTheOthersOfItsSetStay() throws Exception {
        Path one = Traces.write(folder.resolve("a.json"), 0, 5, "one");
        Path two = Traces.write(folder.resolve("b.json"), 0, 6, "two");
        Origin first = origin(one, Map.of("service", "old"));
        Origin second = origin(two, Map.of());
        SummarySets sets = new SummarySets(folder.resolve("sets"));
        RecordingRows other = RecordingRows.of(second, explain(two));
        sets.write(List.of(RecordingRows.of(first, explain(one)), other));
        sets.write(List.of(RecordingRows.failed(origin(folder, Map.of()), "no format")));

        sets.remove(first.traceId());
        sets.write(List.of(RecordingRows.of(origin(one, Map.of("service", "new")), explain(one))));

        assertThat(rows(sets, FleetTable.TRACE, "trace_id service"))
                .hasSize(3)
                .contains(List.of(first.traceId(), "new"));
        assertThat(rows(sets, FleetTable.LEDGER, "trace_id").stream().filter(List.of(second.traceId())::equals))
                .hasSize(other.rows().get(FleetTable.LEDGER).size());
        assertThat(rows(sets, FleetTable.TRACE, "trust problem")).contains(List.of("failed", "no format"));
    }

    @Test
    void writingTheSameTwiceLeavesOneSetAndNothingUnfinished() throws Exception {
        Path trace = Traces.write(folder.resolve("a.json"), 0, 5, "one");
        SummarySets sets = new SummarySets(folder.resolve("sets"));
        for (int i = 0; i < 2; i++) {
            sets.write(List.of(RecordingRows.of(origin(trace, Map.of()), explain(trace))));
        }
        try (Stream<Path> files = Files.list(folder.resolve("sets"))) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void aDamagedTableIsNamed() throws Exception {
        Path trace = Traces.write(folder.resolve("a.json"), 0, 5, "one");
        SummarySets sets = new SummarySets(folder.resolve("sets"));
        sets.write(List.of(RecordingRows.of(origin(trace, Map.of()), explain(trace))));
        Files.write(sets.sets().get(0).resolve("trace.parquet"), "PAR1 no more".getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> rows(sets, FleetTable.TRACE, "trace_id"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("trace.parquet");
    }

    @Test
    void labelsThatAreNoneAreRefused() {
        assertThat(Origin.labels(List.of("service=chat", "a_1=x=y"))).containsEntry("a_1", "x=y");
        for (String label : List.of("service", "=x", "A=b", "a=", "a='", "a=\"", "a=\n", "a=" + "x".repeat(201))) {
            assertThatThrownBy(() -> Origin.labels(List.of(label))).hasMessageContaining("KEY=VALUE");
        }
        assertThatThrownBy(() -> Origin.labels(List.of("a=1", "a=2"))).hasMessageContaining("once");
    }

    private static Origin origin(Path trace, Map<String, String> labels) throws IOException {
        return new Origin(
                Origin.traceId(List.of(trace)), "1", trace.getFileName().toString(), labels);
    }

    private static AnalyzedReport explain(Path trace) throws Exception {
        return new Analyzer().explain(Formats.importers().load(trace), "a");
    }

    static List<List<Object>> rows(SummarySets sets, FleetTable table, String columns) throws IOException {
        List<List<Object>> rows = new ArrayList<>();
        sets.read(table, columns, rows::add);
        return rows;
    }
}
