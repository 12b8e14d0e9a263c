package io.inferscope.cli.common;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** A command of the program, with the description that the parser works from. */
public abstract class Command implements Callable<Integer> {
    protected final CommandSpec spec;

    @SuppressWarnings("this-escape") // The description only keeps the reference.
    protected Command(String name, String description) {
        spec = CommandSpecs.command(this, name, description);
    }

    /** Adds the command's own parameters and options to the description, in the order in which the help lists them. */
    protected abstract void describe();

    /** Returns the description that the parser works from. */
    public final CommandSpec spec() {
        describe();
        return CommandSpecs.withHelp(spec);
    }

    protected final void options(OptionSpec... options) {
        for (OptionSpec option : options) {
            spec.addOption(option);
        }
    }

    /** Adds examples below the options, and sentences, which are wrapped to the terminal's width. */
    protected final void help(List<String> examples, String... sentences) {
        CommandSpecs.footer(spec, examples, sentences);
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
