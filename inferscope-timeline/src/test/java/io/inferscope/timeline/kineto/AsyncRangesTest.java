package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.traceevent.TraceEvent;
import io.inferscope.timeline.traceevent.TraceEventReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @Test
    void anEndMayStandBeforeItsBeginInTheFile() throws ImportException {
        Timeline timeline = events("""
                {"ph":"b","cat":"a","name":"x","id":1,"pid":5,"tid":1,"ts":20},
                {"ph":"e","cat":"a","name":"x","id":1,"pid":5,"tid":2,"ts":10},
                {"ph":"e","cat":"a","name":"x","id":1,"pid":5,"tid":2,"ts":30},
                {"ph":"b","cat":"a","name":"x","id":1,"pid":5,"tid":1,"ts":5}
                """);

        assertThat(rows(timeline))
                .containsExactly("ANNOTATION async a 1 [5000,10000) x", "ANNOTATION async a 1 [20000,30000) x");
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @Test
    void rangesWrittenWithTheirEndsDoNotOverlapOnALane() throws ImportException {
        Timeline timeline = events("""
                {"ph":"b","cat":"COLL","name":"AllReduce","id":1,"pid":5,"tid":1,"ts":10},
                {"ph":"e","cat":"COLL","name":"AllReduce","id":1,"pid":5,"tid":1,"ts":100},
                {"ph":"b","cat":"COLL","name":"AllGather","id":2,"pid":5,"tid":1,"ts":50},
                {"ph":"e","cat":"COLL","name":"AllGather","id":2,"pid":5,"tid":1,"ts":150}
                """);

        assertThat(rows(timeline))
                .containsExactly(
                        "ANNOTATION async COLL 1 [10000,100000) AllReduce",
                        "ANNOTATION async COLL 2 [50000,150000) AllGather");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theOrderOfTheFileDoesNotMatter(long seed) throws ImportException {
        Random random = new Random(seed);
        List<String> events = new ArrayList<>();
        for (int at = 0; at < 400; at++) {
            events.add("{\"ph\":\"%s\",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%d,\"pid\":%d,\"tid\":1,\"ts\":%d}"
                    .formatted(
                            "bbbbeeen".charAt(random.nextInt(8)),
                            random.nextBoolean() ? "a" : "b",
                            random.nextBoolean() ? "x" : "y",
                            random.nextInt(12),
                            random.nextInt(2),
                            at));
        }
        Timeline sorted = events(String.join(",\n", events));
        Collections.shuffle(events, random);
        Timeline shuffled = events(String.join(",\n", events));

        assertThat(rows(shuffled)).isEqualTo(rows(sorted));
        for (Reason reason : List.of(Reason.UNMATCHED_END, Reason.UNCLOSED_BEGIN)) {
            assertThat(shuffled.importStats().count(reason))
                    .isEqualTo(sorted.importStats().count(reason))
                    .isPositive();
        }
        long[] until = new long[shuffled.tracks().size()];
        for (int row = 0; row < shuffled.rowCount(); row++) {
            if (shuffled.kind(row) == RowKind.ANNOTATION) {
                assertThat(shuffled.startNs(row)).isGreaterThanOrEqualTo(until[shuffled.track(row)]);
                until[shuffled.track(row)] = shuffled.endNs(row);
            }
        }
    }

    /** Each operation of a communication library has an id of its own. */
    @Test
    void idsAreForgottenWhenTheirRangesEnd() throws Exception {
        StringBuilder events = new StringBuilder("[{\"ph\":\"b\",\"cat\":\"a\",\"name\":\"open\",\"id\":-1,\"ts\":0}");
        for (int id = 0; id < 1_000; id++) {
            events.append(",{\"ph\":\"b\",\"cat\":\"a\",\"name\":\"x\",\"id\":%d,\"ts\":%d}".formatted(id, 10 * id))
                    .append(",{\"ph\":\"e\",\"cat\":\"a\",\"name\":\"x\",\"id\":%d,\"ts\":%d}"
                            .formatted(id, 10 * id + 5));
        }
        TimelineBuilder builder = new TimelineBuilder();
        AsyncRanges ranges = new AsyncRanges(builder);
        TraceEventReader.create()
                .read(
                        new TraceSource(TraceFile.of(folder, "ids.json", events + "]")),
                        new TraceEventReader.Sink() {
                            @Override
                            public void property(String path, String value) {}

                            @Override
                            public void restart() {
                                ranges.clear();
                            }

                            @Override
                            public void event(TraceEvent event) {
                                if (event.phase() == 'b') {
                                    ranges.begin(event);
                                } else {
                                    ranges.end(event);
                                }
                            }
                        },
                        builder.stats());
        ranges.finish(20_000_000);

        assertThat(builder.rowCount()).isEqualTo(1_001);
        assertThat(ranges.openIds()).isEqualTo(1);
    }
}
