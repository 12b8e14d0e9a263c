package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.inferscope.cli.common.Failures;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ShapesCommandTest {
    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Path log = Path.of("");

    @BeforeEach
    void writeLog() throws IOException {
        log = Files.writeString(folder.resolve("shapes.jsonl"), """
                {"call_id": 0, "forward_pass": 1, "operation": "PREFILL_START"}

                {"call_id": 1, "forward_pass": 1, "operation": "aten.mm.default", "inputs": {"self": {"shape": [128, 256], "dtype": "torch.float16"}, "mat2": {"shape": [256, 512], "dtype": "torch.float16"}}, "outputs": {"shape": [128, 512], "dtype": "torch.float16"}}
                {"call_id": 2, "forward_pass": 1, "operation": "aten.add.Tensor", "inputs": {"self": {"shape": [4], "dtype": "torch.float16"}, "other": {"shape": [4], "dtype": "torch.float16"}}, "outputs": {"shape": [4], "dtype": "torch.float16"}}

                {"call_id": 2, "forward_pass": 2, "operation": "DECODE_START"}
                {"call_id": 3, "forward_pass": 2, "operation": "aten.mm.default", "inputs": {"self": {"shape": [1, 256], "dtype": "torch.float16"}, "mat2": {"shape": [256, 512], "dtype": "torch.float16"}}, "outputs": {"shape": [1, 512], "dtype": "torch.float16"}}
                {"call_id": 4, "forward_pass": 2, "operation": "aten.mm.default", "inputs": {"self": {"shape": [1, 2], "dtype": "torch.float16"}}, "outputs": null, "error": {"error_type": "RuntimeError", "error_message": "CUDA <b>error</b>: invalid configuration argument"}}
                """);
    }

    @Test
    void saysWhatALogHolds() {
        assertThat(execute("shapes", "analyze", log)).isZero();
        assertThat(out.toString())
                .startsWith(
                        "InferScope: shapes of shapes.jsonl\n\n4 operator calls, 2 operators by name, 4 unique shapes.\n")
                .contains("Operators by calls", "Largest tensors", "Shape diversity", "prefill", "decode")
                .contains("RuntimeError: CUDA <b>error</b>")
                .doesNotContain("Unique shapes", "malformed lines are");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void listsShapesWhereTheyAreAskedFor() {
        assertThat(execute("shapes", "analyze", log, "--show-shapes", "--top", "20"))
                .isZero();
        assertThat(out.toString())
                .contains("Unique shapes", "33.6 MFLOP")
                .contains("self float16[128, 256], mat2 float16[256, 512] → float16[128, 512]");
    }

    @Test
    void filtersAndLeavesOut() {
        assertThat(execute("shapes", "analyze", log, "--filter-op", "ADD", "--no-largest", "--no-diversity"))
                .isZero();
        assertThat(out.toString())
                .contains("1 operator call, 1 operator by name")
                .doesNotContain("aten.mm", "Largest tensors", "Shape diversity");
        out.getBuffer().setLength(0);
        assertThat(execute("shapes", "analyze", log, "--min-elements", "600", "--no-summary"))
                .isZero();
        assertThat(out.toString()).contains("1 operator call,").doesNotContain("Operators by calls");
    }

    @Test
    void aQuickLookCountsOperatorsAlone() {
        assertThat(execute("shapes", "analyze", log, "--quick")).isZero();
        assertThat(out.toString())
                .contains("4 operator calls, 2 operators by name.")
                .doesNotContain("Phases", "Forward passes", "Largest", "unique shape");
    }

    @Test
    void writesTheTimelineOfCalls() throws IOException {
        Path csv = folder.resolve("timeline.csv");
        assertThat(execute("shapes", "analyze", log, "--timeline", csv)).isZero();
        assertThat(Files.readString(csv)).isEqualTo("""
                call_id,operation,op_count,output_elements,output_shape
                1,aten.mm.default,1,65536,"{""shape"": [128, 512], ""dtype"": ""torch.float16""}"
                2,aten.add.Tensor,1,4,"{""shape"": [4], ""dtype"": ""torch.float16""}"
                3,aten.mm.default,2,512,"{""shape"": [1, 512], ""dtype"": ""torch.float16""}"
                4,aten.mm.default,3,0,null
                """);
        assertThat(execute("shapes", "analyze", log, log, "--timeline", csv)).isEqualTo(Failures.USAGE);
        assertThat(execute("shapes", "analyze", log, "--timeline", log)).isEqualTo(Failures.USAGE);
        assertThat(err.toString()).contains("the calls of one log, but 2 are named", "is the input");
    }

    @Test
    void theTimelineCountsCallsThatWereLeftOut() throws IOException {
        Files.writeString(log, """
                {"call_id": 1, "operation": "aten.mm.default", "inputs": null, "outputs": null, "count": 50}
                {"call_id": 2, "operation": "aten.mm.default", "inputs": {}, "outputs": {"shape": [4], "dtype": "torch.half"}, "count": 3}
                """);
        Path csv = folder.resolve("timeline.csv");
        assertThat(execute("shapes", "analyze", log, "--timeline", csv)).isZero();
        assertThat(Files.readString(csv)).isEqualTo("""
                call_id,operation,op_count,output_elements,output_shape
                1,aten.mm.default,50,0,null
                2,aten.mm.default,53,4,"{""shape"": [4], ""dtype"": ""torch.half""}"
                """);
    }

    @Test
    void aTimelineOfNoLogIsNotWritten() throws IOException {
        Path text = Files.writeString(folder.resolve("text.jsonl"), "hello\n");
        Path csv = folder.resolve("timeline.csv");
        assertThat(execute("shapes", "analyze", text, "--timeline", csv)).isEqualTo(Failures.INPUT);
        assertThat(csv).doesNotExist();
        assertThat(err.toString()).contains("no row of a shape log in it").hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"md", "html", "json", "txt"})
    void writesEveryFormatTheSameTwice(String ending) throws IOException {
        Path one = folder.resolve("one." + ending);
        Path two = folder.resolve("two." + ending);
        assertThat(execute("shapes", "analyze", log, "-o", one)).isZero();
        assertThat(execute("shapes", "analyze", log, "-o", two)).isZero();

        String text = Files.readString(one);
        assertThat(text).isEqualTo(Files.readString(two)).contains("aten.mm.default", "RuntimeError");
        if (ending.equals("html")) {
            assertThat(text).doesNotContain("<b>").contains("Unique shapes");
        }
    }

    @Test
    void theJsonIsWholeAndHasItsSchema() throws IOException {
        assertThat(execute("shapes", "analyze", log, "--format", "json")).isZero();
        assertThat(out.toString())
                .contains("\"schema\": \"inferscope-shapes/1\"", "\"firstCall\": 3", "\"passCount\": 2");
        assertThat(tokens(out.toString())).isGreaterThan(200);
        out.getBuffer().setLength(0);
        assertThat(execute("shapes", "diff", log, log, "--format", "json")).isZero();
        assertThat(out.toString()).contains("\"schema\": \"inferscope-shapes-diff/1\"", "\"same\": true");
        assertThat(tokens(out.toString())).isGreaterThan(100);
    }

    private static int tokens(String json) throws IOException {
        int count = 0;
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            while (parser.nextToken() != null) {
                count++;
            }
        }
        return count;
    }

    @Test
    void strictRefusesDamage() throws IOException {
        Files.writeString(log, Files.readString(log) + "{\"call_id\": 9, \"opera");
        assertThat(execute("shapes", "analyze", log)).isZero();
        assertThat(out.toString()).contains("1 invalid line is left out: line 9 (byte");
        assertThat(execute("shapes", "analyze", log, "--strict")).isEqualTo(Failures.INPUT);
        assertThat(err.toString()).contains("1 malformed lines, first line 9").hasLineCount(1);
    }

    @Test
    void comparesTwoLogs() throws IOException {
        Path other = folder.resolve("other.jsonl");
        Files.writeString(other, Files.readString(log).replace("aten.add.Tensor", "aten.sub.Tensor"));
        assertThat(execute(
                        "shapes",
                        "diff",
                        log,
                        other,
                        "--labels",
                        "old",
                        "new",
                        "--show-examples",
                        "sub",
                        "--only-diff"))
                .isZero();
        assertThat(out.toString())
                .startsWith("InferScope: shapes of new compared with old\n\nThe logs differ.\n")
                .contains("Operators only in old", "Operators only in new", "aten.sub.Tensor", "Examples")
                .doesNotContain("are alike\n");
        out.getBuffer().setLength(0);
        assertThat(execute("shapes", "diff", log, log)).isZero();
        assertThat(out.toString()).contains("No difference", "Operators that are alike");
    }

    @Test
    void mistakesAreSaid() {
        assertThat(execute("shapes")).isEqualTo(Failures.USAGE);
        assertThat(execute("shapes", "analyze")).isEqualTo(Failures.USAGE);
        assertThat(execute("shapes", "analyze", log, "--top", "0")).isEqualTo(Failures.USAGE);
        assertThat(execute("shapes", "diff", log)).isEqualTo(Failures.USAGE);
        assertThat(execute("shapes", "analyze", folder.resolve("none.jsonl"))).isEqualTo(Failures.INPUT);
        assertThat(execute("shapes", "analyze", log, "-o", log)).isEqualTo(Failures.USAGE);
        assertThat(err.toString())
                .contains("--top 0: expected a number from 1 to 10000", "none.jsonl: no such file", "Missing command");
    }

    private int execute(Object... words) {
        String[] args = new String[words.length];
        for (int i = 0; i < words.length; i++) {
            args[i] = words[i].toString();
        }
        CommandLine line = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return Main.run(line, args);
    }
}
