package io.inferscope.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferscope.cli.InferScopeProcess;
import io.inferscope.timeline.fixture.TraceFile;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server as an agent starts it, asked by the protocol's own client. */
@Tag("process")
class McpCommandTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    static Path folder;

    private static String trace;
    private static McpSyncClient client;

    @BeforeAll
    static void start() throws Exception {
        trace = TraceFile.ofHalfIdleDevice(folder).toString();
        client = client();
    }

    private static McpSyncClient client(String... options) throws Exception {
        List<String> words = new ArrayList<>(new InferScopeProcess(folder).words("mcp", "--root", folder.toString()));
        words.addAll(List.of(options));
        McpSyncClient client = McpClient.sync(new StdioClientTransport(
                        ServerParameters.builder(words.get(0))
                                .args(words.subList(1, words.size()))
                                .build(),
                        new JacksonMcpJsonMapper(MAPPER)))
                .initializationTimeout(Duration.ofMinutes(3))
                .requestTimeout(Duration.ofMinutes(3))
                .build();
        client.initialize();
        return client;
    }

    @AfterAll
    static void end() {
        client.closeGracefully();
    }

    @Test
    void fiveToolsThatOnlyReadAreOffered() {
        assertThat(client.listTools().tools())
                .allMatch(tool -> Boolean.TRUE.equals(tool.annotations().readOnlyHint()))
                .extracting(Tool::name)
                .containsExactlyInAnyOrder("summarise", "findings", "query", "diff", "explain_gap");
    }

    @Test
    void programsAreRecordedOnlyWhereTheUserAllowedIt() throws Exception {
        Path recording = folder.resolve("new.json.gz");
        Map<String, Object> arguments =
                Map.of("command", List.of("sleep", "100"), "trace", recording.toString(), "seconds", 1);
        assertThatThrownBy(() -> client.callTool(record(arguments))).hasMessageContaining("there is no tool record");
        McpSyncClient allowed = client("--allow-run");
        try {
            JsonNode answer = MAPPER.readTree(text(allowed.callTool(record(arguments))));
            assertThat(answer.path("endedByItself").asBoolean())
                    .as(answer.toString())
                    .isFalse();
            assertThat(answer.path("exitCode").asInt()).isEqualTo(128 + 15);
            assertThat(answer.path("trace").asText())
                    .isEqualTo(recording.toRealPath().toString());
            for (String refused : List.of(
                    recording.toString(), folder.resolve("../out.json.gz").toString(), "/etc/passwd")) {
                Map<String, Object> call = Map.of("command", List.of("touch", "ran"), "trace", refused);
                CallToolResult result = allowed.callTool(record(call));
                assertThat(result.isError()).as(refused).isTrue();
            }
            assertThat(folder.resolve("ran")).doesNotExist();
        } finally {
            allowed.closeGracefully();
        }
    }

    @Test
    void summaryCarriesVerdictTrustAndTheQueryBehindIt() throws Exception {
        JsonNode answer = answer("summarise", Map.of());
        assertThat(answer.path("verdict").path("bound").asText()).isNotEmpty();
        assertThat(answer.path("trust").path("passed").asInt()).isPositive();
        JsonNode rows = answer("query", Map.of("sql", answer.path("sql").asText()));
        assertThat(rows.path("rows")).isNotEmpty();
    }

    @Test
    void spansOfEvidenceComeWithTheQueryOfTheirRows() throws Exception {
        JsonNode findings = answer("findings", Map.of()).path("findings");
        assertThat(findings).isNotEmpty();
        String sql = findings.findPath("sql").asText();
        assertThat(sql).startsWith("SELECT row");
        assertThat(answer("query", Map.of("sql", sql)).path("rows")).isNotEmpty();
    }

    @Test
    void longestGapIsExplainedWithTheKernelsOnBothSides() throws Exception {
        JsonNode answer = answer("explain_gap", Map.of("rank", 1));
        long start = answer.path("gap").path("startNs").asLong();
        long end = answer.path("gap").path("endNs").asLong();
        assertThat(answer.path("durationNs").asLong()).isEqualTo(end - start).isPositive();
        for (JsonNode kernel : answer.path("after").path("rows")) {
            assertThat(kernel.path(3).asLong()).isGreaterThanOrEqualTo(end);
        }
        assertThat(answer.path("before").path("rows").size()
                        + answer.path("after").path("rows").size())
                .isPositive();
    }

    @Test
    void aRecordingIsComparedWithItself() throws Exception {
        JsonNode answer = answer("diff", Map.of("before", trace));
        assertThat(answer.path("schema").asText()).startsWith("inferscope-diff/");
        assertThat(answer.path("trust").path("before"))
                .isEqualTo(answer.path("trust").path("after"));
    }

    @Test
    void mistakesAreAnswersThatSayWhatToDo() {
        assertThat(refused("query", Map.of("sql", "DELETE FROM events"))).contains("only SELECT");
        assertThat(refused("query", Map.of("sql", "SELECT nothing FROM events")))
                .contains("the query fails");
        assertThat(refused("explain_gap", Map.of("rank", 1_000))).contains("rank is from 1 to");
        assertThat(refused("findings", Map.of("rule", "nonsense"))).contains("there is no rule nonsense");
        assertThat(refused("summarise", Map.of("trace", folder + "/absent.json")))
                .contains("there is no such file");
        assertThat(refused("summarise", Map.of("trace", "/proc/self/environ"))).contains("it lies outside");
    }

    @Test
    void aLinkInAFolderDoesNotLeadOut() throws Exception {
        Path linked = Files.createDirectory(folder.resolve("linked"));
        Files.createSymbolicLink(linked.resolve("a.json"), Path.of("/etc/hostname"));
        assertThat(refused("summarise", Map.of("trace", linked.toString()))).contains("leads outside");
    }

    @Test
    void aCutAnswerLeavesTheKeptReportWhole() {
        List<String> rows = IntStream.range(0, 3_000).mapToObj(i -> "row " + i).toList();
        Map<String, Object> given = Map.of("before", Map.of("rows", rows));
        String first = CappedAnswer.of(given);
        assertThat(first).contains("\"leftOut\":{\"before/rows\":").hasSizeLessThan(CappedAnswer.MOST_CHARACTERS);
        assertThat(CappedAnswer.of(given)).isEqualTo(first);
        assertThat(rows).hasSize(3_000);
    }

    @Test
    void anAnswerIsCappedAndSaysWhatIsLeftOut() throws Exception {
        String numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) ";
        JsonNode many = answer("query", Map.of("sql", numbers + "SELECT i FROM n"));
        assertThat(many.path("rows")).hasSize(200);
        assertThat(many.path("moreRows").asBoolean()).isTrue();
        CallToolResult wide = call("query", Map.of("sql", numbers + "SELECT i, hex(zeroblob(300)) FROM n"));
        assertThat(text(wide)).hasSizeLessThan(CappedAnswer.MOST_CHARACTERS);
        JsonNode cut = MAPPER.readTree(text(wide));
        assertThat(cut.path("leftOut").path("rows").asInt())
                .isEqualTo(200 - cut.path("rows").size());
    }

    @Test
    void aRecordingThatChangedIsReadAgain() throws Exception {
        Path run = Files.createDirectory(folder.resolve("run"));
        Path changing = Files.createDirectory(run.resolve("rank0")).resolve("changing.json");
        Files.copy(Path.of(trace), changing);
        Map<String, Object> count = Map.of("trace", run.toString(), "sql", "SELECT count(*) FROM events");
        JsonNode first = answer("query", count);
        Files.writeString(
                changing,
                "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}]}");
        JsonNode then = answer("query", count);
        assertThat(then.path("rows")).isNotEqualTo(first.path("rows"));
    }

    @Tag("slow")
    @Test
    void theServerEndsWithItsInputAndWritesNothingOfItsOwn() throws Exception {
        InferScopeProcess inferscope = new InferScopeProcess(folder);
        InferScopeProcess.Result result = inferscope.run("mcp");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(new String(result.stdout(), StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void whatWasAskedBeforeTheInputEndedIsAnswered() throws Exception {
        InferScopeProcess inferscope = new InferScopeProcess(folder);
        Files.writeString(folder.resolve(".stdin"), """
                {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},\
                "clientInfo":{"name":"test","version":"1"}}}
                {"jsonrpc":"2.0","method":"notifications/initialized"}
                {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"summarise","arguments":{"trace":"trace.json"}}}
                """);
        InferScopeProcess.Result result = inferscope.run("mcp");
        Files.writeString(folder.resolve(".stdin"), "");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.out().lines()).hasSize(2).element(1).asString().contains("verdict");
    }

    private static JsonNode answer(String tool, Map<String, Object> arguments) throws IOException {
        CallToolResult result = call(tool, arguments);
        assertThat(result.isError()).as(text(result)).isNotEqualTo(true);
        return MAPPER.readTree(text(result));
    }

    private static String refused(String tool, Map<String, Object> arguments) {
        CallToolResult result = call(tool, arguments);
        assertThat(result.isError()).as(text(result)).isTrue();
        return text(result);
    }

    private static CallToolResult call(String tool, Map<String, Object> arguments) {
        Map<String, Object> all = new HashMap<>(Map.of("trace", trace));
        all.putAll(arguments);
        return client.callTool(CallToolRequest.builder(tool).arguments(all).build());
    }

    private static CallToolRequest record(Map<String, Object> arguments) {
        Map<String, Object> all = new HashMap<>(Map.of("folder", folder.toString()));
        all.putAll(arguments);
        return CallToolRequest.builder("record").arguments(all).build();
    }

    private static String text(CallToolResult result) {
        return ((TextContent) result.content().get(0)).text();
    }
}
