package io.inferscope.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No command replaces what it reads, and no output replaces another. */
class OutputFilesTest {
    private static final String TRACE = """
            {"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]}
            """;

    @TempDir
    Path folder;

    private final StringWriter err = new StringWriter();

    @Test
    void traceIsNotReplacedByItsOwnReport() throws Exception {
        Path trace = Files.writeString(folder.resolve("x.json"), TRACE);
        assertThat(execute("analyze", trace, "-o", trace)).isEqualTo(2);
        assertThat(trace).hasContent(TRACE.strip());
        assertThat(err.toString().lines()).singleElement().asString().contains("x.json is the input");
    }

    @Test
    void anotherNameOfTheTraceIsRecognised() throws Exception {
        Path trace = Files.writeString(folder.resolve("x.json"), TRACE);
        Path link = Files.createSymbolicLink(folder.resolve("link.json"), trace);
        assertThat(execute("analyze", trace, "--report", link)).isEqualTo(2);
        assertThat(execute("analyze", trace, "--output", folder.resolve("sub/../x.json")))
                .isEqualTo(2);
        assertThat(trace).hasContent(TRACE.strip());
    }

    @Test
    void aRecordingInAFolderThatIsReadIsNotReplaced() throws Exception {
        Path ranks = Files.createDirectory(folder.resolve("ranks"));
        Path trace = Files.writeString(ranks.resolve("x.json"), TRACE);
        for (Path input : new Path[] {ranks, folder.resolve("r*/*.json"), folder.resolve("ranks/{x,y}.json")}) {
            assertThat(execute("analyze", input, "-o", trace))
                    .as(input.toString())
                    .isEqualTo(2);
            assertThat(trace).hasContent(TRACE.strip());
        }
        assertThat(err.toString()).contains("x.json is a recording of the input ");
        Path report = ranks.resolve("report.json");
        for (int again = 0; again < 2; again++) {
            assertThat(execute("analyze", trace, "-o", report)).isZero();
            assertThat(execute("analyze", ranks, "-o", report))
                    .as(err.toString())
                    .isZero();
        }
    }

    @Test
    void reportsBesideTheTraceAreWritten() throws Exception {
        Path trace = Files.writeString(folder.resolve("x.json"), TRACE);
        assertThat(execute("analyze", trace, "-o", folder.resolve("x.md"), "-o", folder.resolve("y.json")))
                .isZero();
        assertThat(folder.resolve("x.md")).isNotEmptyFile();
        assertThat(folder.resolve("y.json")).isNotEmptyFile();
    }

    @Test
    void twoReportsDoNotShareAFile() throws Exception {
        Path trace = Files.writeString(folder.resolve("x.json"), TRACE);
        Path report = folder.resolve("r.md");
        assertThat(execute("analyze", trace, "-o", report, "-o", folder.resolve("./r.md")))
                .isEqualTo(2);
        assertThat(report).doesNotExist();
        assertThat(err.toString()).contains("are the same file");
    }

    @Test
    void recoverReplacesNeitherSpoolsNorItsTrace() throws Exception {
        Path spools = Files.createDirectory(folder.resolve("spool_x"));
        Path spool = Files.writeString(spools.resolve("host.spool"), "spool");
        assertThat(execute("recover", spools, "--trace", spool)).isEqualTo(2);
        assertThat(execute("recover", spools, "--trace", folder.resolve("t.json"), "-o", folder.resolve("t.json")))
                .isEqualTo(2);
        assertThat(spool).hasContent("spool");
    }

    @Test
    void runDoesNotStartWhenReportAndTraceShareAFile() {
        Path shared = folder.resolve("r.json");
        Path made = folder.resolve("made");
        assertThat(execute("run", "-o", shared, "--trace", shared, "touch", made))
                .isEqualTo(125);
        assertThat(made).doesNotExist();
        assertThat(err.toString()).contains("are the same file");
    }

    @Test
    void runDoesNotStartWhenAnOutputHasNoPlace() throws Exception {
        Path made = folder.resolve("made");
        Path file = Files.writeString(folder.resolve("file"), "x");
        Path taken = Files.createDirectory(folder.resolve("taken.md"));
        Path trace = folder.resolve("t.json");
        assertThat(execute("run", "--trace", trace, "-o", file.resolve("r.md"), "touch", made))
                .isEqualTo(125);
        assertThat(err.toString()).contains(file + " is not a folder", "-o");
        assertThat(execute("run", "--trace", trace, "-o", taken, "touch", made)).isEqualTo(125);
        assertThat(err.toString()).contains("taken.md: it is a folder");
        assertThat(execute("run", "--trace", folder.resolve("t.txt"), "touch", made))
                .isEqualTo(125);
        assertThat(err.toString()).contains("t.txt: the trace's name must end in .json or .json.gz");
        assertThat(made).doesNotExist();
    }

    @Test
    void aReportGoesThroughAPipeThatStays() throws Exception {
        Path trace = Files.writeString(folder.resolve("x.json"), TRACE);
        Path pipe = folder.resolve("pipe.json");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Process reader = new ProcessBuilder("cat", pipe.toString()).start();
        assertThat(execute("analyze", trace, "-o", pipe)).isZero();
        assertThat(new String(reader.getInputStream().readAllBytes(), UTF_8)).contains("\"schema\"");
        assertThat(Files.isRegularFile(pipe)).isFalse();
    }

    private int execute(Object... words) {
        String[] arguments = new String[words.length];
        for (int i = 0; i < words.length; i++) {
            arguments[i] = words[i].toString();
        }
        return Main.commandLine()
                .setOut(new PrintWriter(new StringWriter()))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
