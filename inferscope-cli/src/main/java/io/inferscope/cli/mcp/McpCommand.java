package io.inferscope.cli.mcp;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.Settings;
import io.inferscope.formats.sqlite.TimelineQueries;
import io.inferscope.timeline.importer.ImportException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/** {@code inferscope mcp}: answers a coding agent's questions over standard input and output, until the input ends. */
public final class McpCommand extends Command {
    /** Longest wait for open calls after the end of the input: reading a recording of gigabytes takes minutes. */
    private static final long PATIENCE_SECONDS = 300;

    private final OptionSpec root = option("--root=FOLDER", Path.class, "Read recordings below FOLDER only.");
    private final OptionSpec allowRun =
            flag("--allow-run", "Offer the tool `record`, which runs a program that the agent names, as this user.");
    private final RulesOption rules;

    public McpCommand(Settings settings) {
        super("mcp", "Serve a coding agent over the Model Context Protocol (standard input and output).");
        rules = new RulesOption(spec, settings);
        help(List.of("inferscope mcp --root ~/traces"), "The agent starts it; docs/mcp.md says how to configure that.");
    }

    @Override
    public Integer call() throws ImportException, IOException, InterruptedException {
        @Nullable Path real = realFolder(root);
        Analyzer analyzer = rules.analyzer();
        TimelineQueries.prepare();
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err); // Standard output is the protocol's alone.
        RecordTool recorder = isSet(allowRun) ? new RecordTool(real, RecordTool.ownWords()) : null;
        new Server(new Tools(new Recordings(real, analyzer, err()), recorder), out, PATIENCE_SECONDS).serve(System.in);
        return 0;
    }
}
