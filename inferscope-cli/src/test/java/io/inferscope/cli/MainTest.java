package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class MainTest {
    @Test
    void versionIsPrintedOnStdout() {
        StringWriter out = new StringWriter();
        int exitCode = Main.commandLine().setOut(new PrintWriter(out)).execute("--version");
        assertThat(exitCode).isZero();
        assertThat(out.toString()).startsWith("inferscope ");
    }

    @Test
    void noCommandIsAUsageErrorOnStderr() {
        StringWriter err = new StringWriter();
        int exitCode = Main.commandLine().setErr(new PrintWriter(err)).execute();
        assertThat(exitCode).isEqualTo(2);
        assertThat(err.toString()).contains("Missing command", "inferscope --help");
    }
}
