package io.inferscope.cli;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code inferscope} program. Each command is a class of its own, listed here. */
@Command(
        name = "inferscope",
        description = "Tells why the GPU is not running.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {RunCommand.class, AnalyzeCommand.class, RecoverCommand.class})
public final class Main implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--stacktrace", scope = ScopeType.INHERIT, description = "Print the Java stack trace of an error.")
    private boolean stacktrace;

    private Main() {}

    /** Runs the program and ends the JVM with the command's exit code. */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** The parser of the whole program. An argument like {@code @file} belongs to the observed command and stays as it is. */
    static CommandLine commandLine() {
        Main main = new Main();
        CommandLine line = new CommandLine(main)
                .setExpandAtFiles(false)
                .setParameterExceptionHandler(RunCommand::usage)
                .setExecutionExceptionHandler((e, command, parsed) -> Failures.report(e, command, main.stacktrace));
        RunCommand.configure(Objects.requireNonNull(line.getSubcommands().get("run")));
        return line;
    }

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "Missing command");
        }
    }
}
