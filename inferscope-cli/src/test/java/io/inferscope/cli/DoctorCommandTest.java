package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The doctor on the machine that the tests run on, whatever that has; what it says of others is DoctorTest's. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class DoctorCommandTest {
    @TempDir
    Path folder;

    @Test
    void everyCollectorHasALine() throws Exception {
        InferScopeProcess.Result result = new InferScopeProcess(folder).run("doctor");

        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.out().lines().filter(line -> !line.startsWith(" ")))
                .anyMatch(line -> line.matches("works +host +threads.*"))
                .anyMatch(line -> line.matches("\\w+ +cuda-agent +.*"))
                .anyMatch(line -> line.matches("\\w+ +disk +\\d+ MB free in .*"));
        assertThat(result.out()).contains("No command was named");
        assertThat(folder.resolve("outputs")).doesNotExist();
    }

    @Test
    void whatCannotBeHadIsExitCode4() throws Exception {
        InferScopeProcess.Result result =
                new InferScopeProcess(folder).run("doctor", "--format", "json", "--need", "gpu,host");

        List<String> missing = texts(result.out(), "missing");
        assertThat(missing).isSubsetOf("gpu").hasSize(result.exitCode() == 4 ? 1 : 0);
        assertThat(result.exitCode()).isEqualTo(missing.isEmpty() ? 0 : 4);
        assertThat(texts(result.out(), "needed")).isEmpty();
    }

    @Test
    void aCommandThatCannotBeExecutedIsExitCode4() throws Exception {
        Files.writeString(folder.resolve("no-program"), "text");

        InferScopeProcess.Result result = new InferScopeProcess(folder).run("doctor", "--", "./no-program", "--need");

        assertThat(result.exitCode()).isEqualTo(4);
        assertThat(result.out())
                .contains("The command cannot be executed: ./no-program is not found")
                .doesNotContain("No command was named");
    }

    @Test
    void theCommandIsNotExecuted() throws Exception {
        InferScopeProcess.Result result = new InferScopeProcess(folder).run("doctor", "sh", "-c", "touch made");

        assertThat(result.exitCode()).as(result.out()).isZero();
        assertThat(result.out()).contains("Everything that the command needs is available.");
        assertThat(folder.resolve("made")).doesNotExist();
    }

    @Test
    void unknownNamesAreUsageErrors() throws Exception {
        InferScopeProcess.Result need = InferScopeProcess.here("doctor", "--need", "warp-drive");
        InferScopeProcess.Result format = InferScopeProcess.here("doctor", "--format", "xml");

        assertThat(need.exitCode()).isEqualTo(2);
        assertThat(need.stderr()).contains("--need warp-drive: expected gpu or one of host, attach,");
        assertThat(format.exitCode()).isEqualTo(2);
        assertThat(format.stderr()).contains("expected console or json");
    }

    /** Returns the texts of an array of the top level. */
    private static List<String> texts(String json, String name) throws Exception {
        List<String> texts = new ArrayList<>();
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            while (parser.nextToken() != null) {
                if (parser.currentToken() == JsonToken.FIELD_NAME
                        && parser.currentName().equals(name)) {
                    parser.nextToken();
                    while (parser.nextToken() != JsonToken.END_ARRAY) {
                        texts.add(parser.getText());
                    }
                }
            }
        }
        return texts;
    }
}
