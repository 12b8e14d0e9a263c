package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SameTimeline;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConvertCommandTest {
    private static final String TRACE = """
            {"traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1, "dur": 2},
            {"ph": "X", "cat": "python_function", "name": "/home/asmith/x/y/serve.py(3): f", "pid": 1, "tid": 1, "ts": 0, "dur": 9}]}
            """;

    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();
    private Path trace;

    @BeforeEach
    void writeTrace() throws Exception {
        trace = Files.writeString(folder.resolve("x.json"), TRACE);
    }

    @Test
    void endingsSayTheFormat() throws Exception {
        assertThat(execute(trace, "-o", at("y.json.gz"), "-o", at("y.folded"), "-o", at("y.speedscope.json")))
                .isZero();
        SameTimeline.assertSame(
                Formats.importers().load(at("y.json.gz")), Formats.importers().load(trace));
        assertThat(at("y.folded")).content().contains("serve.py(3): f;aten::add 2\n");
        assertThat(at("y.speedscope.json")).content().contains("file-format-schema.json");
        assertThat(err.toString().lines()).hasSize(3).allMatch(line -> line.startsWith("Written: "));
    }

    @Test
    void theFormatCanBeNamed() throws Exception {
        assertThat(execute(trace, "--to", "folded", "-o", at("y.flames"))).isZero();
        assertThat(at("y.flames")).content().contains("aten::add 2");
    }

    @Test
    void whatIsPrivateIsLeftOutWhenAskedFor() throws Exception {
        assertThat(execute(trace, "--redact", "-o", at("y.json"))).isZero();
        assertThat(at("y.json")).content().contains("y/serve.py(3): f").doesNotContain("asmith");
    }

    @Test
    void theInputIsNotReplaced() {
        assertThat(execute(trace, "-o", trace)).isEqualTo(2);
        assertThat(trace).hasContent(TRACE.strip());
        assertComplaint("x.json is the input");
    }

    @Test
    void anUnknownEndingIsAUsageErrorBeforeAnyWork() {
        assertThat(execute(trace, "-o", at("y.json"), "-o", at("y.pprof"))).isEqualTo(2);
        assertThat(at("y.json")).doesNotExist();
        assertComplaint("y.pprof: no format has this ending; known are .speedscope.json");
    }

    @Test
    void anUnknownFormatIsAUsageError() {
        assertThat(execute(trace, "--to", "pprof", "-o", at("y"))).isEqualTo(2);
        assertComplaint("unknown format pprof; known are ");
    }

    @Test
    void anOutputMustBeNamed() {
        assertThat(execute(trace)).isEqualTo(2);
        assertComplaint("--output=OUT");
    }

    @Test
    void inputsThatNothingTiesTogetherAreRefused() throws Exception {
        Path other = Files.writeString(folder.resolve("other.json"), TRACE.replace("aten::add", "aten::mul"));
        assertThat(execute(trace, other, "-o", at("y.json"))).isEqualTo(3);
        assertComplaint("nothing shows how its clock relates to that of ");
    }

    @Test
    void anOffsetSaidByHandTiesInputsTogether() throws Exception {
        Path other = Files.copy(trace, folder.resolve("other.json"));
        assertThat(execute(trace, other, "--offset", "other.json=+1.5ms", "-o", at("y.json")))
                .isZero();

        Timeline merged = Formats.importers().load(at("y.json"));
        assertThat(merged.rowCount())
                .isEqualTo(2 * Formats.importers().load(trace).rowCount());
        assertThat(merged.properties())
                .containsEntry("source.1.name", "other.json")
                .containsEntry("source.1.offset_ns", "1500000");
    }

    @Test
    void anOffsetThatCannotBeReadIsAUsageError() {
        assertThat(execute(trace, "--offset", "x.json=soon", "-o", at("y.json")))
                .isEqualTo(2);
        assertComplaint("--offset x.json=soon: expected TRACE=TIME");
    }

    @Test
    void anOffsetOfNoInputIsAUsageError() {
        assertThat(execute(trace, "--offset", "z.json=1ms", "-o", at("y.json"))).isEqualTo(2);
        assertComplaint("--offset z.json: not one of the inputs");
    }

    @Test
    void anInputThatIsNoTraceIsReportedInOneLine() throws Exception {
        Path text = Files.writeString(folder.resolve("x.txt"), "\u0000\u0001");
        assertThat(execute(text, "-o", at("y.json"))).isEqualTo(3);
        assertThat(at("y.json")).doesNotExist();
        assertComplaint("not a trace of a known format");
    }

    @Test
    void damageIsSaidAndRefusedWhenStrict() throws Exception {
        Path cut = Files.writeString(folder.resolve("cut.json"), TRACE.substring(0, TRACE.length() - 40));
        assertThat(execute(cut, "--strict", "-o", at("y.json"))).isEqualTo(3);
        assertThat(at("y.json")).doesNotExist();
        assertComplaint("leave out --strict");
        assertThat(execute(cut, "-o", at("y.json"))).isZero();
        assertThat(at("y.json")).exists();
        assertThat(err.toString()).contains("not everything could be used");
    }

    private Path at(String name) {
        return folder.resolve(name);
    }

    private void assertComplaint(String part) {
        assertThat(err.toString().lines()).singleElement().asString().contains(part);
    }

    private int execute(Object... words) {
        String[] arguments = Arrays.stream(words).map(Object::toString).toArray(String[]::new);
        String[] all = new String[arguments.length + 1];
        all[0] = "convert";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return Main.commandLine()
                .setErr(new PrintWriter(err, true))
                .setOut(new PrintWriter(new StringWriter()))
                .execute(all);
    }
}
