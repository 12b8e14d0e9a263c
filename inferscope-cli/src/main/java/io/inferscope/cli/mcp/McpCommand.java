package io.inferscope.cli.mcp;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferscope.cli.common.Specs;
import io.inferscope.cli.common.Version;
import io.inferscope.formats.sqlite.TimelineQueries;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** {@code inferscope mcp}: answers a coding agent's questions over standard input and output, until the input ends. */
public final class McpCommand implements Callable<Integer> {
    private static final String INSTRUCTIONS =
            "InferScope explains why a GPU is idle or an inference program is slow, from a recording (PyTorch profiler, Nsight Systems,"
                    + " rocprofv3, JAX, or `inferscope run --trace t.json.gz -- COMMAND`). Begin with summarise; then findings; then query or"
                    + " explain_gap for details. After a change, record again and use diff. Quote the trust state with every figure.";

    private final OptionSpec root = OptionSpec.builder("--root")
            .type(Path.class)
            .paramLabel("FOLDER")
            .description("Read recordings below FOLDER only.")
            .build();

    private final CommandSpec spec = Specs.command(
            this, "mcp", "Serve a coding agent over the Model Context Protocol (standard input and output).");

    /** Returns the description that the parser works from. */
    public CommandSpec spec() {
        spec.addOption(root);
        Specs.addHelp(spec);
        Specs.footer(
                spec,
                List.of("inferscope mcp --root ~/traces"),
                "An agent starts it; docs/mcp.md says how to tell it to.");
        return spec;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        @Nullable Path folder = root.getValue();
        Path real = null;
        if (folder != null) {
            if (!Files.isDirectory(folder)) {
                throw new ParameterException(spec.commandLine(), "--root " + folder + ": there is no such folder");
            }
            real = folder.toRealPath();
        }
        TimelineQueries.prepare();
        PrintStream out = System.out;
        System.setOut(System.err); // Standard output is the protocol's alone.
        CountDownLatch ended = new CountDownLatch(1);
        ObjectMapper mapper = new ObjectMapper();
        JacksonMcpJsonMapper json = new JacksonMcpJsonMapper(mapper);
        McpSyncServer server = McpServer.sync(new StdioServerTransportProvider(json, untilEnd(System.in, ended), out))
                .jsonMapper(json)
                .serverInfo("inferscope", Version.text())
                .instructions(INSTRUCTIONS)
                .capabilities(ServerCapabilities.builder().tools(false).build())
                .tools(new Tools(mapper, new Recordings(real, spec.commandLine().getErr())).all())
                .build();
        ended.await();
        server.closeGracefully();
        return 0;
    }

    private static InputStream untilEnd(InputStream in, CountDownLatch ended) {
        return new FilterInputStream(in) {
            @Override
            public int read() throws IOException {
                int next = super.read();
                if (next < 0) {
                    ended.countDown();
                }
                return next;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int count = super.read(bytes, offset, length);
                if (count < 0) {
                    ended.countDown();
                }
                return count;
            }
        };
    }
}
