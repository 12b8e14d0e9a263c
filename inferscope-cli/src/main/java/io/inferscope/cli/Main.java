package io.inferscope.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code inferscope} program. Each command is a class of its own, listed here. */
@Command(
        name = "inferscope",
        description = "Tells why the GPU is not running.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {})
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    private Main(CommandSpec spec) {
        this.spec = spec;
    }

    /** Runs the program and ends the JVM with the command's exit code. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main(CommandSpec.create())).execute(args));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }
}
