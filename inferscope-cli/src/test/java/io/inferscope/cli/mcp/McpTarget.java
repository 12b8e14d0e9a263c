package io.inferscope.cli.mcp;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.timeline.JsonValues;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Sends bytes to the server of {@code mcp}. Jazzer calls it: {@code lab/fuzz}. */
public final class McpTarget {
    /** Not there, so no recording can be read: other targets do that. */
    private static final Path ROOT = Path.of("/nonexistent");

    private McpTarget() {}

    /** Throws if an answer is not JSON-RPC, or there are more answers than lines; hangs if the input's end does not end the server. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException, InterruptedException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Recordings recordings = new Recordings(ROOT, new Analyzer(), new PrintWriter(new StringWriter()));
        new Server(new Tools(recordings, null), out, Integer.MAX_VALUE).serve(new ByteArrayInputStream(input));
        List<String> answers = out.toString(StandardCharsets.UTF_8).lines().toList();
        for (String answer : answers) {
            Map<String, ?> message = JsonValues.parse(answer);
            if (!"2.0".equals(message.get("jsonrpc"))
                    || !message.containsKey("id")
                    || message.containsKey("result") == message.containsKey("error")) {
                throw new AssertionError("not JSON-RPC: " + answer);
            }
        }
        long lines = 1
                + new String(input, StandardCharsets.ISO_8859_1)
                        .chars()
                        .filter(c -> c == '\n')
                        .count();
        if (answers.size() > lines) {
            throw new AssertionError(answers.size() + " answers to " + lines + " lines");
        }
    }
}
