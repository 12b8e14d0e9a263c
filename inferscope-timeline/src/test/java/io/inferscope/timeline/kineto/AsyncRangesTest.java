package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Begin, instant and end events that a category and an id tie together, as NCCL's profiler plug-in and Chrome write them. */
class AsyncRangesTest {
    @TempDir
    private Path folder;

    private Timeline events(String events) throws ImportException {
        return CoreFormats.load(TraceFile.of(folder, "trace.json", "{\"traceEvents\": [" + events + "]}"));
    }

    private static List<String> rows(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> TimelineDump.row(timeline, row))
                .toList();
    }

    @Test
    void rangesThatOverlapAreOnLanesOfTheirOwn() throws ImportException {
        Timeline timeline = events("""
                {"ph":"b","cat":"NET","name":"Send","id":"0x1","pid":5,"tid":1,"ts":10},
                {"id":2,"name":"Recv","cat":"NET","ts":12,"pid":5,"tid":1,"ph":"b"},
                {"ph":"n","cat":"NET","name":"chunk","id":"0x1","pid":5,"tid":1,"ts":13},
                {"ph":"e","cat":"NET","name":"Send","id":"0x1","pid":5,"tid":9,"ts":20},
                {"ph":"b","cat":"NET","name":"Send","id":"0x3","pid":5,"tid":1,"ts":21},
                {"ph":"e","cat":"NET","name":"Recv","id":2,"pid":5,"tid":1,"ts":30},
                {"ph":"e","cat":"NET","name":"Send","id":"0x3","pid":5,"tid":1,"ts":40}
                """);

        assertThat(rows(timeline))
                .containsExactlyInAnyOrder(
                        "ANNOTATION async NET 1 [10000,20000) Send",
                        "INSTANT async NET 1 [13000,13000) chunk",
                        "ANNOTATION async NET 1 [21000,40000) Send",
                        "ANNOTATION async NET 2 [12000,30000) Recv");
        assertThat(timeline.importStats().count(Reason.UNKNOWN_PHASE)).isZero();
    }

    @Test
    void equalIdsOfOtherCategoriesAndLocalOnesOfOtherProcessesAreOthers() throws ImportException {
        Timeline timeline = events("""
                {"ph":"b","cat":"a","name":"x","id":1,"pid":5,"tid":1,"ts":10},
                {"ph":"b","cat":"b","name":"x","id":1,"pid":5,"tid":1,"ts":11},
                {"ph":"b","cat":"c","name":"x","id2":{"local":"0x1"},"pid":5,"tid":1,"ts":12},
                {"ph":"b","cat":"c","name":"x","id2":{"local":"0x1"},"pid":6,"tid":1,"ts":13},
                {"ph":"e","cat":"c","name":"x","id2":{"local":"0x1"},"pid":6,"tid":1,"ts":20},
                {"ph":"e","cat":"c","name":"x","id2":{"local":"0x1"},"pid":5,"tid":1,"ts":21},
                {"ph":"e","cat":"b","name":"x","id":1,"pid":5,"tid":1,"ts":22},
                {"ph":"e","cat":"a","name":"x","id":1,"pid":5,"tid":1,"ts":23}
                """);

        assertThat(IntStream.range(0, 4).mapToLong(timeline::durationNs))
                .containsExactlyInAnyOrder(13_000L, 11_000L, 9_000L, 7_000L);
    }

    @Test
    void endsWithoutBeginsAndBeginsWithoutEndsAreCounted() throws ImportException {
        Timeline timeline = events("""
                {"ph":"e","cat":"a","name":"x","id":1,"pid":5,"tid":1,"ts":10},
                {"ph":"b","cat":"a","name":"y","id":1,"pid":5,"tid":1,"ts":11},
                {"ph":"X","cat":"cpu_op","name":"z","pid":5,"tid":1,"ts":11,"dur":9}
                """);

        assertThat(timeline.importStats().count(Reason.UNMATCHED_END)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.UNCLOSED_BEGIN)).isEqualTo(1);
        assertThat(rows(timeline)).contains("ANNOTATION async a 1 [11000,20000) y");
    }
}
