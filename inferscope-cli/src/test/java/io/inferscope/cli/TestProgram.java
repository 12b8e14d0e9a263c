package io.inferscope.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** Runs a command line in this JVM and keeps what it printed. */
public final class TestProgram {
    private TestProgram() {}

    /** What a command answered. */
    public record Answer(int exitCode, String out, String err) {}

    public static Answer run(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int exitCode = Main.run(line, words);
        return new Answer(exitCode, out.toString(), err.toString());
    }
}
