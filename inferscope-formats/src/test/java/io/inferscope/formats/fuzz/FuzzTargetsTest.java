package io.inferscope.formats.fuzz;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The targets of {@code lab/fuzz} accept what is allowed and what is refused alike. */
class FuzzTargetsTest {
    /** Other tests count open files. */
    @AfterAll
    static void close() throws IOException {
        QueryTarget.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "{}", "[", "main;f 7", "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\"}]}"
            })
    void anInputIsReadOrRefused(String input) {
        assertThatCode(() -> ImporterTarget.fuzzerTestOneInput(input.getBytes(StandardCharsets.UTF_8)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "PK\u0003\u0004", "BZh91AY&SY", "\u001f\u008b", "\u00fd7zXZ\u0000"})
    void anArchiveIsUnpackedOrRefusedAndLeavesNoFile(String input) {
        assertThatCode(() -> ArchiveTarget.fuzzerTestOneInput(input.getBytes(StandardCharsets.ISO_8859_1)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SELECT 1",
                "SELECT name FROM kernel",
                "ATTACH 'x' AS y",
                "VACUUM INTO 'x'",
                "backup to 'x'",
                "PRAGMA#journal_mode=wal"
            })
    void aQueryIsAnsweredOrRefusedAndLeavesNoFile(String sql) {
        assertThatCode(() -> QueryTarget.fuzzerTestOneInput(sql.getBytes(StandardCharsets.UTF_8)))
                .doesNotThrowAnyException();
    }
}
