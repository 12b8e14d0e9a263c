package io.inferscope.timeline.redact;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.RandomTimelines;
import io.inferscope.timeline.fixture.SameTimeline;
import io.inferscope.timeline.fixture.SharedTraces;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("traces")
class RedactionTest {
    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void realTracesKeepNoPlaceOfTheirMachine(Path trace) throws Exception {
        Timeline original = SharedTraces.timeline(trace);
        Timeline redacted = Redaction.of(original);
        assertThat(Redaction.texts(redacted))
                .noneMatch(text -> text.contains("/home/") || text.contains("/tmp/") || text.contains("/root/"))
                .noneMatch(text -> text.matches(".*(^|[\\s\"'(])/\\w+/\\w+.*"));
        assertThat(redacted.rowCount()).isEqualTo(original.rowCount());
        assertThat(redacted.links().count()).isEqualTo(original.links().count());
        assertThat(redacted.tracks()).hasSameSizeAs(original.tracks());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void redactionIsRepeatableAndIdempotent(long seed) {
        Timeline once = Redaction.of(RandomTimelines.of(seed));
        SameTimeline.assertSame(Redaction.of(RandomTimelines.of(seed)), once);
        SameTimeline.assertSame(Redaction.of(once), once);
    }

    @Test
    void everyTextIsRead() {
        TimelineBuilder builder = new TimelineBuilder();
        int process = builder.track(TrackKind.PROCESS, -1, "1");
        builder.trackName(process, "/home/asmith/run.py");
        int thread = builder.track(TrackKind.THREAD, process, "asmith@node1");
        int other = builder.track(TrackKind.THREAD, process, "asmith@node2");
        int row = builder.row(RowKind.STACK_SAMPLE, thread, 0, 5, builder.name("/home/asmith/x/y.py(1): f"));
        builder.attribute(row, Attribute.DETAIL, builder.name("PASSWORD=geheim"));
        builder.attribute(row, Attribute.WHERE, builder.name("/home/asmith/x/y.py:3"));
        builder.attribute(row, Attribute.STACK, builder.stack(-1, builder.name("/home/asmith/x/z.py(2): g")));
        builder.row(RowKind.ANNOTATION, other, 0, 5, builder.name("x"));
        builder.property("env.HOME", "/home/asmith");
        builder.property("api_key", "qwertz");
        builder.property("distributedInfo.rank", "3");
        Timeline redacted = Redaction.of(builder.build("test"));
        assertThat(Redaction.texts(redacted))
                .noneMatch(text -> text.contains("asmith") || text.contains("geheim") || text.contains("qwertz"))
                .contains("x/y.py(1): f", "x/y.py:3", "x/z.py(2): g", "run.py");
        assertThat(redacted.tracks()).hasSize(3);
        assertThat(redacted.properties())
                .containsEntry("distributedInfo.rank", "3")
                .containsEntry("inferscope.redacted", "1")
                .doesNotContainKey("env.HOME");
    }
}
