package io.inferscope.cli.common;

import io.inferscope.timeline.files.FileProblem;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns errors into one clear line and an exit code. */
public final class Failures {
    /** The command line is wrong. */
    public static final int USAGE = 2;
    /** An input could not be read. */
    public static final int INPUT = 3;
    /** The environment lacks a requirement, such as a writable folder. */
    public static final int ENVIRONMENT = 4;
    /** A defect of InferScope itself: EX_SOFTWARE of sysexits.h. */
    public static final int INTERNAL = 70;

    private Failures() {}

    public static int usage(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        if (e instanceof RulesOption.Mistakes mistakes) {
            mistakes.problems().forEach(problem -> Log.tell(command.getErr(), problem.toString()));
            return USAGE;
        }
        String name = command.getCommandSpec().qualifiedName();
        Log.line(command.getErr(), name + ": " + problem(e) + "; see " + name + " --help");
        return USAGE;
    }

    /** Returns the problem, with the nearest valid word. */
    private static String problem(ParameterException e) {
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            return FileProblem.oneLine(e);
        }
        CommandSpec spec = e.getCommandLine().getCommandSpec();
        boolean command = !unmatched.isUnknownOption()
                && spec.positionalParameters().isEmpty()
                && !spec.subcommands().isEmpty();
        String said = command ? "Unknown command: '" + unmatched.getUnmatched().get(0) + "'" : FileProblem.oneLine(e);
        List<String> nearest = unmatched.getSuggestions();
        return nearest.isEmpty() ? said : said + " (did you mean " + nearest.get(0) + "?)";
    }

    public static int report(Exception e, CommandLine command, boolean stacktrace) {
        int code;
        String message;
        if (e instanceof ImportException) {
            code = INPUT;
            message = FileProblem.oneLine(e);
        } else if (e instanceof IOException problem) {
            code = ENVIRONMENT;
            message = "cannot write: " + FileProblem.describe(problem);
        } else {
            return internal(e, command, stacktrace);
        }
        Log.tell(command.getErr(), message);
        if (stacktrace) {
            Log.trace(command.getErr(), e);
        }
        return code;
    }

    /** Prints one line about a defect of InferScope. */
    public static int internal(Throwable e, CommandLine command, boolean stacktrace) {
        Log.tell(
                command.getErr(),
                "internal error: " + e.getClass().getSimpleName() + ": " + FileProblem.oneLine(e)
                        + "; run again with --stacktrace and report it with the trace if you can");
        if (stacktrace) {
            Log.trace(command.getErr(), e);
        }
        return INTERNAL;
    }

    /** Returns one line about a lack of memory, or of threads, and its remedy. */
    public static String describe(OutOfMemoryError e) {
        if (String.valueOf(e.getMessage()).contains("native thread")) {
            return "no thread can be started; allow this user or container more processes (ulimit -u, pids.max)";
        }
        long heapMb = Runtime.getRuntime().maxMemory() >> 20;
        String cause = e.getMessage() == null ? "" : " (" + FileProblem.oneLine(e) + ")";
        return "out of memory" + cause + " with a heap of " + heapMb
                + " MiB; give it more, for instance INFERSCOPE_JAVA_OPTS=-Xmx" + Math.max(1, (2 * heapMb) >> 10) + "g";
    }
}
