package io.inferscope.cli;

import io.inferscope.cli.common.StandardOutput;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/**
 * Runs several commands in one JVM, so that the start-up archive made of it holds what each of them loads: the classes of
 * lambdas most of all, which a JVM otherwise makes at each start.
 */
final class StartTraining {
    private static final String THEN = "--then";

    private StartTraining() {}

    /** Runs the commands, separated by {@code --then}, whether or not one fails. */
    public static void main(String[] args) {
        List<String> rest = Arrays.asList(args);
        while (!rest.isEmpty()) {
            int next = rest.indexOf(THEN);
            int end = next < 0 ? rest.size() : next;
            String[] command = rest.subList(0, end).toArray(String[]::new);
            StandardOutput out = new StandardOutput();
            CommandLine line = Main.commandLine(command[0]).setOut(out.writer());
            out.exitCode(Main.run(line, command), line.getErr());
            rest = rest.subList(next < 0 ? end : end + 1, rest.size());
        }
        System.exit(0);
    }
}
