package io.inferscope.formats.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ImportStats;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteFileTest {
    @TempDir
    private Path folder;

    /** Only damage makes one, and SQLite takes it for a table nevertheless. */
    @Test
    void aTableWithoutANameIsAsGoodAsAbsent() throws Exception {
        Path file = SqliteFixture.write(folder.resolve("x.sqlite"), """
                CREATE TABLE a (x INTEGER);
                CREATE TABLE b (y INTEGER);
                PRAGMA writable_schema = ON;
                UPDATE sqlite_master SET name = NULL WHERE name = 'a';
                """);

        try (SqliteFile opened = SqliteFile.open(file, new ImportStats.Builder())) {
            assertThat(opened.schema().tables()).containsExactly("b");
        }
    }
}
