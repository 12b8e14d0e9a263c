package io.inferscope.formats.sqlite;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code lab/fuzz} found of the gate before queries, and what it began with. */
class GateTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "PRAGMA#journal_mode=wal",
                "EXPLAIN QUERY PLAN PRAGMA main.table_info\u00e4(x)",
                "PRAGMA table_info$x",
                "EXPLAIN QUERY PLAN PRAGMA m'in.table_info(\"a\") -- b",
                "PRAGMA table_info.journal_mode=wal",
                "PRAGMA \"journal_mode\"=wal",
                "EXPLAIN QUERY PLAN PRAGMA main.\"\"\"\"table_info -- b",
                "PRAGMA 'journal_mode' table_info",
                "ATTACH 'x' AS y",
                "/* SELECT */ VACUUM INTO 'x'",
                "SELECT 1; SELECT 2"
            })
    void whatMayDoMoreThanReadIsRefused(String sql) {
        assertThatThrownBy(() -> TimelineQueries.checkReads(sql)).isInstanceOf(IllegalArgumentException.class);
        assertThatCode(() -> GateTarget.fuzzerTestOneInput(sql.getBytes(StandardCharsets.UTF_8)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT ';' AS [a;b] -- ;",
                "PRAGMA main.table_info(kernel)",
                "PRAGMA /* c */ table_info(\"kernel\")",
                "explain query plan select 1;"
            })
    void whatOnlyReadsIsNot(String sql) {
        assertThatCode(() -> TimelineQueries.checkReads(sql)).doesNotThrowAnyException();
    }
}
