package io.inferscope.timeline.spool;

import static io.inferscope.timeline.spool.SpoolFixture.OPENED_NS;
import static io.inferscope.timeline.spool.SpoolFixture.UNIX_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.kineto.KinetoExporter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SpoolImporterTest {
    private static final Path GOLDEN = Path.of("../python/tests/golden/spool-v1.spool");
    private static final long T = OPENED_NS;

    @TempDir
    Path folder;

    @Test
    void spansBecomeAnnotationsOnTheirThread() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int name = spool.text("tokenize");
        Timeline timeline = load(spool.span(T + 5, T + 9, 11, name, 1, 1).seal());
        int row = only(timeline, RowKind.ANNOTATION);
        assertThat(timeline.name(row)).isEqualTo("tokenize");
        assertThat(timeline.startNs(row)).isEqualTo(T + 5);
        assertThat(timeline.endNs(row)).isEqualTo(T + 9);
        assertThat(timeline.attribute(row, Attribute.ACTIVITY)).isEqualTo(RangeActivity.TOKENIZATION.ordinal());
        assertThat(timeline.attribute(row, Attribute.USER_SCOPE)).isEqualTo(1);
        assertThat(timeline.tracks().get(timeline.track(row)).key()).isEqualTo("11");
        assertThat(timeline.originUnixNs()).isEqualTo(UNIX_NS - OPENED_NS);
    }

    @Test
    void laterStretchesOfACoroutineKnowWhenItsCallBegan() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int name = spool.text("HTTP GET");
        spool.span(T + 5, T + 9, 11, name, 0, 0);
        spool.stretch(T + 25, T + 29, 11, name, T + 5);
        spool.stretch(T + 35, T + 39, 11, name, 0).seal(); // An older writer's.
        Timeline timeline = load(spool);
        assertThat(IntStream.range(0, timeline.rowCount())
                        .filter(row -> timeline.kind(row) == RowKind.ANNOTATION)
                        .mapToLong(row -> timeline.attribute(row, Attribute.CALL_START_NS)))
                .containsExactly(Attribute.ABSENT, 20L, Attribute.ABSENT);
        assertThat(timeline.has(Attribute.DETAIL)).as("no value to show").isFalse();
    }

    @Test
    void openSpanEndsWithItsProcessWhicheverFileComesFirst() throws Exception {
        SpoolFixture probe = new SpoolFixture(10, "python-probe");
        probe.span(T + 5, 0, 10, probe.text("forward"), 4, 0).open(64);
        SpoolFixture host = new SpoolFixture(0, "host");
        host.process(T + 1, 10, 1, host.text("python3.11"), T + 100, -9).seal();
        Timeline timeline = load(probe, host);
        int row = only(timeline, RowKind.ANNOTATION);
        assertThat(timeline.endNs(row)).isEqualTo(T + 100);
        assertThat(timeline.importStats().count(Reason.OPEN_SPAN)).isEqualTo(1);
        int process = only(timeline, RowKind.PROCESS);
        assertThat(timeline.startNs(process)).isEqualTo(T + 1);
        assertThat(timeline.endNs(process)).isEqualTo(T + 100);
        assertThat(timeline.tracks().get(timeline.track(process)).name()).isEqualTo("python3.11");
    }

    @Test
    void openSpanOfAKilledRecordingEndsWhereAnySpoolLastSawItsProcess() throws Exception {
        SpoolFixture host = new SpoolFixture(0, "host");
        host.process(T, 10, 1, host.text("python3.11"), 0, 0);
        host.threadState(T, T + 900, 10, 20, 11, 10, 1).open(64);
        SpoolFixture probe = new SpoolFixture(10, "python-probe");
        probe.process(T + 3, 10, 1, probe.text("infer.py"), 0, 0);
        probe.span(T + 3, 0, 11, probe.text("infer.py"), RangeActivity.INTERPRETER.ordinal(), 0);
        probe.span(T + 5, 0, 11, probe.text("forward"), 4, 0).open(64);
        for (Timeline timeline : List.of(load(host, probe), load(probe, host))) {
            assertThat(IntStream.of(rows(timeline, RowKind.ANNOTATION))
                            .mapToObj(row -> timeline.name(row) + " ends at " + (timeline.endNs(row) - T)))
                    .containsExactly("interpreter start-up ends at 3", "infer.py ends at 900", "forward ends at 900");
            assertThat(timeline.endNs(only(timeline, RowKind.PROCESS))).isEqualTo(T + 900);
        }
    }

    @Test
    void afterTheHostsRecorderWasKilledNothingIsClaimed() throws Exception {
        SpoolFixture host = new SpoolFixture(0, "host");
        host.process(T, 10, 1, host.text("python3.11"), 0, 0);
        host.threadState(T, T + 350, 300, 20, 11, 10, 1).open(64);
        SpoolFixture probe = new SpoolFixture(10, "python-probe");
        probe.process(T + 3, 10, 1, probe.text("infer.py"), T + 600, 0);
        probe.span(T + 3, T + 590, 11, probe.text("infer.py"), RangeActivity.INTERPRETER.ordinal(), 0);
        probe.span(T + 5, T + 100, 11, probe.text("seen by both"), 4, 0);
        probe.span(T + 400, T + 500, 11, probe.text("seen by the probe alone"), 4, 0);
        probe.span(T + 300, 0, 11, probe.text("open"), 4, 0).seal();
        for (Timeline timeline : List.of(load(host, probe), load(probe, host))) {
            assertThat(IntStream.of(rows(timeline, RowKind.ANNOTATION))
                            .mapToObj(row -> timeline.name(row) + " ends at " + (timeline.endNs(row) - T)))
                    .containsExactlyInAnyOrder(
                            "interpreter start-up ends at 3",
                            "infer.py ends at 350",
                            "seen by both ends at 100",
                            "open ends at 350");
            assertThat(timeline.endNs(only(timeline, RowKind.PROCESS))).isEqualTo(T + 350);
            assertThat(timeline.attribute(only(timeline, RowKind.THREAD_STATE), Attribute.ON_CPU_NS))
                    .isEqualTo(300);
            assertThat(timeline.info().coverage()).singleElement().satisfies(said -> {
                assertThat(said.missing()).isEqualTo(2); // The span and the shutdown.
                assertThat(said.why()).contains("cut off", "left out");
            });
            Path merged = folder.resolve("merged.json");
            KinetoExporter.write(timeline, merged);
            assertThat(CoreFormats.load(merged).rowCount()).isEqualTo(timeline.rowCount());
        }
    }

    @Test
    void recordingWithoutTheCommandsEndWasCut() throws Exception {
        SpoolFixture killed = new SpoolFixture(0, "host");
        killed.process(T, 10, 1, killed.text("python3.11"), 0, 0);
        killed.process(T + 1, 11, 10, killed.text("sh"), T + 50, 0).seal();
        assertThat(load(killed).importStats().count(Reason.RECORDING_CUT)).isEqualTo(1);
        SpoolFixture whole = new SpoolFixture(0, "host");
        int name = whole.text("python3.11");
        whole.process(T, 10, 1, name, 0, 0).process(T, 10, 1, name, T + 60, 3).seal();
        assertThat(load(whole).importStats().entries()).isEmpty();
    }

    @Test
    void exitCodeIsTheCommandsAndSurvivesTheMergedTrace() throws Exception {
        SpoolFixture host = new SpoolFixture(0, "host");
        int name = host.text("python3.11");
        host.process(T, 10, 1, name, 0, 0).process(T + 1, 11, 10, name, T + 40, 7);
        host.process(T, 10, 1, name, T + 60, -9).seal();
        Timeline timeline = load(host);
        assertThat(timeline.properties()).containsEntry("inferscope.exit_code", "-9");
        Path merged = folder.resolve("merged.json");
        KinetoExporter.write(timeline, merged);
        assertThat(CoreFormats.load(merged).properties()).containsEntry("inferscope.exit_code", "-9");
    }

    @Test
    void exitCodeOfARunningCommandIsNotKnown() throws Exception {
        SpoolFixture host = new SpoolFixture(0, "host");
        host.process(T, 10, 1, host.text("python3.11"), 0, 0).seal();
        assertThat(load(host).properties()).doesNotContainKey("inferscope.exit_code");
    }

    @Test
    void recordingThatWasClosedInOrderWasNotCut() throws Exception {
        SpoolFixture host = new SpoolFixture(0, "host");
        byte[] bytes = host.process(T, 10, 1, host.text("true"), 0, 0).seal().bytes();
        bytes[20] = 1;
        assertThat(load(bytes).importStats().entries()).isEmpty();
    }

    @Test
    void nameGivenInsideTheProcessWinsOverTheHosts() throws Exception {
        SpoolFixture host = new SpoolFixture(0, "host");
        host.process(T, 10, 1, host.text("python3.11"), T + 50, 0).seal();
        SpoolFixture probe = new SpoolFixture(10, "python-probe");
        probe.process(T + 3, 10, 1, probe.text("infer.py"), 0, 0).seal();
        assertThat(load(host, probe).tracks().get(0).name()).isEqualTo("infer.py");
        assertThat(load(probe, host).tracks().get(0).name()).isEqualTo("infer.py");
    }

    /** A thread lived for 100 ns, 40 of them on a CPU and 20 ready for one; from outside 20 ns were seen, 10 of them on a CPU. */
    @Test
    void whatABriefThreadCountedItselfFillsTheGapsOfWhatWasSampled() throws Exception {
        SpoolFixture probe = new SpoolFixture(10, "python-probe")
                .threadState(T, T + 100, 40, 20, 11, 0, 0)
                .seal();
        SpoolFixture host = new SpoolFixture(0, "host")
                .threadState(T + 20, T + 40, 10, 0, 11, 10, 1)
                .threadState(T, T + 200, 10, 0, 12, 9, 1)
                .seal();
        Timeline timeline = load(probe, host);

        int[] rows = IntStream.of(rows(timeline, RowKind.THREAD_STATE))
                .filter(row -> timeline.tracks().get(timeline.track(row)).key().equals("11"))
                .toArray();
        assertThat(rows).hasSize(3);
        assertThat(IntStream.of(rows).mapToLong(timeline::startNs)).containsExactly(T, T + 20, T + 40);
        assertThat(IntStream.of(rows).mapToLong(timeline::endNs)).containsExactly(T + 20, T + 40, T + 100);
        assertThat(IntStream.of(rows).mapToLong(row -> timeline.attribute(row, Attribute.ON_CPU_NS)))
                .containsExactly(8L, 10L, 23L);
        assertThat(IntStream.of(rows).mapToLong(row -> timeline.attribute(row, Attribute.RUNNABLE_NS)))
                .containsExactly(5L, 0L, 15L);
    }

    @Test
    void threadStatesCarryTheirSharesAndTheLargestNamesThem() throws Exception {
        SpoolFixture host = new SpoolFixture(0, "host");
        host.threadState(T, T + 100, 10, 20, 11, 10, 1)
                .threadState(T + 100, T + 200, 60, 0, 11, 10, 0)
                .seal();
        Timeline timeline = load(host);
        int[] rows = rows(timeline, RowKind.THREAD_STATE);
        assertThat(IntStream.of(rows).mapToObj(timeline::name)).containsExactly("blocked: futex", "running");
        assertThat(timeline.attribute(rows[0], Attribute.ON_CPU_NS)).isEqualTo(10);
        assertThat(timeline.attribute(rows[0], Attribute.RUNNABLE_NS)).isEqualTo(20);
        assertThat(timeline.attribute(rows[0], Attribute.WAIT_REASON)).isEqualTo(WaitReason.FUTEX.ordinal());
        assertThat(timeline.attribute(rows[0], Attribute.PAGE_FAULTS)).isEqualTo(5);
    }

    @Test
    void textMayBeStoredAfterTheRecordThatNamesIt() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe").span(T + 5, T + 9, 11, 1, 0, 0);
        spool.text("later");
        assertThat(load(spool.seal()).name(0)).isEqualTo("later");
    }

    @Test
    void lostTextIsCounted() throws Exception {
        Timeline timeline = load(new SpoolFixture(10, "python-probe")
                .span(T + 5, T + 9, 11, 77, 0, 0)
                .seal());
        assertThat(timeline.importStats().count(Reason.BAD_TEXT)).isEqualTo(1);
    }

    @Test
    void wrongChecksumIsCountedAndRecordsAreUsed() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        byte[] bytes =
                spool.span(T + 5, T + 9, 11, spool.text("kept"), 0, 0).seal().bytes();
        bytes[64 + 12] ^= 1;
        Timeline timeline = load(bytes);
        assertThat(timeline.importStats().count(Reason.BAD_CHECKSUM)).isEqualTo(1);
        assertThat(rows(timeline, RowKind.ANNOTATION)).hasSize(1);
    }

    @Test
    void senselessRecordEndsItsBlockAndTheNextIsRead() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int name = spool.text("good");
        spool.span(T + 1, T + 2, 11, name, 0, 0)
                .raw(new byte[] {5, 0, 0, 0, 3, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1})
                .open(0);
        spool.span(T + 3, T + 4, 11, name, 0, 0).seal();
        Timeline timeline = load(spool);
        assertThat(rows(timeline, RowKind.ANNOTATION)).hasSize(2);
        assertThat(timeline.importStats().count(Reason.BAD_RECORD)).isEqualTo(1);
    }

    @Test
    void damagedCapacityDoesNotHideTheNextBlock() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int name = spool.text("good");
        spool.span(T + 1, T + 2, 11, name, 0, 0)
                .raw(new byte[] {9, 9, 9, 9, 9, 9, 9, 9})
                .block(1 << 20, 0, 0, 0);
        spool.span(T + 3, T + 4, 11, name, 0, 0).seal();
        assertThat(rows(load(spool), RowKind.ANNOTATION)).hasSize(2);
    }

    @Test
    void junkBetweenBlocksIsSkippedAndCountedAndZerosAtTheEndAreNothing() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int name = spool.text("good");
        spool.span(T + 1, T + 2, 11, name, 0, 0).seal().outside("junkjunk".getBytes(StandardCharsets.US_ASCII));
        spool.span(T + 3, T + 4, 11, name, 0, 0).seal().outside(new byte[4096]);
        Timeline timeline = load(spool);
        assertThat(rows(timeline, RowKind.ANNOTATION)).hasSize(2);
        assertThat(timeline.importStats().count(Reason.BAD_RECORD)).isEqualTo(1);
        assertThat(timeline.importStats().entries()).hasSize(1);
    }

    @Test
    void fileCutInsideABlockGivesWhatIsThere() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int name = spool.text("good");
        byte[] bytes = spool.span(T + 1, T + 2, 11, name, 0, 0)
                .span(T + 3, T + 4, 11, name, 0, 0)
                .seal()
                .bytes();
        Timeline timeline = load(java.util.Arrays.copyOf(bytes, bytes.length - 20));
        assertThat(rows(timeline, RowKind.ANNOTATION)).hasSize(1);
        assertThat(timeline.importStats().count(Reason.TRUNCATED)).isEqualTo(1);
    }

    @Test
    void laterVersionsAddTypesAndFields() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int name = spool.text("longer body");
        spool.record(
                5,
                0,
                SpoolFixture.buffer(64).putLong(T + 1).putLong(T + 2).putInt(11).putInt(name));
        spool.record(
                5,
                0,
                SpoolFixture.buffer(24).putLong(T + 3).putLong(T + 4).putInt(11).putInt(name));
        spool.record(200, 0, SpoolFixture.buffer(16)).seal();
        Timeline timeline = load(spool);
        assertThat(rows(timeline, RowKind.ANNOTATION)).hasSize(2);
        assertThat(timeline.importStats().count(Reason.UNKNOWN_RECORD)).isEqualTo(1);
    }

    @Test
    void impossibleTimesAreDropped() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int name = spool.text("bad");
        spool.span(T + 9, T + 5, 11, name, 0, 0).span(-5, T, 11, name, 0, 0).span(Long.MAX_VALUE, 0, 11, name, 0, 0);
        Timeline timeline = load(spool.seal());
        assertThat(timeline.importStats().count(Reason.BAD_TIMESTAMP)).isEqualTo(3);
        assertThat(rows(timeline, RowKind.ANNOTATION)).isEmpty();
    }

    @Test
    void whatTheRecorderDroppedIsInTheStatistics() throws Exception {
        byte[] bytes = new SpoolFixture(10, "python-probe").bytes();
        bytes[40] = 7;
        assertThat(load(bytes).importStats().count(Reason.RECORDER_DROPPED)).isEqualTo(7);
        bytes[20] |= 2;
        assertThat(load(bytes).importStats().count(Reason.DISK_FULL)).isEqualTo(7);
        bytes[20] = 4;
        assertThat(load(bytes).importStats().count(Reason.CANNOT_GROW)).isEqualTo(7);
    }

    @Test
    void openSpanEndsWhereItsProcessReplacedItsProgram() throws Exception {
        SpoolFixture first = new SpoolFixture(10, "python-probe");
        first.process(T + 1, 10, 1, first.text("launch.py"), 0, 0);
        first.span(T + 5, 0, 10, first.text("before exec"), 4, 0).open(64);
        SpoolFixture second = new SpoolFixture(10, "python-probe");
        second.process(T + 50, 10, 1, second.text("serve.py"), T + 100, 0).seal();
        Timeline timeline = load(first, second);
        assertThat(timeline.endNs(only(timeline, RowKind.ANNOTATION))).isEqualTo(T + 50);
    }

    @Test
    void interpreterStartsOnceAndStopsOnceHoweverManyProgramsItsProcessRan() throws Exception {
        SpoolFixture host = new SpoolFixture(0, "host");
        host.process(T, 10, 1, host.text("python3"), T + 100, 0).seal();
        SpoolFixture first = new SpoolFixture(10, "python-probe");
        first.process(T + 10, 10, 1, first.text("launch.py"), 0, 0);
        first.span(T + 10, 0, 10, first.text("launch.py"), 9, 0).open(64);
        SpoolFixture second = new SpoolFixture(10, "python-probe");
        second.process(T + 50, 10, 1, second.text("serve.py"), 0, 0);
        second.span(T + 50, T + 90, 10, second.text("serve.py"), 9, 0).seal();

        Timeline timeline = load(host, first, second);

        List<String> ranges = IntStream.of(rows(timeline, RowKind.ANNOTATION))
                .mapToObj(
                        row -> timeline.name(row) + " " + (timeline.startNs(row) - T) + "-" + (timeline.endNs(row) - T))
                .toList();
        assertThat(ranges)
                .containsExactly(
                        "interpreter start-up 0-10",
                        "launch.py 10-50",
                        "serve.py 50-90",
                        "interpreter shutdown 90-100");
        assertThat(IntStream.of(rows(timeline, RowKind.ANNOTATION))
                        .mapToObj(row -> RangeActivity.values()[(int) timeline.attribute(row, Attribute.ACTIVITY)]))
                .startsWith(RangeActivity.LOAD)
                .endsWith(RangeActivity.INTERPRETER);
    }

    @Test
    void recordThatItsWriterDidNotFinishIsCounted() throws Exception {
        SpoolFixture probe = new SpoolFixture(10, "python-probe");
        probe.span(T, T + 1, 1, probe.text("x"), 0, 0);
        probe.record(31, 0, ByteBuffer.allocate(48)).open(64);
        Timeline timeline = load(probe);
        assertThat(timeline.importStats().count(Reason.UNFINISHED_RECORD)).isEqualTo(1);
        assertThat(rows(timeline, RowKind.ANNOTATION)).hasSize(1);
    }

    @Test
    void newerMajorVersionIsRefusedAndOtherFilesAreUsed() throws Exception {
        byte[] newer = new SpoolFixture(10, "python-probe").bytes();
        newer[8] = 2;
        Files.write(folder.resolve("a.spool"), newer);
        assertThatThrownBy(() -> CoreFormats.load(folder))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("version 2");
        SpoolFixture good = new SpoolFixture(11, "python-probe");
        Files.write(
                folder.resolve("b.spool"),
                good.span(T, T + 1, 1, good.text("x"), 0, 0).seal().bytes());
        assertThat(CoreFormats.load(folder).importStats().count(Reason.MALFORMED))
                .isEqualTo(1);
    }

    @Test
    void goldenSpoolOfThePythonProbeIsRead() throws Exception {
        Timeline timeline = load(Files.readAllBytes(GOLDEN));
        List<String> names = IntStream.of(rows(timeline, RowKind.ANNOTATION))
                .mapToObj(timeline::name)
                .toList();
        assertThat(names).contains("infer.py", "tokenization", "tokenize", "still open");
        assertThat(timeline.tracks().stream()
                        .filter(t -> t.kind() == TrackKind.THREAD)
                        .map(t -> t.name()))
                .containsExactly("MainThread", "worker");
        assertThat(rows(timeline, RowKind.GC)).hasSize(1);
        assertThat(rows(timeline, RowKind.INSTANT)).hasSize(2);
        assertThat(timeline.info().coverage()).extracting(c -> c.source()).containsExactly("hook:lib.gone");
        assertThat(timeline.info().overheads()).hasSize(1);
        assertThat(timeline.importStats().count(Reason.OPEN_SPAN)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.UNKNOWN_RECORD)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.RECORDER_DROPPED)).isEqualTo(1);
        assertThat(timeline.importStats().entries()).hasSize(3);
    }

    private Timeline load(SpoolFixture... spools) throws IOException, ImportException {
        Path directory = Files.createTempDirectory(folder, "run");
        for (int i = 0; i < spools.length; i++) {
            Files.write(directory.resolve(i + ".spool"), spools[i].bytes());
        }
        return CoreFormats.load(directory);
    }

    private Timeline load(byte[] spool) throws IOException, ImportException {
        return CoreFormats.load(Files.write(folder.resolve("single"), spool));
    }

    private static int only(Timeline timeline, RowKind kind) {
        int[] rows = rows(timeline, kind);
        assertThat(rows).hasSize(1);
        return rows[0];
    }

    private static int[] rows(Timeline timeline, RowKind kind) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == kind)
                .toArray();
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aPipeAmongTheSpoolsIsNotWaitedFor() throws Exception {
        Files.copy(GOLDEN, folder.resolve("good.spool"));
        for (String pipe : List.of("a.spool", "z.spool")) {
            assertThat(new ProcessBuilder("mkfifo", folder.resolve(pipe).toString())
                            .start()
                            .waitFor())
                    .isZero();
        }
        assertThat(SpoolSummary.of(folder)).hasSize(1);
        assertThat(CoreFormats.load(folder).rowCount()).isPositive();
    }

    @Test
    @Tag("slow")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aSparseFileOfATerabyteIsReadAsFarAsItHoldsAnything() throws Exception {
        Path sparse = Files.copy(GOLDEN, folder.resolve("sparse.spool"));
        try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
            file.setLength(1L << 40);
        }
        Timeline timeline = CoreFormats.load(folder);
        assertThat(timeline.rowCount()).isEqualTo(CoreFormats.load(GOLDEN).rowCount());
        assertThat(timeline.importStats().count(Reason.TRUNCATED)).isPositive();
    }
}
