package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.python.Interpreters.Interpreter;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Scripts that running interpreters are asked to execute. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class RemoteScriptTest {
    /** Waits until its one local name is changed from outside; ends as it would. */
    private static final String PROGRAM =
            "import sys, time\ntold = []\nprint('ready', flush=True)\nwhile not told: time.sleep(0.001)\nprint(told)\nsys.exit(5)";

    @TempDir
    Path folder;

    private static Process start(Interpreter interpreter, String... options) throws Exception {
        String[] words = java.util.stream.Stream.concat(
                        java.util.Arrays.stream(options), java.util.stream.Stream.of("-c", PROGRAM))
                .toArray(String[]::new);
        Process program = interpreter.start(words).start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8));
        assertThat(out.readLine()).isEqualTo("ready");
        return program;
    }

    private static Interpreter newest() throws Exception {
        Interpreter found = null;
        for (Interpreter one : Interpreters.all()) {
            found = Interpreters.minor(one) >= 14 ? one : found;
        }
        Assumptions.assumeTrue(found != null, "no CPython from 3.14 on here");
        return Objects.requireNonNull(found);
    }

    @Test
    void aScriptIsExecutedAndTheProgramGoesOn() throws Exception {
        Process program = start(newest());
        RemoteScript way = Objects.requireNonNull(RemoteScript.into((int) program.pid()));
        assertThat(way.version()).startsWith("3.");
        Path script = Files.writeString(folder.resolve("it's.py"), "import __main__\n__main__.told.append('done')\n");
        assertThat(way.takes(script)).isTrue();
        assertThat(way.takes(Path.of("/" + "x".repeat(600)))).isFalse();
        assertThat(way.ask(script)).isEmpty();
        assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(program.exitValue()).isEqualTo(5);
    }

    @Test
    void anInterpreterThatWasToldToRefuseIsLeftAlone() throws Exception {
        Process program = start(newest(), "-X", "disable-remote-debug");
        try {
            assertThat(RemoteScript.into((int) program.pid())).isNull();
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void olderInterpretersOfferNoWay() throws Exception {
        Process program = start(Interpreters.all().get(0));
        try {
            assertThat(RemoteScript.into((int) program.pid())).isNull();
        } finally {
            program.destroyForcibly();
        }
    }
}
