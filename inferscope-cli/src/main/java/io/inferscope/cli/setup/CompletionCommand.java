package io.inferscope.cli.setup;

import io.inferscope.cli.common.Command;
import java.io.PrintWriter;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * {@code inferscope completion}: prints a shell's completion script for commands and options, which packages install.
 */
public final class CompletionCommand extends Command {
    private final PositionalParamSpec shell = parameter(0, "SHELL", String.class, "bash, zsh or fish.");

    public CompletionCommand() {
        super("completion", "Print the script that makes a shell complete commands and options.");
        help(List.of(
                "source <(inferscope completion bash)",
                "inferscope completion zsh > ~/.zfunc/_inferscope",
                "inferscope completion fish > ~/.config/fish/completions/inferscope.fish"));
    }

    @Override
    public Integer call() {
        CommandLine program = spec.root().commandLine();
        PrintWriter out = out();
        String name = shell.getValue();
        switch (name) {
            case "bash" -> out.print(AutoComplete.bash("inferscope", program));
            case "zsh" -> out.print(Completions.zsh(program));
            case "fish" -> out.print(Completions.fish(program));
            default -> throw misuse("no shell \"" + name + "\": bash, zsh or fish");
        }
        out.flush();
        return 0;
    }
}
