package io.inferscope.collectors;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.fixture.CoreFormats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every record that the Java writer stores comes back through the importer, from a fresh spool and from the golden ones of versions 1.0 and 1.1. */
class SpoolRoundTripTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden/spool-v1-java.spool");

    private static final Path GOLDEN_ONE_ONE = Path.of("src/test/resources/golden/spool-v1.1-java.spool");

    @TempDir
    Path folder;

    @Test
    void everyRecordComesBack() throws Exception {
        write(folder, System.nanoTime());
        check(CoreFormats.load(folder));
        checkOneOne(CoreFormats.load(folder));
        checkOneFour(CoreFormats.load(folder));
    }

    @Test
    void whatEndsAWaitIsAValueAndNoText() throws Exception {
        try (SpoolWriter writer = SpoolWriter.open(folder, "host", 0, 1 << 20)) {
            long t = System.nanoTime();
            for (WaitDetail detail : WaitDetail.values()) {
                long startNs = t + 100 * detail.ordinal();
                writer.write(new SpoolRecord.ThreadState(
                        startNs, startNs + 100, 0, 0, 43, 42, 1, 0, 0, 0, 0, detail.text(), 0, 0));
            }
            writer.write(
                    new SpoolRecord.ThreadState(t + 5000, t + 5100, 0, 0, 43, 42, 3, 0, 0, 0, 0, "epoll_wait", 0, 0));
        }
        Timeline timeline = CoreFormats.load(folder);
        assertThat(timeline.rows()
                        .filter(row -> timeline.kind(row) == RowKind.THREAD_STATE)
                        .mapToLong(row -> timeline.attribute(row, Attribute.WAIT_DETAIL)))
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, Attribute.ABSENT);
    }

    @Test
    void whatIsLoadedAndHowMuchIsKnownAreValues() throws Exception {
        try (SpoolWriter writer = SpoolWriter.open(folder, "python-probe", 42, 1 << 20)) {
            long t = System.nanoTime();
            for (String detail : List.of("same m.pt 1a", "again 95", "again", "again x", "again 999", "")) {
                writer.write(new SpoolRecord.Span(t, t + 9, 43, "f " + detail, 0, 0, "", 0, detail, 0, false));
            }
        }
        Timeline timeline = CoreFormats.load(folder);
        assertThat(timeline.rows()
                        .filter(row -> timeline.name(row).startsWith("f "))
                        .mapToObj(row -> timeline.name(row) + ": " + timeline.attributeText(row, Attribute.LOADED)
                                + ", " + Math.max(-1, timeline.attribute(row, Attribute.KNOWN_PERCENT))))
                .containsExactlyInAnyOrder(
                        "f same m.pt 1a: m.pt 1a, -1",
                        "f again 95: , 95",
                        "f again: , -1",
                        "f again x: , -1",
                        "f again 999: , -1",
                        "f : , -1");
    }

    @Test
    void goldenSpoolOfVersionOneOneIsRead() throws Exception {
        check(CoreFormats.load(GOLDEN_ONE_ONE));
        checkOneOne(CoreFormats.load(GOLDEN_ONE_ONE));
        checkHandOversAndRequests(CoreFormats.load(GOLDEN_ONE_ONE));
    }

    @Test
    void goldenSpoolOfVersionOneIsRead() throws Exception {
        check(CoreFormats.load(GOLDEN));
    }

    @Test
    void manyBlocksComeBackWhole() throws Exception {
        long t = System.nanoTime();
        try (SpoolWriter writer = SpoolWriter.open(folder, "host", 0, 1 << 26)) {
            for (int i = 0; i < 50_000; i++) {
                writer.write(new SpoolRecord.Span(t + i, t + i + 1, 1, "name " + i % 5000, 0, 0, "", 0, "", 7, false));
            }
        }
        Timeline timeline = CoreFormats.load(folder);
        assertThat(timeline.rowCount()).isEqualTo(50_001); // And the process itself.
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    private static void write(Path directory, long t) throws IOException {
        try (SpoolWriter writer = SpoolWriter.open(directory, "scope-java", 42, 1 << 20)) {
            writer.write(new SpoolRecord.ProcessLife(t, 42, 41, "JVM 17", "Infer", t + 900, 3, "boot"));
            writer.write(new SpoolRecord.Clock(t, 1_760_000_000_000_000_000L, 0, "realtime", 50));
            writer.write(new SpoolRecord.ThreadName(43, "würker", 42));
            writer.write(new SpoolRecord.Span(t + 100, t + 200, 43, "generate", 4, 1, "Infer.java:7", 0, "", 0, true));
            writer.write(new SpoolRecord.Span(t + 110, t + 120, 43, "to", 5, 2, "", 4096, "H2D", 0, false));
            writer.write(new SpoolRecord.Mark(t + 150, 43, "token", "{\"n\":1}", 0));
            writer.write(new SpoolRecord.ThreadState(
                    t, t + 900, 300, 200, 43, 42, 3, 1, 2, 3, 4, "epoll_wait", 0x7f00_1234_5678L, 44));
            writer.write(new SpoolRecord.Coverage("scope", "because", 6, 1, 42, 2));
            writer.write(new SpoolRecord.Counter(t + 500, 0.5, "GPU utilisation", 42));
            writer.write(new SpoolRecord.Overhead(1_000, 2_000, "scope", 42, 6));
            writer.write(new SpoolRecord.Frame(1, "main", "/a/serve.py", 31, 0));
            writer.write(new SpoolRecord.Frame(2, "get", "/lib/queue.py", 0, 0));
            writer.write(new SpoolRecord.Stack(1, 0, 1));
            writer.write(new SpoolRecord.Stack(2, 1, 2));
            writer.write(new SpoolRecord.StackSample(t + 10, t + 20, 43, 42, 2, 3, 2, 44, t + 16, t + 8, 5, 12));
            writer.write(new SpoolRecord.Note("rank", "2", 42));
            writer.write(new SpoolRecord.Note("role", "server", 0));
        }
    }

    private static void check(Timeline timeline) {
        assertThat(timeline.importStats().entries()).isEmpty();
        assertThat(timeline.tracks()).extracting(Track::name).contains("würker", "GPU utilisation");
        int generate = row(timeline, "generate");
        assertThat(timeline.durationNs(generate)).isEqualTo(100);
        assertThat(timeline.attribute(generate, Attribute.USER_SCOPE)).isEqualTo(1);
        assertThat(timeline.attributeText(generate, Attribute.WHERE)).isEqualTo("Infer.java:7");
        int copy = row(timeline, "to");
        assertThat(timeline.parent(copy)).isEqualTo(generate);
        assertThat(timeline.attribute(copy, Attribute.SIZE_BYTES)).isEqualTo(4096);
        assertThat(timeline.attributeText(copy, Attribute.DETAIL)).isEqualTo("H2D");
        assertThat(timeline.attributeText(row(timeline, "token"), Attribute.DETAIL))
                .isEqualTo("{\"n\":1}");
        int state = row(timeline, "blocked: socket");
        assertThat(timeline.attribute(state, Attribute.ON_CPU_NS)).isEqualTo(300);
        assertThat(timeline.attribute(state, Attribute.PAGE_FAULTS)).isEqualTo(3);
        assertThat(timeline.attributeText(state, Attribute.DETAIL)).isEqualTo("epoll_wait");
        int counter = row(timeline, "GPU utilisation");
        assertThat(timeline.kind(counter)).isEqualTo(RowKind.COUNTER);
        assertThat(Double.longBitsToDouble(timeline.attribute(counter, Attribute.COUNTER_VALUE)))
                .isEqualTo(0.5);
        assertThat(timeline.durationNs(row(timeline, "Infer"))).isEqualTo(900);
        assertThat(timeline.info().coverage()).hasSize(1);
        assertThat(timeline.info().overheads()).hasSize(1);
    }

    private static void checkOneOne(Timeline timeline) {
        assertThat(timeline.tracks()).extracting(Track::name).contains("Infer (rank 2)", "würker", "GPU utilisation");
        int state = row(timeline, "blocked: socket");
        assertThat(timeline.attribute(state, Attribute.FUTEX)).isEqualTo(0x7f00_1234_5678L);
        assertThat(timeline.attribute(state, Attribute.OTHER_THREAD)).isEqualTo(44);
        int sample = row(timeline, "get [queue.py]");
        assertThat(timeline.stacks().frames((int) timeline.attribute(sample, Attribute.STACK)))
                .containsExactly("/a/serve.py(31): main", "get [queue.py]");
        assertThat(timeline.attribute(sample, Attribute.SAMPLES)).isEqualTo(3);
        assertThat(timeline.attribute(sample, Attribute.GIL)).isEqualTo(2);
        assertThat(timeline.attribute(sample, Attribute.OTHER_THREAD)).isEqualTo(44);
        assertThat(timeline.properties()).containsEntry("process.42.rank", "2").containsEntry("run.role", "server");
    }

    private static void checkHandOversAndRequests(Timeline timeline) {
        assertThat(timeline.tracks())
                .extracting(Track::name)
                .containsExactly("Infer (rank 2)", "würker", "44", "GPU utilisation", "requests 1");
        assertThat(timeline.links().count()).isEqualTo(1);
        assertThat(timeline.links().fromRow(0)).isEqualTo(row(timeline, "gives queue jobs"));
        assertThat(timeline.links().toRow(0)).isEqualTo(row(timeline, "takes queue jobs"));
        assertThat(timeline.links().confidencePercent(0)).isEqualTo(100);
        assertThat(timeline.durationNs(row(timeline, "takes queue jobs"))).isEqualTo(60);
        int request = row(timeline, "POST /v1");
        assertThat(timeline.durationNs(request)).isEqualTo(300);
        assertThat(timeline.attribute(request, Attribute.FIRST_ANSWER_NS)).isEqualTo(50);
        assertThat(timeline.attribute(request, Attribute.ITEMS)).isEqualTo(12);
    }

    private static void checkOneFour(Timeline timeline) {
        int sample = row(timeline, "get [queue.py]");
        assertThat(timeline.attribute(sample, Attribute.LOOKED_NS)).isEqualTo(6);
        assertThat(timeline.attribute(sample, Attribute.FRAMES_READ_NS)).isEqualTo(-2);
        assertThat(timeline.attribute(sample, Attribute.COLUMNS)).isEqualTo(5 << 16 | 12);
    }

    private static int row(Timeline timeline, String name) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.name(row).equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Writes the golden file anew: only when the format itself gets a new version. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createTempDirectory("golden");
        write(directory, System.nanoTime());
        try (var files = Files.list(directory)) {
            Files.createDirectories(GOLDEN_ONE_ONE.getParent());
            Files.copy(files.findFirst().orElseThrow(), GOLDEN_ONE_ONE);
        }
    }
}
