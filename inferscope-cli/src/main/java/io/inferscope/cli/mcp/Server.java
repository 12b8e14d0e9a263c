package io.inferscope.cli.mcp;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferscope.cli.common.Version;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;

/** The protocol's server. Its libraries are on the class path of {@code mcp} alone: no other class may name them in its code. */
final class Server {
    private static final String INSTRUCTIONS =
            "InferScope explains why a GPU is idle or an inference program is slow, from a recording (PyTorch profiler, Nsight Systems,"
                    + " rocprofv3, JAX, or `inferscope run --trace t.json.gz -- COMMAND`). Begin with summarise; then findings; then query or"
                    + " explain_gap for details. After a change, record again and use diff. Quote the trust state with every figure.";

    private Server() {}

    /** Answers questions about recordings over standard input and output; returns when the input has ended. */
    static void serve(Recordings recordings) throws InterruptedException {
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
                .tools(new Tools(mapper, recordings).all())
                .build();
        ended.await();
        server.closeGracefully();
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
