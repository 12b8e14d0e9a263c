package io.inferscope.cli.mcp;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.formats.sqlite.TimelineQueries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/** {@code inferscope mcp}: answers a coding agent's questions over standard input and output, until the input ends. */
public final class McpCommand extends Command {
    private final OptionSpec root =
            CommandSpecs.option("--root=FOLDER", Path.class, "Read recordings below FOLDER only.");

    public McpCommand() {
        super("mcp", "Serve a coding agent over the Model Context Protocol (standard input and output).");
    }

    @Override
    protected void describe() {
        options(root);
        help(List.of("inferscope mcp --root ~/traces"), "The agent starts it; docs/mcp.md says how to configure that.");
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        @Nullable Path folder = root.getValue();
        Path real = null;
        if (folder != null) {
            if (!Files.isDirectory(folder)) {
                throw misuse("--root " + folder + ": there is no such folder");
            }
            real = folder.toRealPath();
        }
        TimelineQueries.prepare();
        Server.serve(new Recordings(real, err()));
        return 0;
    }
}
