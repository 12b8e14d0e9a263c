package io.inferscope.cli.common;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** A command of the program, with the description that the parser works from. */
public abstract class Command extends Options implements Callable<Integer> {
    protected Command(String name, String description) {
        super(name, description);
    }

    /** Returns the description that the parser works from. */
    public final CommandSpec spec() {
        return CommandSpecs.withHelp(spec);
    }

    /** Adds examples below the options, and sentences, which are wrapped to the terminal's width. */
    protected final void help(List<String> examples, String... sentences) {
        CommandSpecs.footer(spec, examples, sentences);
    }
}
