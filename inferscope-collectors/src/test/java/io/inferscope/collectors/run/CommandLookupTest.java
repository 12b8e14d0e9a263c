package io.inferscope.collectors.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandLookupTest {
    @TempDir
    Path folder;

    @Test
    void firstExecutableOnThePathIsFound() throws Exception {
        Path one = Files.createDirectories(folder.resolve("one"));
        Path two = Files.createDirectories(folder.resolve("two"));
        Files.createFile(one.resolve("tool"));
        Files.createDirectory(one.resolve("other"));
        executable(two.resolve("tool"));
        assertThat(CommandLookup.find("tool", one + ":" + two)).isEqualTo(two.resolve("tool"));
    }

    @Test
    void unknownNameIs127() {
        assertThat(code("no-such-command", folder.toString())).isEqualTo(127);
        assertThat(code(folder + "/missing", "")).isEqualTo(127);
        assertThat(code("", "")).isEqualTo(127);
    }

    @Test
    void whatCannotBeExecutedIs126() throws IOException {
        Path plain = Files.createFile(folder.resolve("plain"));
        assertThat(code(plain.toString(), "")).isEqualTo(126);
        assertThat(code("plain", folder.toString())).isEqualTo(126);
        assertThat(code(folder.toString(), "")).isEqualTo(126);
    }

    @Test
    void directoryOnThePathIsNoCommand() throws IOException {
        Files.createDirectory(folder.resolve("tool"));
        assertThat(code("tool", folder.toString())).isEqualTo(127);
    }

    private static int code(String command, String path) {
        CommandFailure failure = catchThrowableOfType(CommandFailure.class, () -> CommandLookup.find(command, path));
        return failure.exitCode();
    }

    private static void executable(Path file) throws IOException {
        Files.createFile(file);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
