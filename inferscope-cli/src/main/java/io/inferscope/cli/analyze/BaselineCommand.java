package io.inferscope.cli.analyze;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.report.common.PlainText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope baseline set NAME RECORDING}: keeps a recording that later ones are compared with. */
public final class BaselineCommand extends Command {
    private final PositionalParamSpec name =
            CommandSpecs.parameter(0, "NAME", String.class, "Letters, digits, points, hyphens and underscores.", true);
    private final PositionalParamSpec recording = CommandSpecs.parameter(
            1, "RECORDING", Path.class, "The recording, of any known format, or its JSON report.", true);

    @SuppressWarnings("this-escape") // The descriptions only keep the reference.
    public BaselineCommand() {
        super("baseline", "Keep a recording under a name, for `diff --against NAME`.");
        CommandSpec set = CommandSpecs.command(
                (Callable<Integer>) this::set,
                "set",
                "Copy a recording to .inferscope/baselines; replaces one of that name.");
        set.addPositional(name).addPositional(recording);
        CommandSpec list = CommandSpecs.command(
                (Callable<Integer>) this::list, "list", "Print the names that are set, and their files.");
        spec.usageMessage().synopsisSubcommandLabel("(set | list)");
        spec.addSubcommand("set", CommandSpecs.withHelp(set));
        spec.addSubcommand("list", CommandSpecs.withHelp(list));
        help(List.of(
                "inferscope baseline set main outputs/trace_infer.json.gz",
                "inferscope diff --against main outputs/trace_infer-2.json.gz"));
    }

    @Override
    public Integer call() {
        throw misuse("Missing command: set or list");
    }

    private int set() throws IOException {
        String wanted = name.getValue();
        if (!Baselines.isName(wanted)) {
            throw misuse("NAME: expected letters, digits, points, hyphens and underscores, at most 100");
        }
        Path kept = Baselines.set(wanted, recording.getValue());
        out().println(PlainText.visible(wanted + ": " + kept));
        return flushed();
    }

    private int list() throws IOException {
        for (Path file : Baselines.all()) {
            out().println(PlainText.visible(Baselines.name(file) + ": " + file));
        }
        return flushed();
    }

    private int flushed() {
        PrintWriter out = out();
        out.flush();
        return 0;
    }
}
