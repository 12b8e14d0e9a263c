package io.inferscope.cli.common;

import io.inferscope.report.common.PlainText;
import io.inferscope.timeline.files.FileProblem;
import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/** Messages on standard error, as {@code --log-level} permits; errors are always printed, by {@link Failures}. */
public record Log(LogLevel level, PrintWriter err) {
    private static final String NAME = "--log-level";
    /** Half of PATH_MAX: messages name one or two files. */
    private static final int MAX_CHARACTERS = 2_000;

    /** Returns the option, which every command inherits from the program. */
    public static OptionSpec option() {
        return OptionSpec.builder(NAME)
                .type(String.class)
                .scopeType(ScopeType.INHERIT)
                .paramLabel("LEVEL")
                .description("How much is written to standard error: error, warn, info (the default), debug.")
                .build();
    }

    public static Log of(CommandLine line, Settings settings) {
        OptionSpec option = line.getCommandSpec().findOption(NAME);
        String said = option == null ? null : option.getValue();
        if (said == null) {
            return new Log(LogLevel.byName(settings.get(Setting.LOG_LEVEL)).orElse(LogLevel.INFO), line.getErr());
        }
        LogLevel level = LogLevel.byName(said)
                .orElseThrow(() ->
                        new ParameterException(line, NAME + " " + said + ": expected " + Setting.LOG_LEVEL.expected()));
        return new Log(level, line.getErr());
    }

    /** Prints that something is left out or doubtful. */
    public void warn(String text) {
        say(LogLevel.WARN, text);
    }

    /** Prints the progress of the work. */
    public void info(String text) {
        say(LogLevel.INFO, text);
    }

    /** Prints details for finding errors. */
    public void debug(String text) {
        say(LogLevel.DEBUG, text);
    }

    private void say(LogLevel of, String text) {
        if (level.says(of)) {
            tell(err, text);
        }
    }

    /** Prints an error. */
    public static void tell(PrintWriter err, Exception problem) {
        tell(err, FileProblem.oneLine(problem));
    }

    /** Prints one message at any level. What is quoted of a recording, a file or a setting may be of any length. */
    public static void tell(PrintWriter err, String text) {
        line(err, "inferscope: " + PlainText.shorten(text, MAX_CHARACTERS));
    }

    /**
     * Prints one line. All text for terminals that is no report goes through here: control characters, such as in the
     * name of a file, are escaped.
     */
    public static void line(PrintWriter out, String text) {
        out.println(PlainText.visible(text));
        out.flush();
    }

    /** Prints where an error occurred, with its message, which may quote anything. */
    public static void trace(PrintWriter err, Throwable problem) {
        StringWriter lines = new StringWriter();
        problem.printStackTrace(new PrintWriter(lines, true));
        lines.toString().lines().forEach(text -> line(err, text));
    }
}
