package io.inferscope.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.timeline.fixture.TraceFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Lines that no client should send, and the end of the input at bad moments. */
@Timeout(120)
class ServerTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int PARSE_ERROR = -32_700;
    private static final int INVALID_REQUEST = -32_600;
    private static final int METHOD_NOT_FOUND = -32_601;
    private static final int INVALID_PARAMS = -32_602;
    private static final int UNAVAILABLE = -32_000;
    /** Not one: such a line is not answered. */
    private static final int SILENT = 0;

    @TempDir
    static Path folder;

    private static String trace;

    @BeforeAll
    static void draw() throws IOException {
        trace = TraceFile.ofHalfIdleDevice(folder).toString();
    }

    static Stream<Arguments> badLines() {
        return Stream.of(
                Arguments.of("", SILENT),
                Arguments.of(" \t\r", SILENT),
                Arguments.of("hello", PARSE_ERROR),
                Arguments.of("{\"jsonrpc\":\"2.0\",\"id\":1,", PARSE_ERROR),
                Arguments.of(request("1", "ping", "{}") + " {}", PARSE_ERROR),
                Arguments.of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\u00ff\"}", PARSE_ERROR), // Not in UTF-8.
                Arguments.of("[".repeat(100_000), PARSE_ERROR),
                Arguments.of("{\"id\":" + "9".repeat(5_000) + "}", PARSE_ERROR),
                Arguments.of("x".repeat(Server.MOST_BYTES + 1), INVALID_REQUEST),
                Arguments.of("[]", INVALID_REQUEST),
                Arguments.of("[" + request("1", "ping", "{}") + "]", INVALID_REQUEST),
                Arguments.of("42", INVALID_REQUEST),
                Arguments.of("{}", INVALID_REQUEST),
                Arguments.of("{\"id\":1}", INVALID_REQUEST),
                Arguments.of("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", INVALID_REQUEST),
                Arguments.of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", INVALID_REQUEST),
                Arguments.of(request("null", "ping", "{}"), INVALID_REQUEST),
                Arguments.of(request("{}", "ping", "{}"), INVALID_REQUEST),
                Arguments.of(request("1.5", "ping", "{}"), INVALID_REQUEST),
                Arguments.of(request("1", "ping", "[]"), INVALID_PARAMS),
                Arguments.of(request("1", "initialize", "{\"protocolVersion\":3}"), INVALID_PARAMS),
                Arguments.of(request("1", "nonsense", "{}"), METHOD_NOT_FOUND),
                Arguments.of(request("1", "resources/list", "{}"), METHOD_NOT_FOUND),
                Arguments.of(request("1", "tools/call", "{}"), INVALID_PARAMS),
                Arguments.of(request("1", "tools/call", "{\"name\":\"nonsense\"}"), INVALID_PARAMS),
                Arguments.of(request("1", "tools/call", "{\"name\":\"query\",\"arguments\":[]}"), INVALID_PARAMS),
                Arguments.of("{\"jsonrpc\":\"2.0\",\"method\":\"nonsense\"}", SILENT),
                Arguments.of("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}", SILENT),
                Arguments.of("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", SILENT),
                Arguments.of("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", SILENT));
    }

    @ParameterizedTest
    @MethodSource("badLines")
    void afterABadLineTheNextOneIsAnsweredAndTheInputsEndEndsTheServer(String line, int code) throws Exception {
        List<JsonNode> answers = ask(line, request("9", "ping", "{}"));

        assertThat(answers.get(answers.size() - 1).path("id").asInt()).isEqualTo(9);
        assertThat(answers).hasSize(code == SILENT ? 1 : 2);
        assertThat(
                        code == SILENT
                                ? SILENT
                                : answers.get(0).path("error").path("code").asInt())
                .isEqualTo(code);
    }

    @Test
    void aLastLineWithoutItsEndIsAnswered() throws Exception {
        assertThat(answers(request("1", "ping", "{}"), 60)).hasSize(1);
    }

    @Test
    void idsComeBackAsTheyAre() throws Exception {
        for (String id : List.of("\"\\u0000 \\\"\"", "-1", "9223372036854775808", "0")) {
            assertThat(ask(request(id, "ping", "{}")).get(0).path("id")).isEqualTo(MAPPER.readTree(id));
        }
    }

    @Test
    void aKnownVersionIsAcceptedAndTheNewestOneOfferedOtherwise() throws Exception {
        for (String version : List.of("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1900-01-01")) {
            String params = "{\"protocolVersion\":\"" + version + "\"}";
            List<JsonNode> answers = ask(request("1", "initialize", params), request("2", "initialize", params));

            assertThat(answers)
                    .hasSize(2)
                    .allSatisfy(answer -> assertThat(answer.path("result")
                                    .path("protocolVersion")
                                    .asText())
                            .isEqualTo(version.startsWith("1") ? "2025-11-25" : version));
        }
    }

    @Test
    void argumentsThatAToolDoesNotTakeAreAnswersThatSaySo() throws Exception {
        assertThat(refused("{\"trace\":1}")).contains("argument trace is not a text");
        assertThat(refused("{}")).contains("argument trace is missing");
        assertThat(refused(given("\"sql\":[\"SELECT 1\"]"))).contains("argument sql is not a text");
        assertThat(refused(given("\"file\":\"a\""))).contains("no argument file; known: trace, sql");
        assertThat(refused("{\"trace\":\"a\\u0000b\"}")).isNotEmpty();
        for (String rank : List.of("0", "-1", "4294967297", "18446744073709551617", "1e999", "1.5")) {
            JsonNode answer =
                    ask(call("1", "explain_gap", given("\"rank\":" + rank))).get(0);
            assertThat(text(answer)).as(rank).contains("rank is from 1 to");
        }
    }

    @Test
    void aDeviceOrAPipeIsNoRecording() throws Exception {
        Path pipe = folder.resolve("pipe.json");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        for (String endless : List.of("/dev/zero", pipe.toString())) {
            assertThat(text(ask(call("1", "summarise", "{\"trace\":\"" + endless + "\"}"))
                            .get(0)))
                    .contains("it is a device or a pipe");
        }
    }

    @Test
    void aTextThatWouldFillTheMemoryIsRefusedAndTheNextQueryIsAnswered() throws Exception {
        String sql = "SELECT length(printf('%900000000d', 1))";
        String wide = "SELECT printf('%16000000d', 1)" + ", printf('%16000000d', 1)".repeat(300);
        List<JsonNode> answers = ask(query("1", sql), query("2", wide), query("3", "SELECT 1"));

        assertThat(text(answers.get(0))).contains("the query fails").contains("longer than");
        assertThat(text(answers.get(1))).contains("the query fails").contains("too many columns");
        assertThat(answers.get(2).path("result").path("isError").asBoolean()).isFalse();
    }

    @Test
    void everyOneOfManyCallsAtOnceIsAnsweredOnce() throws Exception {
        int calls = 4 * Server.MOST_OPEN;
        List<JsonNode> answers = ask(IntStream.range(0, calls)
                .mapToObj(i -> query(Integer.toString(i), "SELECT 1"))
                .toArray(String[]::new));

        assertThat(answers)
                .extracting(answer -> answer.path("id").asInt())
                .doesNotHaveDuplicates()
                .hasSize(calls);
        assertThat(answers)
                .allMatch(answer -> answer.has("result")
                        || answer.path("error").path("code").asInt() == UNAVAILABLE);
        assertThat(answers.stream().filter(answer -> answer.has("result")))
                .hasSizeGreaterThanOrEqualTo(Server.MOST_OPEN);
    }

    @Test
    void aCancelledCallIsNotAnsweredAndAnIdInUseIsRefused() throws Exception {
        List<JsonNode> answers = ask(
                query("1", slow()),
                query("2", "SELECT 1"),
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}",
                query("1", "SELECT 1"),
                request("3", "ping", "{}"));

        assertThat(answers).extracting(answer -> answer.path("id").asInt()).containsExactly(1, 3, 1);
        assertThat(answers.get(0).path("error").path("code").asInt()).isEqualTo(INVALID_REQUEST);
        assertThat(answers.get(2).has("result")).isTrue();
    }

    @Test
    void aCallThatTakesTooLongAfterTheEndOfTheInputIsAnsweredWithThat() throws Exception {
        List<JsonNode> answers = answers(query("1", slow()) + "\n" + query("2", "SELECT 1"), 0);

        assertThat(answers).extracting(answer -> answer.path("id").asInt()).containsExactly(1, 2);
        assertThat(answers).allMatch(answer -> answer.path("error").path("code").asInt() == UNAVAILABLE);
    }

    @Test
    void anOutputWithoutAReaderEndsTheServerThoughItsInputStaysOpen() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        InputStream first =
                new ByteArrayInputStream((request("1", "ping", "{}") + "\n").getBytes(StandardCharsets.UTF_8));
        InputStream later = new ByteArrayInputStream((query("2", "SELECT 1") + "\n").getBytes(StandardCharsets.UTF_8));
        AtomicReference<Thread> reader = new AtomicReference<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        InputStream open = new InputStream() {
            @Override
            public int read() throws IOException {
                reader.set(Thread.currentThread());
                Thread.currentThread().setUncaughtExceptionHandler((thread, problem) -> failure.set(problem));
                int next = first.read();
                try {
                    if (next < 0) {
                        never.await();
                        next = later.read();
                    }
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                return next;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int next = read();
                bytes[offset] = (byte) next;
                return next < 0 ? -1 : 1;
            }
        };
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("Broken pipe");
            }
        };

        server(broken, 60).serve(open);

        never.countDown();
        reader.get().join();
        assertThat(failure.get()).isNull();
    }

    @Test
    void aLongErrorIsShortened() throws Exception {
        String message = text(ask(query("1", "SELECT " + "x".repeat(100_000))).get(0));

        assertThat(message).hasSizeLessThan(2_100).contains(" more)…").endsWith("lists tables and columns");
    }

    static Server server(OutputStream out, long patienceSeconds) {
        Recordings recordings = new Recordings(null, new Analyzer(), new PrintWriter(new StringWriter()));
        return new Server(new Tools(recordings, null), out, patienceSeconds);
    }

    private static List<JsonNode> ask(String... lines) throws Exception {
        return answers(String.join("\n", lines) + "\n", 60);
    }

    /** Returns what is answered to an input, whose characters are bytes. */
    private static List<JsonNode> answers(String input, long patienceSeconds) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        server(out, patienceSeconds).serve(new ByteArrayInputStream(input.getBytes(StandardCharsets.ISO_8859_1)));
        List<JsonNode> answers = new ArrayList<>();
        for (String line : out.toString(StandardCharsets.UTF_8).lines().toList()) {
            answers.add(MAPPER.readTree(line));
        }
        return answers;
    }

    private static String refused(String arguments) throws Exception {
        return text(ask(call("1", "query", arguments)).get(0));
    }

    private static String text(JsonNode answer) {
        assertThat(answer.path("result").path("isError").asBoolean())
                .as(answer.toString())
                .isTrue();
        return answer.path("result").path("content").path(0).path("text").asText();
    }

    private static String slow() {
        return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000000) SELECT count(*) FROM n";
    }

    private static String query(String id, String sql) {
        return call(id, "query", given("\"sql\":\"" + sql + "\""));
    }

    private static String given(String members) {
        return "{\"trace\":\"" + trace + "\"," + members + "}";
    }

    private static String call(String id, String tool, String arguments) {
        return request(id, "tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}");
    }

    private static String request(String id, String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }
}
