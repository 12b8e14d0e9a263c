package io.inferscope.cli.setup;

import io.inferscope.cli.common.Command;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code inferscope help}: prints the same as {@code --help} after a command. */
public final class HelpCommand extends Command {
    private final PositionalParamSpec words = add(PositionalParamSpec.builder()
            .type(List.class)
            .auxiliaryTypes(String.class)
            .arity("0..*")
            .initialValue(new ArrayList<String>())
            .paramLabel("COMMAND")
            .description("The command to explain.")
            .build());

    public HelpCommand() {
        super("help", "Explain a command.");
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
        command.usage(out());
        return 0;
    }
}
