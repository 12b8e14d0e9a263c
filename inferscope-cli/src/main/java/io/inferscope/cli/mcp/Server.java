package io.inferscope.cli.mcp;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferscope.cli.common.Version;
import io.inferscope.timeline.importer.BlockInputStream;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * The protocol's server. Its libraries are on the class path of {@code mcp} only, so no class outside this package may
 * refer to them, nor may {@link McpCommand}, which every start loads.
 */
final class Server {
    private static final String INSTRUCTIONS =
            "InferScope explains why a GPU is idle or an inference program is slow, from a recording (PyTorch profiler, Nsight Systems,"
                    + " rocprofv3, JAX, or `inferscope run --trace t.json.gz -- COMMAND`). Begin with summarise; then findings; then query or"
                    + " explain_gap for details. After a change, record again and use diff. Quote the trust state with every figure.";

    /** Longest wait for open requests after the end of the input. */
    private static final long MOST_SECONDS = 600;

    private Server() {}

    /**
     * Answers questions about recordings over standard input and output; returns when the input has ended and all
     * requests are answered.
     */
    static void serve(Recordings recordings) throws InterruptedException {
        PrintStream out = System.out;
        System.setOut(System.err); // Standard output is the protocol's alone.
        Open open = new Open();
        ObjectMapper mapper = new ObjectMapper();
        JacksonMcpJsonMapper json = new JacksonMcpJsonMapper(mapper);
        McpSyncServer server = McpServer.sync(
                        new StdioServerTransportProvider(json, open.asked(System.in), open.answered(out)))
                .jsonMapper(json)
                .serverInfo("inferscope", Version.text())
                .instructions(INSTRUCTIONS)
                .capabilities(ServerCapabilities.builder().tools(false).build())
                .tools(new Tools(mapper, recordings).all())
                .build();
        open.awaitEnd();
        server.closeGracefully();
    }

    /**
     * The requests without an answer. The transport closes as soon as its input ends and would drop open requests, so
     * the end is hidden from it until the last answer was sent. A message is one line; messages without an id need no
     * answer.
     */
    private static final class Open {
        private final StringBuilder line = new StringBuilder();
        private int requests;
        private boolean ended;

        InputStream asked(InputStream in) {
            return new BlockInputStream() {
                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    int count = in.read(bytes, offset, length);
                    if (count < 0) {
                        awaitAnswers();
                    } else {
                        count(new String(bytes, offset, count, StandardCharsets.ISO_8859_1));
                    }
                    return count;
                }
            };
        }

        OutputStream answered(OutputStream out) {
            return new FilterOutputStream(out) {
                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    out.write(bytes, offset, length);
                    for (int i = offset; i < offset + length; i++) {
                        answer(bytes[i]);
                    }
                }

                @Override
                public void write(int one) throws IOException {
                    out.write(one);
                    answer(one);
                }
            };
        }

        private synchronized void count(String text) {
            for (int i = 0; i < text.length(); i++) {
                if (text.charAt(i) != '\n') {
                    line.append(text.charAt(i));
                } else {
                    if (line.indexOf("\"id\"") >= 0 && line.indexOf("\"method\"") >= 0) {
                        requests++;
                    }
                    line.setLength(0);
                }
            }
        }

        private synchronized void answer(int written) {
            if (written == '\n') {
                requests--;
                notifyAll();
            }
        }

        private synchronized void awaitAnswers() throws IOException {
            long patience = System.nanoTime() + MOST_SECONDS * 1_000_000_000;
            try {
                while (requests > 0 && System.nanoTime() < patience) {
                    wait(100);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            } finally {
                ended = true;
                notifyAll();
            }
        }

        synchronized void awaitEnd() throws InterruptedException {
            while (!ended) {
                wait();
            }
        }
    }
}
