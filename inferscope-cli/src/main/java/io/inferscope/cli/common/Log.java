package io.inferscope.cli.common;

import io.inferscope.report.common.PlainText;
import io.inferscope.timeline.FileProblem;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/** Messages on standard error, as {@code --log-level} permits; errors are always said, by {@link Failures}. */
public record Log(LogLevel level, PrintWriter err) {
    private static final String NAME = "--log-level";

    /** Returns the option, for the program: every command inherits it. */
    public static OptionSpec option() {
        return OptionSpec.builder(NAME)
                .type(String.class)
                .scopeType(ScopeType.INHERIT)
                .paramLabel("LEVEL")
                .description("How much is written to standard error: error, warn, info (the default), debug.")
                .build();
    }

    /** Returns what a command may say. */
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

    /** Says that something is left out or doubtful. */
    public void warn(String text) {
        say(LogLevel.WARN, text);
    }

    /** Says what is done. */
    public void info(String text) {
        say(LogLevel.INFO, text);
    }

    /** Says what helps to find a mistake. */
    public void debug(String text) {
        say(LogLevel.DEBUG, text);
    }

    private void say(LogLevel of, String text) {
        if (level.says(of)) {
            tell(err, text);
        }
    }

    /** Says what went wrong. */
    public static void tell(PrintWriter err, Exception problem) {
        tell(err, FileProblem.oneLine(problem));
    }

    /** Says something in one line whatever the level; what it quotes of a recording or a model is text, and no command to the terminal. */
    public static void tell(PrintWriter err, String text) {
        err.println("inferscope: " + PlainText.visible(text));
        err.flush();
    }
}
