package io.inferscope.cli.common;

import io.inferscope.report.common.PlainText;
import io.inferscope.timeline.FileProblem;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/** Messages on standard error, as {@code --log-level} permits; errors are always printed, by {@link Failures}. */
public record Log(LogLevel level, PrintWriter err) {
    private static final String NAME = "--log-level";

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

    /** Prints one line at any level. Control characters in quoted text of a recording or a model are escaped. */
    public static void tell(PrintWriter err, String text) {
        err.println("inferscope: " + PlainText.visible(text));
        err.flush();
    }
}
