package io.inferscope.formats.jfr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.QuietMachine;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A flight recording made by the test itself. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class JfrImporterTest {
    private static final int FEWEST_SAMPLES = 10;

    @TempDir
    private static Path folder;

    private static Path recording;
    private static long recordedUnixNs;
    private static Timeline timeline;

    @BeforeAll
    static void record() throws Exception {
        recording = Files.createTempFile(folder, "service", ".jfr");
        recordedUnixNs = System.currentTimeMillis() * 1_000_000;
        JfrFixture.record(recording, 2);
        timeline = Formats.importers().load(recording);
    }

    /** Beside other load the JVM's sampler skips rounds, and waits begin late. */
    private static void judge(QuietMachine.Step check) throws Exception {
        QuietMachine.judge(JfrImporterTest::record, check);
    }

    @Test
    void samplesOfAThreadAtWorkHaveStacksThatEndInItsCode() throws Exception {
        judge(() -> {
            Track worker = thread("worker");
            List<Integer> samples = rows(worker, RowKind.STACK_SAMPLE);
            long sampledNs = samples.stream().mapToLong(timeline::durationNs).sum();

            assertThat(timeline.info().format()).isEqualTo("jfr");
            assertThat(samples).hasSizeGreaterThan(FEWEST_SAMPLES);
            assertThat(samples)
                    .allSatisfy(row -> assertThat(timeline.durationNs(row)).isBetween(0L, 200_000_000L));
            // How many samples a busy machine lets the JVM take is its own affair: each stands for about 20 ms.
            assertThat(sampledNs).isBetween(10_000_000L * samples.size(), 1_000_000_000L);
            assertThat(samples)
                    .anySatisfy(row -> assertThat(frames(row))
                            .anyMatch(
                                    f -> f.matches(
                                            "JfrFixture\\.java\\(\\d+\\): io\\.inferscope\\.formats\\.jfr\\.JfrFixture\\.tokenize"))
                            .anyMatch(f -> f.endsWith(": java.lang.Thread.run")));
        });
    }

    private static List<String> frames(int row) {
        return timeline.stacks().frames((int) timeline.attribute(row, Attribute.STACK));
    }

    @Test
    void waitsHaveTheirReasonAndLength() throws Exception {
        judge(() -> {
            Track waiter = thread("waiter");

            assertThat(waitedNs(waiter, WaitReason.TIMER, ns -> ns > 190_000_000))
                    .isGreaterThan(190_000_000);
            assertThat(waitedNs(waiter, WaitReason.LOCK, ns -> ns > 300_000_000))
                    .isGreaterThan(300_000_000);
            assertThat(waitedNs(waiter, WaitReason.FUTEX, ns -> ns > 40_000_000))
                    .isGreaterThan(140_000_000);
            List<Integer> states = rows(waiter, RowKind.THREAD_STATE);
            for (int i = 1; i < states.size(); i++) {
                assertThat(timeline.startNs(states.get(i))).isGreaterThanOrEqualTo(timeline.endNs(states.get(i - 1)));
            }
        });
    }

    @Test
    void waitsHaveTheirPlace() throws Exception {
        judge(() -> {
            Track waiter = thread("waiter");
            List<Integer> stacks = rows(waiter, RowKind.STACK_SAMPLE);

            for (int state : rows(waiter, RowKind.THREAD_STATE)) {
                assertThat(stacks)
                        .filteredOn(row -> timeline.startNs(row) == timeline.startNs(state)
                                && timeline.endNs(row) == timeline.endNs(state))
                        .singleElement()
                        .satisfies(row -> assertThat(frames(row))
                                .anyMatch(f -> f.matches("JfrFixture\\.java\\(\\d+\\): .*JfrFixture\\.waits")));
            }
            assertThat(rows(waiter, RowKind.THREAD_STATE)).hasSizeGreaterThan(3);
            for (int i = 1; i < stacks.size(); i++) {
                assertThat(timeline.startNs(stacks.get(i))).isGreaterThanOrEqualTo(timeline.endNs(stacks.get(i - 1)));
            }
        });
    }

    private static long waitedNs(Track thread, WaitReason reason, LongPredicate length) {
        return rows(thread, RowKind.THREAD_STATE).stream()
                .filter(row -> timeline.attribute(row, Attribute.WAIT_REASON) == reason.ordinal())
                .mapToLong(timeline::durationNs)
                .filter(length)
                .sum();
    }

    @Test
    void garbageCollectionStopsTheThreadsThatLived() {
        assertThat(rows(thread("worker"), RowKind.GC))
                .isNotEmpty()
                .allSatisfy(row -> assertThat(timeline.name(row)).startsWith("GC: "));
    }

    @Test
    void threadsAreKnownByTheirKernelIdAndTheProcessByItsOwn() {
        assertThat(thread("worker").key()).matches("\\d+");
        assertThat(timeline.tracks().get(thread("worker").parent()).key())
                .isEqualTo(Long.toString(ProcessHandle.current().pid()));
    }

    @Test
    void theAxisBeginsWithTheRecordingInUnixTime() {
        assertThat(timeline.originUnixNs()).isBetween(recordedUnixNs, recordedUnixNs + 60_000_000_000L);
        assertThat(timeline.startNs(0)).isBetween(-1_000_000_000L, 60_000_000_000L);
    }

    @Test
    void heapAndLoadAreCounters() {
        List<String> counters = timeline.tracks().stream()
                .filter(t -> t.kind() == TrackKind.COUNTER)
                .map(Track::key)
                .toList();

        assertThat(counters).contains("Java heap used, bytes", "JVM CPU load", "machine CPU load");
    }

    @Test
    void aRecordingInGzipIsTheSame() throws Exception {
        Path zipped = TraceFile.of(folder, "service.jfr.gz", TraceFile.gzip(Files.readAllBytes(recording)));

        assertThat(Formats.importers().load(zipped).rowCount()).isEqualTo(timeline.rowCount());
    }

    @Test
    void aCutRecordingGivesTheChunksBeforeTheCut() throws Exception {
        byte[] whole = Files.readAllBytes(recording);
        Timeline cut =
                Formats.importers().load(TraceFile.of(folder, "cut.jfr", Arrays.copyOf(whole, whole.length * 6 / 10)));

        assertThat(cut.rowCount()).isPositive().isLessThan(timeline.rowCount());
        assertThat(cut.importStats().count(Reason.TRUNCATED)).isEqualTo(1);
    }

    @Test
    void withoutAWholeChunkTheReasonAndTheRemedyAreSaid() throws Exception {
        byte[] whole = Files.readAllBytes(recording);
        assertThatThrownBy(
                        () -> Formats.importers().load(TraceFile.of(folder, "head.jfr", Arrays.copyOf(whole, 5_000))))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("head.jfr: it holds no complete chunk; dump the recording");
        assertThatThrownBy(() -> Formats.importers()
                        .load(TraceFile.of(folder, "bad.jfr", "FLR\0 is all".getBytes(StandardCharsets.UTF_8))))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("no complete chunk");
    }

    @Test
    void aDamagedRecordingNeverBreaksTheImporter() throws Exception {
        byte[] whole = Files.readAllBytes(recording);
        Random random = new Random(1);
        for (int i = 0; i < 60; i++) {
            byte[] damaged = whole.clone();
            for (int flips = 1 + random.nextInt(50); flips > 0; flips--) {
                damaged[68 + random.nextInt(whole.length - 68)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                Timeline read = Formats.importers().load(TraceFile.of(folder, "damaged.jfr", damaged));
                assertThat(IntStream.range(0, read.rowCount()).allMatch(r -> read.durationNs(r) >= 0))
                        .isTrue();
            } catch (ImportException refused) {
                assertThat(refused.getMessage()).contains("damaged.jfr: ").doesNotContain("\n");
            }
        }
    }

    private static Track thread(String name) {
        return timeline.tracks().stream()
                .filter(t -> t.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<Integer> rows(Track track, RowKind kind) {
        return IntStream.range(timeline.firstRow(track.id()), timeline.endRow(track.id()))
                .filter(row -> timeline.kind(row) == kind)
                .boxed()
                .toList();
    }
}
