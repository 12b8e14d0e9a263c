package io.inferscope.cli.setup;

import io.inferscope.cli.common.CommandSpecs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code inferscope help}: prints the same as {@code --help} after a command. */
public final class HelpCommand implements Callable<Integer> {
    private final PositionalParamSpec words = PositionalParamSpec.builder()
            .type(List.class)
            .auxiliaryTypes(String.class)
            .arity("0..*")
            .initialValue(new ArrayList<String>())
            .paramLabel("COMMAND")
            .description("The command to explain.")
            .build();

    private final CommandSpec spec = CommandSpecs.command(this, "help", "Explain a command.");

    /** Returns the description that the parser works from. */
    public CommandSpec spec() {
        spec.addPositional(words);
        return CommandSpecs.withHelp(spec);
    }

    @Override
    public Integer call() {
        CommandLine command = spec.root().commandLine();
        List<String> names = words.getValue();
        for (int i = 0; i < names.size(); i++) {
            CommandLine next = command.getSubcommands().get(names.get(i));
            if (next == null) {
                throw new UnmatchedArgumentException(command, names.subList(i, names.size()));
            }
            command = next;
        }
        command.usage(spec.commandLine().getOut());
        return 0;
    }
}
