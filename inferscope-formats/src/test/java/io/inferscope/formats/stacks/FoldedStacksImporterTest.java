package io.inferscope.formats.stacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FoldedStacksImporterTest {
    @TempDir
    private Path folder;

    @Test
    void stacksOfPySpyBecomeSamplesOfTenMillisecondsEach() throws Exception {
        Timeline timeline = load("""
                <module> (serve.py:46);main (serve.py:39) 20
                <module> (serve.py:46);main (serve.py:40);dumps (json/__init__.py:231) 3
                """);

        assertThat(timeline.info().format()).isEqualTo("folded-stacks");
        assertThat(rows(timeline))
                .containsExactly(
                        "STACK_SAMPLE all [0,200000000) serve.py(39): main STACK=[serve.py(46): <module>, serve.py(39): main] SAMPLES=20",
                        "STACK_SAMPLE all [200000000,230000000) json/__init__.py(231): dumps STACK=[serve.py(46): <module>, serve.py(40): main, json/__init__.py(231): dumps] SAMPLES=3");
        assertThat(timeline.properties())
                .containsEntry("samples_axis", "packed")
                .containsEntry("samples_assumed_period_ns", "10000000");
    }

    /** As flamegraph.pl reads it: any white space before the count, and decimals, as of times. */
    @Test
    void countsMayHaveDecimalsAndFollowATab() throws Exception {
        Timeline timeline = load("# cycles\r\nmain;work\t120.5\r\nmain;other 0.25\r\n");

        assertThat(rows(timeline))
                .containsExactly(
                        "STACK_SAMPLE all [0,1205000000) work STACK=[main, work] SAMPLES=121",
                        "STACK_SAMPLE all [1205000000,1207500000) other STACK=[main, other]");
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @Test
    void threadsAndProcessesAreToldByTheOutermostFrames() throws Exception {
        Timeline timeline = load("""
                process 12:"python3 serve.py";thread (7): consumer;run (threading.py:9) 2
                process 12:"python3 serve.py";thread (8): MainThread;main (serve.py:1) 1
                [main tid=9];java/lang/Thread.run;com/acme/Serve$Loop.step_[j] 4
                python-12/7;[unknown];__select 5
                process 12:"python3 serve.py" 1
                process 12;thread (8): MainThread;main (serve.py:1) 1
                """);

        assertThat(timeline.tracks().stream().map(t -> t.kind() + " " + t.key() + " " + t.name()))
                .containsExactly(
                        "PROCESS 12 12",
                        "THREAD 7 python",
                        "THREAD 8 MainThread",
                        "PROCESS program program",
                        "THREAD 9 main");
        assertThat(rows(timeline))
                .containsExactly(
                        "STACK_SAMPLE 7 [0,20000000) threading.py(9): run STACK=[threading.py(9): run] SAMPLES=2",
                        "STACK_SAMPLE 7 [20000000,70000000) __select STACK=[[unknown], __select] SAMPLES=5",
                        "STACK_SAMPLE 8 [0,10000000) serve.py(1): main STACK=[serve.py(1): main]",
                        "STACK_SAMPLE 8 [10000000,20000000) serve.py(1): main STACK=[serve.py(1): main]",
                        "STACK_SAMPLE 9 [0,40000000) com.acme.Serve$Loop.step STACK=[java.lang.Thread.run, com.acme.Serve$Loop.step] SAMPLES=4");
    }

    @Test
    void jsonWhoseBeginningIsLostIsNoStack() {
        String member = "\"ph\": \"X\", \"name\": \"a;b\", \"ts\": 12";
        for (String text : List.of(member, "x{\"traceEvents\": [{" + member, (member + "\n").repeat(200))) {
            assertThatThrownBy(() -> load(text))
                    .isInstanceOf(ImportException.class)
                    .hasMessageContaining("holds trace events, but does not begin as JSON does")
                    .hasMessageContaining("put [ in place of everything before the first whole event");
        }
    }

    @Test
    void aCommandThatSpeaksJsonIsStillAProcess() throws Exception {
        assertThat(load("process 4:\"serve --set {\"port\":1}\";main (a.py:1) 3\n")
                        .rowCount())
                .isOne();
    }

    @Test
    void linesThatAreNoStacksAreCounted() throws Exception {
        String lines = "main;work 3\n".repeat(150)
                + "no count here\r\n\nmain;work 9999999999999999\nmain;wor\u00e9 2\nmain;cu";
        Timeline timeline = load(lines);

        assertThat(timeline.rowCount()).isEqualTo(151);
        assertThat(timeline.importStats().count(Reason.NOT_AN_EVENT)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.BAD_TIMESTAMP)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.TRUNCATED)).isEqualTo(1);
        assertThat(timeline.importStats().eventsRead()).isEqualTo(154);
    }

    @Test
    void aLineOfAnyLengthNeedsBoundedMemory() throws Exception {
        Timeline timeline = load("a;b 1\n".repeat(200) + "x;".repeat(1 << 20) + " 1\nc;d 1\n");

        assertThat(timeline.rowCount()).isEqualTo(201);
        assertThat(timeline.importStats().count(Reason.NOT_AN_EVENT)).isEqualTo(1);
    }

    @Test
    void aDamagedGzipGivesWhatPrecedesTheDamage() throws Exception {
        byte[] zipped =
                TraceFile.gzip("main (a.py:1);work (a.py:2) 7\n".repeat(9_000).getBytes(StandardCharsets.UTF_8));
        Path file = TraceFile.of(folder, "cut.txt.gz", Arrays.copyOf(zipped, zipped.length - 100));
        Timeline timeline = Formats.importers().load(file);

        assertThat(timeline.rowCount()).isPositive();
        assertThat(timeline.importStats().count(Reason.TRUNCATED)).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"hello world\n", "a;b\nc;d\n", "a 1\nb 2\n", "date;value\n2024;1 2 x\n"})
    void otherTextIsNotTakenForStacks(String text) {
        assertThatThrownBy(() -> load(text))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("not a trace of a known format");
    }

    private Timeline load(String text) throws Exception {
        return Formats.importers().load(TraceFile.of(folder, "stacks.txt", text));
    }

    private static List<String> rows(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> TimelineDump.row(timeline, row))
                .toList();
    }
}
