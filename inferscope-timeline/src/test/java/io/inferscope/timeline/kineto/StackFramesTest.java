package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TimelineFixture;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.redact.Redaction;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stacks in a Chrome trace: the dictionary {@code stackFrames} and the member {@code sf} of events. */
@Timeout(600)
class StackFramesTest {
    private static final String FRAMES = """
            "stackFrames": {"7": {"category": "py", "name": "work", "parent": "a.b"}, "a.b": {"name": "main"}, "8": {"name": "x", "parent": 7}}""";
    private static final String EVENTS = """
            "traceEvents": [
            {"ph":"X","cat":"inferscope.stack_sample","name":"work","pid":1,"tid":2,"ts":0,"dur":5,"sf":7},
            {"ph":"X","cat":"inferscope.stack_sample","name":"x","pid":1,"tid":2,"ts":5,"dur":5,"sf":"8"},
            {"ph":"X","cat":"inferscope.stack_sample","name":"?","pid":1,"tid":2,"ts":10,"dur":5,"sf":9}]""";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"{%s, %s}", "{%2$s, %1$s}", "{%s, %s,, \"damaged", "{%2$s, %1$s"})
    void stacksAreReadWhereverTheDictionaryStands(String document) throws Exception {
        Timeline timeline = load(String.format(document, FRAMES, EVENTS));

        assertThat(rows(timeline).lines())
                .containsExactly(
                        "STACK_SAMPLE 2 [0,5000) work STACK=[main, work]",
                        "STACK_SAMPLE 2 [5000,10000) x STACK=[main, work, x]",
                        "STACK_SAMPLE 2 [10000,15000) ?");
        assertThat(timeline.importStats().count(Reason.UNKNOWN_FRAME)).isEqualTo(1);
    }

    @Test
    void aRingOfParentsIsCut() throws Exception {
        Timeline timeline = load(String.format(
                "{%s, \"stackFrames\": {\"7\": {\"name\": \"a\", \"parent\": \"8\"}, \"8\": {\"name\": \"b\", \"parent\": \"7\"},"
                        + " \"9\": {\"name\": \"c\", \"parent\": \"9\"}}}",
                EVENTS));

        assertThat(rows(timeline)).contains("STACK=[b, a]").contains("STACK=[c]");
    }

    @Test
    void stacksOfAWrittenTraceReadBack() throws Exception {
        TimelineFixture fixture = TimelineFixture.blank()
                .sample("main", 0, 10, "a.py(1): main", "a.py(5): \"w\u00f6rk\"")
                .sample("main", 10, 20, "a.py(1): main")
                .sample("other", 5, 20, "b", "a.py(1): main");
        fixture.builder().attribute(fixture.lastRow(), Attribute.SAMPLES, 3);
        Timeline written = fixture.build();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        KinetoExporter.write(written, out);
        Timeline read = load(out.toString(StandardCharsets.UTF_8));

        assertThat(rows(read)).isEqualTo(rows(written));
        assertThat(read.importStats().damage()).isEmpty();
    }

    @Test
    void aLanguageThatTheNameDoesNotTellReadsBack() throws Exception {
        TimelineFixture fixture = TimelineFixture.blank().sample("main", 0, 10, "/srv/serve(7): main", "b.py(5): work");
        fixture.builder().frame(Frame.of(Frame.Language.PYTHON, "main", "/srv/serve", 7));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        KinetoExporter.write(Redaction.of(fixture.build()), out);
        String json = out.toString(StandardCharsets.UTF_8);

        assertThat(json).containsOnlyOnce("\"category\":\"python\"");
        assertThat(load(json).stacks().frame(0).isPython()).isTrue();
    }

    @Test
    void moreFramesThanOtherPropertiesMayBeAreReadAndDeepStacksTakeLinearTime() throws Exception {
        int depth = 60_000;
        StringBuilder text = new StringBuilder("{\"stackFrames\": {\"0\": {\"name\": \"f\"}");
        for (int i = 1; i < depth; i++) {
            text.append(",\"")
                    .append(i)
                    .append("\": {\"name\": \"f\", \"parent\": \"")
                    .append(i - 1)
                    .append("\"}");
        }
        text.append("}, \"traceEvents\": [");
        for (int i = 0; i < depth; i++) {
            text.append(i == 0 ? "" : ",")
                    .append(
                            "{\"ph\":\"X\",\"cat\":\"inferscope.stack_sample\",\"name\":\"f\",\"pid\":1,\"tid\":2,\"ts\":")
                    .append(i)
                    .append(",\"dur\":1,\"sf\":")
                    .append(i)
                    .append('}');
        }
        Timeline timeline = load(text.append("]}").toString());

        assertThat(timeline.stacks().count()).isEqualTo(depth);
        assertThat(timeline.stacks().frames((int) timeline.attribute(depth - 1, Attribute.STACK)))
                .hasSize(depth);
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @Test
    void propertiesBeyondTheLimitAreCounted() throws Exception {
        String many =
                IntStream.range(0, 10_050).mapToObj(i -> "\"p" + i + "\": 1").collect(Collectors.joining(","));
        Timeline timeline = load("{" + many + ", " + FRAMES + ", " + EVENTS + "}");

        assertThat(timeline.importStats().count(Reason.TOO_MANY_PROPERTIES)).isGreaterThanOrEqualTo(50);
        assertThat(rows(timeline)).contains("STACK=[main, work]");
    }

    private Timeline load(String document) throws Exception {
        return CoreFormats.load(TraceFile.of(folder, "trace.json", document));
    }

    private static String rows(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> TimelineDump.row(timeline, row))
                .collect(Collectors.joining("\n"));
    }
}
