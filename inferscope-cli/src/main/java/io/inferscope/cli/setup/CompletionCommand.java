package io.inferscope.cli.setup;

import io.inferscope.cli.common.CommandSpecs;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;

/**
 * {@code inferscope completion}: prints a shell's completion script for commands and options, which packages install.
 */
public final class CompletionCommand implements Callable<Integer> {
    private final PositionalParamSpec shell = PositionalParamSpec.builder()
            .type(String.class)
            .required(true)
            .index("0")
            .paramLabel("SHELL")
            .description("bash, zsh or fish.")
            .build();

    private final CommandSpec spec = CommandSpecs.command(
            this, "completion", "Print the script that makes a shell complete commands and options.");

    /** Returns the description that the parser works from. */
    public CommandSpec spec() {
        spec.addPositional(shell);
        return CommandSpecs.withHelp(
                spec,
                List.of(
                        "source <(inferscope completion bash)",
                        "inferscope completion zsh > ~/.zfunc/_inferscope",
                        "inferscope completion fish > ~/.config/fish/completions/inferscope.fish"));
    }

    @Override
    public Integer call() {
        CommandLine program = spec.root().commandLine();
        PrintWriter out = spec.commandLine().getOut();
        String name = shell.getValue();
        switch (name) {
            case "bash" -> out.print(AutoComplete.bash("inferscope", program));
            case "zsh" -> out.print(Completions.zsh(program));
            case "fish" -> out.print(Completions.fish(program));
            default -> throw new ParameterException(spec.commandLine(), "no shell \"" + name + "\": bash, zsh or fish");
        }
        out.flush();
        return 0;
    }
}
