package io.inferscope.formats.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.formats.Formats;
import io.inferscope.formats.tables.ExtraTable;
import io.inferscope.formats.tables.OutputColumn;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.RandomTimelines;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("traces")
class TimelineDatabaseTest {
    @TempDir
    private Path folder;

    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    static LongStream seeds() {
        return Seeds.upTo(20);
    }

    @ParameterizedTest
    @MethodSource("traces")
    void everyRowOfARealTraceIsThere(Path trace) throws Exception {
        assertSame(SharedTraces.timeline(trace));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyRowOfARandomTimelineIsThere(long seed) throws Exception {
        assertSame(RandomTimelines.of(seed, false));
    }

    private static void assertSame(Timeline timeline) throws IOException {
        List<List<@Nullable Object>> rows =
                ask(timeline, "SELECT row, name, start_ns, duration_ns, track_id FROM events ORDER BY row");
        assertThat(rows).hasSize(timeline.rowCount());
        for (int row = 0; row < timeline.rowCount(); row++) {
            List<String> expected = List.of(
                    Integer.toString(row),
                    timeline.name(row),
                    Long.toString(timeline.startNs(row)),
                    Long.toString(timeline.durationNs(row)),
                    Integer.toString(timeline.track(row)));
            List<String> actual = rows.get(row).stream().map(String::valueOf).toList();
            if (!actual.equals(expected)) {
                assertThat(actual).isEqualTo(expected);
            }
        }
        assertThat(ask(timeline, "SELECT count(*) FROM links").get(0).get(0))
                .hasToString(Integer.toString(timeline.links().count()));
    }

    @Test
    void attributesAreColumnsOfTheirKind() throws Exception {
        Timeline timeline = SharedTraces.timeline(SharedTraces.kineto("h100-timesformer"));
        long bytes = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            boolean copied = timeline.kind(row).name().equals("MEMCPY_H2D");
            bytes += copied ? timeline.attribute(row, Attribute.SIZE_BYTES) : 0;
        }

        assertThat(bytes).isPositive();
        assertThat(ask(timeline, "SELECT sum(size_bytes) FROM memcpy_h2d")
                        .get(0)
                        .get(0))
                .hasToString(Long.toString(bytes));
    }

    @Test
    void whatAnotherRecordingCapturedIsInNoTable() throws Exception {
        Timeline timeline = TimelineFixture.blank()
                .captured(RowKind.OPERATOR, "7", -900, -800, "aten::mm")
                .operator("7", 0, 10, "aten::relu")
                .build();

        assertThat(ask(timeline, "SELECT name FROM operator")).containsExactly(List.of("aten::relu"));
        assertThat(ask(timeline, "SELECT name FROM events")).containsExactly(List.of("aten::relu"));
        assertThat(ask(timeline, "SELECT kind FROM tracks")).containsExactly(List.of("PROCESS"), List.of("THREAD"));
        assertThat(new SqliteExporter().leftOut(timeline)).isEqualTo("1 row of graph captures in another recording");
    }

