package io.inferscope.cli.shapes;

import io.inferscope.cli.common.Command;
import java.util.Arrays;

/** {@code inferscope shapes}: the shapes of PyTorch's tensors. Lists the subcommands, one class each. */
public final class ShapesCommand extends Command {
    private static final String NAME = "shapes";
    private static final String DEFAULT = "run";

    public ShapesCommand() {
        super(NAME, "Record the shapes of PyTorch's tensors, and look at them.");
        spec.usageMessage().synopsisSubcommandLabel("COMMAND");
        spec.addSubcommand(DEFAULT, new ShapesRunCommand().spec())
                .addSubcommand("env", new ShapesEnvCommand().spec())
                .addSubcommand("recover", new ShapesRecoverCommand().spec())
                .addSubcommand("analyze", new ShapesAnalyzeCommand().spec())
                .addSubcommand("diff", new ShapesDiffCommand().spec())
                .addSubcommand("standalone", new ShapesStandaloneCommand().spec());
    }

    /** Lets {@code shapes [OPTIONS] -- COMMAND} stand for {@code shapes run [OPTIONS] -- COMMAND}. */
    public static String[] withDefault(String... args) {
        int end = Arrays.asList(args).indexOf("--");
        boolean says = args.length > 1 && args[0].equals(NAME) && end > 0 && (end == 1 || args[1].startsWith("-"));
        if (!says) {
            return args;
        }
        String[] all = new String[args.length + 1];
        all[0] = NAME;
        all[1] = DEFAULT;
        System.arraycopy(args, 1, all, 2, args.length - 1);
        return all;
    }

    @Override
    public Integer call() {
        throw misuse("Missing command");
    }
}
