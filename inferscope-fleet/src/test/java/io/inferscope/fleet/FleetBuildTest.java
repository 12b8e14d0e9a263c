package io.inferscope.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.fleet.FleetBuild.Counts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FleetBuildTest {
    @TempDir
    Path folder;

    private Path traces;
    private Path rows;

    @BeforeEach
    void folders() throws IOException {
        traces = Files.createDirectory(folder.resolve("traces"));
        rows = folder.resolve("rows");
    }

    @Test
    void everyRecordingGetsItsRowsOnceHoweverOftenTheBuildRuns() throws Exception {
        for (int i = 0; i < 70; i++) { // More than a set holds.
            Traces.write(traces.resolve(i + ".json"), 0, 3 + i, "op");
        }
        Counts first = build("1", 2, false);
        Counts second = build("1", 2, false);

        assertThat(first.analysed()).isEqualTo(70);
        assertThat(first.failed()).isZero();
        assertThat(List.of(second.analysed(), second.known())).containsExactly(0, 70);
        assertThat(ids()).hasSize(70).doesNotHaveDuplicates();
        assertThat(new SummarySets(rows).sets()).hasSize(2);
    }

    @Test
    void asManyJobsAsYouLikeGiveTheSameRows() throws Exception {
        for (int i = 0; i < 12; i++) {
            Traces.write(traces.resolve(i + ".json"), 0, 5 + 3 * i, "op");
        }
        build("1", 1, false);
        List<String> alone = everything();
        Path one = rows;
        rows = folder.resolve("other");
        build("1", 4, false);

        assertThat(everything()).containsExactlyInAnyOrderElementsOf(alone);
        assertThat(one).isNotEqualTo(rows);
    }

    @Test
    void whatCannotBeReadIsARowAndNotTheEnd() throws Exception {
        Traces.write(traces.resolve("good.json"), 0, 5, "op");
        Files.writeString(traces.resolve("cut.json.gz"), "no gzip");
        Files.writeString(traces.resolve("empty-object.json"), "{}");
        Files.writeString(traces.resolve("README.md"), "no recording, and named like none");
        Counts counts = build("1", 2, false);

        assertThat(List.of(counts.analysed(), counts.failed())).containsExactly(3, 2);
        List<List<Object>> failed = SummarySetsTest.rows(new SummarySets(rows), FleetTable.TRACE, "name trust problem");
        assertThat(failed)
                .filteredOn(row -> row.get(1).equals("failed"))
                .hasSize(2)
                .allSatisfy(
                        row -> assertThat(row.get(2).toString()).isNotEmpty().doesNotContain(folder.toString()));
        assertThat(build("1", 1, false).analysed()).isZero();
        assertThat(build("1", 1, true).failed()).isEqualTo(2);
        assertThat(ids()).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    void copiesOfARecordingAreOneRecording() throws Exception {
        Path trace = Traces.write(traces.resolve("a.json"), 0, 5, "op");
        Files.copy(trace, traces.resolve("b.json"));
        Counts counts = build("1", 2, false);
        assertThat(List.of(counts.analysed(), counts.known())).containsExactly(1, 1);
        assertThat(ids()).hasSize(1);
    }

    @Test
    void anotherVersionReplacesRowsAndKeepsThoseWhoseRecordingIsGone() throws Exception {
        Path gone = Traces.write(traces.resolve("gone.json"), 0, 5, "op");
        Traces.write(traces.resolve("stays.json"), 0, 6, "op");
        build("1", 1, false);
        Files.delete(gone);
        Counts counts = build("2", 1, false);

        assertThat(counts.analysed()).isEqualTo(1);
        assertThat(SummarySetsTest.rows(new SummarySets(rows), FleetTable.TRACE, "name tool_version"))
                .containsExactlyInAnyOrder(List.of("gone.json", "1"), List.of("stays.json", "2"));
        assertThat(build("2", 1, false).analysed()).isZero();
    }

    @Test
    void aKilledBuildLeavesNothingThatTheNextOneKeeps() throws Exception {
        Traces.write(traces.resolve("a.json"), 0, 5, "op");
        Path left = Files.createDirectories(rows.resolve(".inferscope-12ab.unfinished"));
        Files.writeString(left.resolve("trace.parquet"), "half");
        build("1", 1, false);
        try (Stream<Path> files = Files.list(rows)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .hasSize(2)
                    .contains(".lock")
                    .anyMatch(name -> name.startsWith("set-1-"));
        }
    }

    @Test
    void aSetThatWasBeingReplacedWhenTheBuildWasKilledIsRestoredOnce() throws Exception {
        Path gone = Traces.write(traces.resolve("gone.json"), 0, 5, "op");
        Traces.write(traces.resolve("stays.json"), 0, 6, "op");
        build("1", 1, false);
        Files.delete(gone);
        Path set = new SummarySets(rows).sets().get(0);
        Files.move(set, set.resolveSibling("." + set.getFileName())); // Before the others are written,
        build("2", 1, false);
        assertThat(SummarySetsTest.rows(new SummarySets(rows), FleetTable.TRACE, "name tool_version"))
                .containsExactlyInAnyOrder(List.of("gone.json", "1"), List.of("stays.json", "2"));

        for (Path one : new SummarySets(rows).sets()) { // or after that.
            Path aside = Files.createDirectory(one.resolveSibling("." + one.getFileName()));
            try (Stream<Path> files = Files.list(one)) {
                for (Path file : files.toList()) {
                    Files.copy(file, aside.resolve(file.getFileName()));
                }
            }
        }
        build("2", 1, false);
        assertThat(ids()).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void oneBuildWritesToAFolderAtATime() throws Exception {
        try (FleetBuild build = open("1", 1, false)) {
            assertThat(build).isNotNull();
            assertThatThrownBy(() -> open("1", 1, false).close()).hasMessageContaining("another fleet build");
        }
    }

    @Test
    void labelsComeFromTheListOrFromFolders() throws Exception {
        Path deep = Files.createDirectories(traces.resolve("chat/2026"));
        Traces.write(deep.resolve("a.json"), 0, 5, "op");
        Traces.write(traces.resolve("b.json"), 0, 6, "op");
        FleetInputs inputs = new FleetInputs(Map.of("service", "@1", "year", "@2", "team", "x"));
        assertThat(inputs.find(traces, rows).stream()
                        .map(FleetInputs.Recording::labels)
                        .collect(Collectors.toList()))
                .containsExactly(Map.of("team", "x"), Map.of("service", "chat", "year", "2026", "team", "x"));

        Path list = Files.writeString(folder.resolve("list.txt"), "# all\ntraces/b.json\tservice=search\n\n/no/such\n");
        List<FleetInputs.Recording> listed = new FleetInputs(Map.of("team", "x")).find(list, rows);
        assertThat(listed).hasSize(2);
        assertThat(listed.get(0).labels()).isEqualTo(Map.of("service", "search", "team", "x"));
        Files.writeString(list, "b.json\tservice\n");
        assertThatThrownBy(() -> new FleetInputs(Map.of()).find(list, rows)).hasMessageContaining("KEY=VALUE");
    }

    @Test
    void filesThatCannotBeReadAndFoldersOfRowsAreNoTrouble() throws Exception {
        Path list = Files.writeString(folder.resolve("list.txt"), "traces/none.json\n");
        Counts counts = new Counts();
        try (FleetBuild build = open("1", 1, false)) {
            build.run(new FleetInputs(Map.of()).find(list, rows), counts, () -> {});
        }
        assertThat(counts.failed()).isEqualTo(1);
        assertThat(new FleetInputs(Map.of()).find(folder, rows)).isEmpty();
    }

    private Counts build(String version, int jobs, boolean retry) throws IOException {
        Counts counts = new Counts();
        try (FleetBuild build = open(version, jobs, retry)) {
            build.run(new FleetInputs(Map.of()).find(traces, rows), counts, () -> {});
        }
        return counts;
    }

    private FleetBuild open(String version, int jobs, boolean retry) throws IOException {
        return new FleetBuild(rows, new FleetBuild.Options(version, jobs, false, retry), new Analyzer());
    }

    private List<String> ids() throws IOException {
        return SummarySetsTest.rows(new SummarySets(rows), FleetTable.TRACE, "trace_id").stream()
                .map(row -> row.get(0).toString())
                .toList();
    }

    private List<String> everything() throws IOException {
        List<String> all = new ArrayList<>();
        for (FleetTable table : FleetTable.values()) {
            String columns =
                    table.columns().stream().map(column -> column.name()).collect(Collectors.joining(" "));
            SummarySetsTest.rows(new SummarySets(rows), table, columns).forEach(row -> all.add(table + " " + row));
        }
        return all;
    }
}