    @Test
    void aTableWithoutRowsCanBeAsked() throws Exception {
        assertThat(ask(RandomTimelines.of(1, false), "SELECT count(*) FROM memcpy_p2p")
                        .get(0))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM kernle",
                "SELECT nothing FROM kernel",
                "SELEC 1",
                "SELECT 1; DROP TABLE kernel",
                "WITH a AS (SELECT 1) DELETE FROM kernel",
                "ATTACH '/tmp/x.db' AS x",
                "",
            })
    void whatIsNoQueryIsRefused(String sql) {
        assertThatThrownBy(() -> ask(RandomTimelines.of(1, false), sql))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .doesNotContain("SQLITE");
    }

    @Test
    void whatSqliteWouldReadInPartIsRefused() {
        assertThatThrownBy(() -> ask(RandomTimelines.of(1, false), "-- \0\nSELECT 1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("NUL");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "backup to '%s'",
                "  BACKUP main TO \"%s\"",
                "restore from '%s'",
                "-- SELECT\nrestore from '%s'",
                "VACUUM INTO '%s'",
                "ATTACH '%s' AS x",
                "PRAGMA query_only = OFF",
                "PRAGMA main.journal_mode = WAL",
                "PRAGMA temp_store_directory = '%s'",
                "PRAGMA \"query_only\" (0)",
                "SELECT load_extension('%s')",
                "SELECT writefile('%s', 'x')",
                "SELECT readfile('%s')",
                "WITH a AS (SELECT 1) INSERT INTO kernel SELECT * FROM kernel RETURNING row",
                "CREATE TEMP TABLE x AS SELECT 1",
            })
    void aQueryNeitherReadsNorWritesFiles(String sql) throws Exception {
        Path victim = Files.writeString(folder.resolve("victim.db"), "");
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + victim)) {
            other.createStatement().executeUpdate("CREATE TABLE precious (x)");
        }
        byte[] before = Files.readAllBytes(victim);
        assertThatThrownBy(() -> ask(RandomTimelines.of(1, false), sql.formatted(victim)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(victim).hasBinaryContent(before);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(victim);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT printf('%%900000000d', 1)",
                "SELECT length(hex(zeroblob(100000000)))",
                "SELECT replace(printf('%%1000000d', 1), ' ', printf('%%1000d', 1))",
            })
    void aTextThatWouldFillTheMemoryIsRefused(String sql) {
        assertThatThrownBy(() -> ask(RandomTimelines.of(1, false), sql.formatted()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a text in it is longer than 16 MiB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PRAGMA table_info(tracks)", "VALUES (1)", "EXPLAIN SELECT 1", "/* ; */ select 1 ; "})
    void readingInAnyFormIsAllowed(String sql) throws Exception {
        assertThat(ask(RandomTimelines.of(1, false), sql)).isNotNull();
    }

    @Test
    void quotedSemicolonsAndALastOneDoNotEndAQuery() throws Exception {
        assertThat(ask(RandomTimelines.of(1, false), "SELECT ';', \"name\" FROM tracks -- ; one\n LIMIT 1 ; ")
                        .get(0))
                .first()
                .isEqualTo(";");
    }

    @Test
    void extraTablesAreComputedOnlyWhenTheyAreAskedFor() throws Exception {
        List<String> computed = new ArrayList<>();
        ExtraTable extra =
                new ExtraTable("found", List.of(OutputColumn.text("what"), OutputColumn.number("ns")), () -> {
                    computed.add("found");
                    return List.of(Arrays.asList("a", 7L), Arrays.asList(null, 8L));
                });

        assertThat(ask(RandomTimelines.of(1, false), List.of(extra), "SELECT count(*) FROM events"))
                .hasSize(1);
        assertThat(computed).isEmpty();
        assertThat(ask(RandomTimelines.of(1, false), List.of(extra), "SELECT what FROM found WHERE ns > 6"))
                .containsExactly(List.of("a"), Arrays.asList((Object) null));
    }

    /** A program can be killed at any time: what has no name is gone then. */
    @Test
    void theFileHasNoNameWhileItIsFilled() throws Exception {
        List<String> open = new ArrayList<>();
        ExtraTable extra = new ExtraTable("found", List.of(OutputColumn.text("what")), () -> {
            open.addAll(openDatabases());
            return List.of();
        });

        ask(RandomTimelines.of(1, false), List.of(extra), "SELECT count(*) FROM found");

        assertThat(open).hasSize(1).allMatch(file -> file.endsWith(" (deleted)"));
    }

    private static List<String> openDatabases() {
        List<String> open = new ArrayList<>();
        for (File descriptor : Objects.requireNonNull(new File("/proc/self/fd").listFiles())) {
            try {
                String target = Files.readSymbolicLink(descriptor.toPath()).toString();
                if (target.contains("trace.sqlite")) {
                    open.add(target);
                }
            } catch (IOException closed) {
                // It was the one that the list was read by.
            }
        }
        return open;
    }

    @Test
    void theListNamesTablesThatHaveRows() throws Exception {
        Timeline timeline = SharedTraces.timeline(SharedTraces.kineto("h100-bert-small"));
        List<List<@Nullable Object>> rows = new ArrayList<>();
        try (TimelineQueries queries = TimelineQueries.of(timeline, List.of(), "")) {
            queries.tables(into(rows));
        }

        assertThat(rows).extracting(row -> String.valueOf(row.get(0))).contains("kernel", "links", "operator");
        assertThat(rows).allMatch(row -> !"0".equals(String.valueOf(row.get(1))));
    }

    @Test
    void aFileIsWrittenWholeAndNothingElse() throws Exception {
        Timeline timeline = SharedTraces.timeline(SharedTraces.kineto("h100-bert-small"));
        Path file = folder.resolve("x.sqlite");
        Formats.exporterByFileName(file.toString()).write(timeline, file);

        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                ResultSet result = connection.createStatement().executeQuery("SELECT count(*) FROM events")) {
            assertThat(result.getInt(1)).isEqualTo(timeline.rowCount());
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    private static List<List<@Nullable Object>> ask(Timeline timeline, String sql) throws IOException {
        return ask(timeline, List.of(), sql);
    }

    private static List<List<@Nullable Object>> ask(Timeline timeline, List<ExtraTable> extras, String sql)
            throws IOException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        try (TimelineQueries queries = TimelineQueries.of(timeline, extras, sql)) {
            queries.run(sql, into(rows));
        }
        return rows;
    }

    private static TimelineQueries.Answer into(List<List<@Nullable Object>> rows) {
        return new TimelineQueries.Answer() {
            @Override
            public void columns(List<String> names) {
                // Their values are looked at.
            }

            @Override
            public boolean row(List<@Nullable Object> values) {
                return rows.add(values);
            }
        };
    }
}
