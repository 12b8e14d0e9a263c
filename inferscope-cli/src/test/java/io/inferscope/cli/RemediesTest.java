package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The commands that the trust gate advises are commands of this program, with options that it has. */
class RemediesTest {
    private static final Pattern COMMAND = Pattern.compile("`inferscope ([^`]+)`");

    static List<String> commands() throws IOException {
        String manual = Files.readString(Path.of("..", "docs", "trust-gate.md"));
        return COMMAND.matcher(manual)
                .results()
                .map((MatchResult found) -> found.group(1))
                .distinct()
                .toList();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aRemedyCanBeTyped(String command) {
        assertThatCode(() -> Main.commandLine().parseArgs(command.split(" ", -1)))
                .doesNotThrowAnyException();
    }
}
