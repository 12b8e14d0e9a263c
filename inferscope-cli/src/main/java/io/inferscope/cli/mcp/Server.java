package io.inferscope.cli.mcp;

import io.inferscope.cli.common.Version;
import io.inferscope.timeline.JsonValues;
import io.inferscope.timeline.files.FileProblem;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The protocol's server for one client: JSON-RPC messages, one a line
 * (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports, https://www.jsonrpc.org/specification).
 *
 * <p>One thread reads, and answers everything except calls of tools. A second thread calls the tools, one at a time,
 * because analyses are cached and not thread-safe. A bad line is answered and the next one is read; the end of the
 * input, and an output without a reader, end the server.
 */
final class Server {
    /** Longest message in bytes; the longest meaningful one is a query. */
    static final int MOST_BYTES = 1 << 20;

    /** Most calls that wait; further ones are refused. */
    static final int MOST_OPEN = 64;

    /** The first is offered to a client that asks for another one. */
    private static final List<String> VERSIONS = List.of("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");

    private static final String INSTRUCTIONS =
            "InferScope explains why a GPU is idle or an inference program is slow, from a recording (PyTorch profiler, Nsight Systems,"
                    + " rocprofv3, JAX, or `inferscope run --trace t.json.gz -- COMMAND`). Begin with summarise; then findings; then query or"
                    + " explain_gap for details. After a change, record again and use diff. Quote the trust state with every figure.";

    private static final int PARSE_ERROR = -32_700;
    private static final int INVALID_REQUEST = -32_600;
    private static final int METHOD_NOT_FOUND = -32_601;
    private static final int INVALID_PARAMS = -32_602;
    private static final int UNAVAILABLE = -32_000;

    private final Tools tools;
    private final OutputStream out;
    private final long patienceSeconds;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final ExecutorService caller = Executors.newSingleThreadExecutor(work -> daemon(work, "mcp tools"));
    /** Calls without an answer, by id; a call that is not in it is not answered. */
    private final Map<Object, Call> open = new LinkedHashMap<>();

    /** @param patienceSeconds longest wait for open calls after the end of the input */
    Server(Tools tools, OutputStream out, long patienceSeconds) {
        this.tools = tools;
        this.out = out;
        this.patienceSeconds = patienceSeconds;
    }

    /** A call that is not answered yet. An interrupt ends one that runs a program; to others it would look like a damaged file. */
    private record Call(Future<?> future, boolean runs) {}

    /** A message that cannot be answered with a result. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1;
        private final int code;

        Refused(int code, String message) {
            super(message);
            this.code = code;
        }
    }

    /** Answers what arrives, until the input ends or the output has no reader. */
    void serve(InputStream in) throws InterruptedException {
        daemon(() -> read(new BufferedInputStream(in)), "mcp input").start();
        ended.await();
        synchronized (this) {
            caller.shutdown();
        }
        caller.awaitTermination(patienceSeconds, TimeUnit.SECONDS);
        synchronized (this) {
            for (Object id : List.copyOf(open.keySet())) {
                answer(
                        id,
                        error(
                                id,
                                UNAVAILABLE,
                                "the input has ended, and no answer was ready in " + patienceSeconds + " s"));
            }
        }
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    private void read(InputStream in) {
        try {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            int next;
            do {
                next = in.read();
                if (next >= 0 && next != '\n') {
                    if (line.size() <= MOST_BYTES) { // One more shows that it is too long.
                        line.write(next);
                    }
                } else {
                    take(line.toByteArray());
                    line.reset();
                }
            } while (next >= 0);
        } catch (IOException unreadable) {
            // As the end of the input.
        } finally {
            ended.countDown();
        }
    }

    private void take(byte[] line) {
        @Nullable Object id = null;
        try {
            Object message = parsed(line);
            if (message instanceof Map<?, ?> object) {
                id = id(object);
                receive(object, id);
            } else if (message != null) {
                throw new Refused(INVALID_REQUEST, "a message is one JSON object on one line");
            }
        } catch (Refused refused) {
            send(error(id, refused.code, String.valueOf(refused.getMessage())));
        }
    }

    /** Returns the value of a line; null if the line is blank. */
    private static @Nullable Object parsed(byte[] line) throws Refused {
        if (line.length > MOST_BYTES) {
            throw new Refused(INVALID_REQUEST, "the line is longer than " + MOST_BYTES + " bytes");
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line))
                    .toString();
            return text.isBlank() ? null : JsonValues.value(text);
        } catch (IOException damaged) {
            throw new Refused(PARSE_ERROR, "the line is not JSON in UTF-8: " + FileProblem.oneLine(damaged));
        }
    }

    /** Returns the id of a message; null if it has none. */
    private static @Nullable Object id(Map<?, ?> message) throws Refused {
        Object id = message.get("id");
        if (message.containsKey("id")
                && !(id instanceof String || id instanceof Integer || id instanceof Long || id instanceof BigInteger)) {
            throw new Refused(INVALID_REQUEST, "id is neither a text nor a whole number");
        }
        return id;
    }

    private void receive(Map<?, ?> message, @Nullable Object id) throws Refused {
        Object params = message.get("params");
        if (message.get("method") instanceof String method && "2.0".equals(message.get("jsonrpc"))) {
            Map<?, ?> given = params instanceof Map<?, ?> members ? members : Map.of();
            if (id == null) {
                notified(method, given);
            } else if (params != null && !(params instanceof Map<?, ?>)) {
                throw new Refused(INVALID_PARAMS, "params is not an object");
            } else if (method.equals("tools/call")) {
                call(id, given);
            } else {
                send(message(id, "result", result(method, given)));
            }
        } else if (!(message.containsKey("result")
                || message.containsKey("error"))) { // Nothing was asked of the client.
            throw new Refused(INVALID_REQUEST, "jsonrpc is not \"2.0\", or method is not a text");
        }
    }

    private Map<String, @Nullable Object> result(String method, Map<?, ?> params) throws Refused {
        return switch (method) {
            case "initialize" -> {
                if (!(params.get("protocolVersion") instanceof String version)) {
                    throw new Refused(INVALID_PARAMS, "protocolVersion is missing");
                }
                yield JsonValues.of(
                        "protocolVersion",
                        VERSIONS.contains(version) ? version : VERSIONS.get(0),
                        "capabilities",
                        Map.of("tools", Map.of("listChanged", false)),
                        "serverInfo",
                        JsonValues.of("name", "inferscope", "version", Version.text()),
                        "instructions",
                        INSTRUCTIONS);
            }
            case "ping" -> Map.of();
            case "tools/list" -> JsonValues.of("tools", tools.described());
            default -> throw new Refused(METHOD_NOT_FOUND, "there is no method " + CappedAnswer.cut(method));
        };
    }

    /** Drops a call that its client no longer wants; what it runs is ended, and it ends without an answer. */
    private synchronized void notified(String method, Map<?, ?> params) {
        Call unwanted = method.equals("notifications/cancelled") ? open.remove(params.get("requestId")) : null;
        if (unwanted != null) {
            unwanted.future().cancel(unwanted.runs());
        }
    }

    private synchronized void call(Object id, Map<?, ?> params) throws Refused {
        String name = String.valueOf(params.get("name"));
        Tool tool = tools.named(name)
                .orElseThrow(() ->
                        new Refused(INVALID_PARAMS, "there is no tool " + CappedAnswer.cut(name) + "; see tools/list"));
        Object arguments = params.get("arguments");
        if (arguments != null && !(arguments instanceof Map<?, ?>)) {
            throw new Refused(INVALID_PARAMS, "arguments is not an object");
        }
        if (open.containsKey(id)) {
            throw new Refused(INVALID_REQUEST, "an earlier call with this id is not answered yet");
        }
        if (open.size() >= MOST_OPEN) {
            throw new Refused(UNAVAILABLE, MOST_OPEN + " calls are not answered yet: wait for an answer");
        }
        if (caller.isShutdown()) {
            return; // The output has no reader any more.
        }
        Map<?, ?> given = arguments instanceof Map<?, ?> members ? members : Map.of();
        Future<?> future = caller.submit(() -> answer(id, message(id, "result", tools.call(tool, given))));
        open.put(id, new Call(future, tool.runs()));
    }

    /** Sends the answer of a call, unless it is not wanted any more. */
    private synchronized void answer(Object id, Map<String, @Nullable Object> message) {
        if (open.remove(id) != null) {
            send(message);
        }
    }

    private synchronized void send(Map<String, @Nullable Object> message) {
        try {
            out.write((JsonValues.line(message) + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException unread) {
            open.clear();
            ended.countDown();
        }
    }

    private static Map<String, @Nullable Object> error(@Nullable Object id, int code, String message) {
        return message(id, "error", JsonValues.of("code", code, "message", message));
    }

    private static Map<String, @Nullable Object> message(@Nullable Object id, String member, Object value) {
        return JsonValues.of("jsonrpc", "2.0", "id", id, member, value);
    }
}
