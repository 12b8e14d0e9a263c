package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import io.inferscope.timeline.fixture.Json;
import io.inferscope.timeline.fixture.TimelineFixture;
import io.inferscope.timeline.kineto.KinetoExporter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartOptionTest {
    private static final String TRACE = """
            {"traceEvents":[
            {"ph":"X","cat":"user_annotation","name":"load","pid":1,"tid":1,"ts":0,"dur":900},
            {"ph":"X","cat":"user_annotation","name":"steady","pid":1,"tid":1,"ts":1000,"dur":100},
            {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1010,"dur":40},
            {"ph":"X","cat":"user_annotation","name":"steady","pid":1,"tid":1,"ts":1200,"dur":50}]}
            """;

    private static int analyze(Path folder, StringWriter err, String scope) throws Exception {
        return analyze(TRACE, folder, err, scope);
    }

    private static int analyze(String content, Path folder, StringWriter err, String scope) throws Exception {
        return analyze(content, folder, err, "--scope", scope);
    }

    private static int analyze(String content, Path folder, StringWriter err, String option, String part)
            throws Exception {
        Path trace = Files.writeString(folder.resolve("trace.json"), content);
        return Main.run(
                Main.commandLine().setErr(new PrintWriter(err)).setOut(new PrintWriter(new StringWriter())),
                "analyze",
                trace.toString(),
                option,
                part,
                "-o",
                folder.resolve("report.json").toString());
    }

    @Test
    void onlyTheTimeFromAScopesFirstStartToItsLastEndIsExplained(@TempDir Path folder) throws Exception {
        assertThat(analyze(folder, new StringWriter(), "steady")).isZero();

        Map<String, Object> report = Json.object(Json.parse(Files.newInputStream(folder.resolve("report.json"))));
        assertThat(Json.object(report.get("window"))).containsEntry("durationNs", 250_000L);
        assertThat(Json.list(report.get("scopes"))).hasSize(1);
    }

    @Test
    void aScopeThatWasCapturedInAnotherRecordingIsNotThere(@TempDir Path folder) throws Exception {
        Path trace = folder.resolve("captured.json");
        KinetoExporter.write(
                TimelineFixture.blank()
                        .captured(RowKind.ANNOTATION, "7", -900, -800, "capture")
                        .captured(RowKind.ANNOTATION, "7", -700, -600, "steady")
                        .scope("7", 0, 100, "steady")
                        .operator("7", 10, 90, "aten::mm")
                        .build(),
                trace);

        assertThat(analyze(Files.readString(trace), folder, new StringWriter(), "capture"))
                .isEqualTo(3);
        assertThat(analyze(Files.readString(trace), folder, new StringWriter(), "steady"))
                .isZero();
        Map<String, Object> report = Json.object(Json.parse(Files.newInputStream(folder.resolve("report.json"))));
        assertThat(Json.object(report.get("window"))).containsEntry("durationNs", 100_000L);
    }

    @Test
    void aScopeThatIsNotThereEndsInOneLine(@TempDir Path folder) throws Exception {
        StringWriter err = new StringWriter();

        assertThat(analyze(folder, err, "stedy")).isEqualTo(3);
        assertThat(err.toString()).contains("has no scope \"stedy\"").hasLineCount(1);
        assertThat(folder.resolve("report.json")).doesNotExist();
    }

    /** A model is loaded for 400 us; then 20 steps of 100 us, two thirds of them the model. */
    private static final String SERVICE = "{\"traceEvents\":["
            + event("load", "import torch", 0, 400)
            + IntStream.range(0, 20)
                    .mapToObj(i -> event("user_annotation", "step", 400 + 100 * i, 90)
                            + event("cpu_op", "aten::mm", 410 + 100 * i, 60))
                    .collect(Collectors.joining())
            + "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"serve\"}}]}";

    private static String event(String category, String name, int us, int lengthUs) {
        return "{\"ph\":\"X\",\"cat\":\"" + category.replace("load", "user_annotation") + "\",\"name\":\"" + name
                + "\",\"pid\":1,\"tid\":1,\"ts\":" + us + ",\"dur\":" + lengthUs + "},";
    }

    @Test
    void theStartUpAloneIsExplained(@TempDir Path folder) throws Exception {
        StringWriter err = new StringWriter();
        assertThat(analyze(SERVICE, folder, err, "--judge", "start-up"))
                .as(err.toString())
                .isZero();

        Map<String, Object> report = Json.object(Json.parse(Files.newInputStream(folder.resolve("report.json"))));
        assertThat((long) Json.object(report.get("window")).get("durationNs")).isBetween(400_000L, 600_000L);
    }

    /** Two threads load for 400 us, and then answer four requests each, at the same time: what comes before the first is the start-up. */
    @Test
    void whatComesBeforeTheRequestsOfAServiceIsItsStartUp(@TempDir Path folder) throws Exception {
        String requests = IntStream.of(1, 2)
                .mapToObj(tid -> "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"load\",\"pid\":1,\"tid\":" + tid
                        + ",\"ts\":0,\"dur\":400},"
                        + IntStream.range(0, 4)
                                .mapToObj(i -> String.format(
                                        "{\"ph\":\"X\",\"cat\":\"inferscope.request\",\"name\":\"GET /\",\"pid\":1,\"tid\":\"requests %d\",\"ts\":%d,\"dur\":90,\"args\":{\"inferscope_other_thread\":%d}},",
                                        tid, 400 + 100 * i, tid))
                                .collect(Collectors.joining()))
                .collect(Collectors.joining());
        String content = "{\"traceEvents\":[" + requests
                + "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"serve\"}}]}";
        StringWriter err = new StringWriter();

        assertThat(analyze(content, folder, err, "--judge", "start-up"))
                .as(err.toString())
                .isZero();
        Map<String, Object> report = Json.object(Json.parse(Files.newInputStream(folder.resolve("report.json"))));
        assertThat(Json.object(report.get("window"))).containsEntry("durationNs", 400_000L);
    }

    /** Ten steps of 100 us, of which the seventh takes 160 us more, and a step of another kind that is longer, and usual. */
    @Test
    void theStepThatTookLongestBeyondItsKindIsExplained(@TempDir Path folder) throws Exception {
        StringBuilder events = new StringBuilder();
        int at = 0;
        for (int i = 0; i < 10; i++) {
            int length = i == 6 ? 260 : 100;
            events.append(step("decode", at, length));
            at += length;
            if (i % 3 == 1) {
                events.append(step("prefill", at, 400));
                at += 400;
            }
        }
        StringWriter err = new StringWriter();
        String content = "{\"traceEvents\":[" + events.substring(0, events.length() - 1) + "]}";

        assertThat(analyze(content, folder, err, "--judge", "slowest-step"))
                .as(err.toString())
                .isZero();
        Map<String, Object> report = Json.object(Json.parse(Files.newInputStream(folder.resolve("report.json"))));
        assertThat(Json.object(report.get("window"))).containsEntry("durationNs", 260_000L);
        assertThat(err.toString()).contains("decode", "260 us; the median of its kind is 100 us");
    }

    /** The probe's delays are a sum of the whole run, here 3 % of it: more than a tenth of one step, but not in that step. */
    @ParameterizedTest
    @CsvSource({"--judge, slowest-step", "--scope, slow"})
    void ofAPartItsShareOfWhatRecordingCostCounts(String option, String part, @TempDir Path folder) throws Exception {
        TimelineFixture run = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            run.scope("main", 100 * i, 100 * i + (i == 6 ? 99 : 60), "decode");
        }
        run.scope("main", 600, 699, "slow");
        run.builder().overhead(new RecorderOverhead("python-probe", 0, 30_000, 1));
        Path trace = folder.resolve("run.json");
        KinetoExporter.write(run.build(), trace);

        assertThat(analyze(Files.readString(trace), folder, new StringWriter(), option, part))
                .isZero();
        Map<String, Object> report = Json.object(Json.parse(Files.newInputStream(folder.resolve("report.json"))));
        assertThat(Json.object(report.get("window"))).containsEntry("durationNs", 99_000L);
        assertThat(Json.list(report.get("trust")).toString())
                .contains("recording held the program up for 3.1% of the window");
    }

    private static String step(String name, int at, int length) {
        return String.format(
                "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},",
                name, at, length);
    }

    @Test
    void withoutStepsThereIsNoSlowestOne(@TempDir Path folder) throws Exception {
        StringWriter err = new StringWriter();
        assertThat(analyze(TRACE, folder, err, "--judge", "slowest-step")).isEqualTo(3);
        assertThat(err.toString()).contains("has no steps").hasLineCount(1);
    }

    @Test
    void aWrongPartIsRefusedBeforeAnythingRuns(@TempDir Path folder) throws Exception {
        StringWriter err = new StringWriter();
        Path ran = folder.resolve("ran");

        assertThat(analyze(SERVICE, folder, err, "--judge", "startup")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--judge", "expected start-up, slowest-step or gpu-window-N, not \"startup\"")
                .hasLineCount(1);
        assertThat(Main.run(
                        Main.commandLine().setErr(new PrintWriter(err)),
                        "run",
                        "--judge",
                        "startup",
                        "--",
                        "touch",
                        ran.toString()))
                .isEqualTo(125);
        assertThat(ran).doesNotExist();
    }

    @Test
    void withoutASteadyStateThereIsNoStartUp(@TempDir Path folder) throws Exception {
        StringWriter err = new StringWriter();

        assertThat(analyze(TRACE, folder, err, "--judge", "start-up")).isEqualTo(3);
        assertThat(err.toString()).contains("has no start-up").hasLineCount(1);
    }

    @Test
    void namesOfTheRecordingReachTheTerminalAsText(@TempDir Path folder) throws Exception {
        StringWriter err = new StringWriter();
        String hostile = """
                {"traceEvents":[
                {"ph":"X","cat":"user_annotation","name":"\\u001b[2J\\u202eevil","pid":1,"tid":1,"ts":0,"dur":900,
                 "args":{"inferscope_user_scope":1}}]}
                """;

        assertThat(analyze(hostile, folder, err, "stedy")).isEqualTo(3);
        assertThat(err.toString()).contains("its own scopes are \\u{1b}[2J\\u{202e}evil");
    }
}
