package io.inferscope.cli.common;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;

/**
 * Options of a command that belong together. The place where one is declared is its place in the help: whatever returns
 * an option or a parameter has added it to the command's description.
 */
public abstract class Options {
    /** A shorter window contains little more than its own start and end. */
    private static final long LEAST_WINDOW_NS = 100_000_000;

    protected final CommandSpec spec;

    /** Declares options of a command. */
    protected Options(CommandSpec spec) {
        this.spec = spec;
    }

    /** Declares a command. */
    @SuppressWarnings("this-escape") // The description only keeps the reference.
    protected Options(String name, String description) {
        spec = CommandSpecs.command(this, name, description);
    }

    protected final OptionSpec add(OptionSpec option) {
        spec.addOption(option);
        return option;
    }

    protected final PositionalParamSpec add(PositionalParamSpec parameter) {
        spec.addPositional(parameter);
        return parameter;
    }

    /** Declares an option that may be absent; {@code names} as the help shows them: {@code -o, --output=FILE}. */
    protected final OptionSpec option(String names, Class<?> type, String description) {
        return add(CommandSpecs.option(names, type, description));
    }

    protected final OptionSpec option(String names, Class<?> type, String defaultValue, String description) {
        return add(CommandSpecs.option(names, type, defaultValue, description));
    }

    protected final OptionSpec requiredOption(String names, Class<?> type, String description) {
        return add(CommandSpecs.builder(names, type, description).required(true).build());
    }

    /** Declares an option with a whole number. */
    protected final OptionSpec number(String name, long otherwise, String description) {
        return option(name + "=N", Long.class, Long.toString(otherwise), description);
    }

    /** Declares an option without a value. */
    protected final OptionSpec flag(String name, String description) {
        return add(CommandSpecs.flag(name, description));
    }

    /** Declares a parameter that has to be given, at its place. */
    protected final PositionalParamSpec parameter(int index, String label, Class<?> type, String description) {
        return add(CommandSpecs.parameter(index, label, type, description, true));
    }

    protected static boolean isSet(OptionSpec flag) {
        return CommandSpecs.isSet(flag);
    }

    protected final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    protected final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** Returns an error in the command line. */
    protected final ParameterException misuse(@Nullable String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Returns an option's length of time in ns, 0 if it is not given. */
    protected final long ns(OptionSpec option) {
        String text = option.getValue();
        try {
            return text == null ? 0 : DurationText.ns(text);
        } catch (IllegalArgumentException e) {
            throw misuse(option.longestName() + " " + e.getMessage());
        }
    }

    /** Reads a window's length and the period from the start of one to that of the next, in ns; zeros without a value. */
    protected final long[] windows(OptionSpec option) {
        String text = option.getValue();
        if (text == null) {
            return new long[2];
        }
        try {
            int slash = text.indexOf('/');
            long lengthNs = DurationText.ns(slash < 0 ? text : text.substring(0, slash));
            long periodNs = slash < 0 ? 0 : DurationText.ns(text.substring(slash + 1));
            if (lengthNs >= LEAST_WINDOW_NS && periodNs > lengthNs) {
                return new long[] {lengthNs, periodNs};
            }
        } catch (IllegalArgumentException e) {
            throw misuse(option.longestName() + ": " + e.getMessage());
        }
        throw misuse(option.longestName() + " " + text
                + ": expected a length of 100ms or more and a longer period, such as 5s/60s");
    }

    /** Returns the folder that an option names, without links; null if it is not given. */
    protected final @Nullable Path realFolder(OptionSpec option) throws IOException {
        Path folder = option.getValue();
        if (folder != null && !Files.isDirectory(folder)) {
            throw misuse(option.longestName() + " " + folder + ": there is no such folder");
        }
        return folder == null ? null : folder.toRealPath();
    }

    /** Returns an option's number, which must be between {@code least} and {@code most}. */
    protected final long checked(OptionSpec option, long least, long most) {
        long value = option.getValue();
        if (value < least || value > most) {
            throw misuse(option.longestName() + " " + value + ": expected a number from " + least
                    + (most == Long.MAX_VALUE ? "" : " to " + most));
        }
        return value;
    }
}
