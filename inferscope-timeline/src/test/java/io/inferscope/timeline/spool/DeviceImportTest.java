package io.inferscope.timeline.spool;

import static io.inferscope.timeline.spool.SpoolFixture.OPENED_NS;
import static io.inferscope.timeline.spool.SpoolFixture.UNIX_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.DeviceWindows;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RecordingPace;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Device records of spools, and the clock on which their stamps are. */
class DeviceImportTest {
    private static final Path GOLDEN = Path.of("../inferscope-collectors/src/test/resources/golden");
    private static final long MS = 1_000_000;

    @TempDir
    Path folder;

    private int name;

    private SpoolFixture agent(int pid) {
        SpoolFixture spool = new SpoolFixture(pid, "cuda-agent");
        name = spool.text("gemm");
        return spool.lane(1, 0, 1, 7);
    }

    private Timeline load(SpoolFixture... spools) throws Exception {
        for (int i = 0; i < spools.length; i++) {
            Files.write(folder.resolve(i + ".spool"), spools[i].seal().bytes());
        }
        return CoreFormats.load(folder);
    }

    private static List<Long> startsMs(Timeline timeline, RowKind kind) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == kind)
                .mapToObj(row -> (timeline.startNs(row) - OPENED_NS) / MS)
                .sorted()
                .toList();
    }

    /** Readings every 200 ms from {@code fromMs} to {@code toMs}, with CUPTI's clock that far from Unix time. */
    private static void readings(SpoolFixture spool, int fromMs, int toMs, long stepNs) {
        for (long ms = fromMs; ms <= toMs; ms += 200) {
            spool.reading(OPENED_NS + ms * MS, UNIX_NS + ms * MS + stepNs, 0, 20);
        }
    }

    @Test
    void goldenSpoolOfVersionOneTwoIsRead() throws Exception {
        Timeline timeline = CoreFormats.load(GOLDEN.resolve("spool-v1.2-cuda-agent.spool"));
        assertThat(startsMs(timeline, RowKind.KERNEL)).hasSize(3 + 2 + 2 + 1 + 1);
        assertThat(startsMs(timeline, RowKind.MEMCPY_H2D)).hasSize(1);
        assertThat(startsMs(timeline, RowKind.MEMCPY_P2P)).hasSize(1);
        assertThat(startsMs(timeline, RowKind.MEMSET)).hasSize(1);
        assertThat(startsMs(timeline, RowKind.DEVICE_SYNC)).hasSize(2);
        assertThat(startsMs(timeline, RowKind.GRAPH_LAUNCH)).hasSize(1);
        assertThat(startsMs(timeline, RowKind.ANNOTATION)).hasSize(1);
        assertThat(IntStream.range(0, timeline.links().count()).mapToObj(timeline.links()::kind))
                .contains(LinkKind.LAUNCH, LinkKind.GRAPH_REPLAY, LinkKind.EVENT_WAIT);
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @Test
    void goldenSpoolOfVersionOneThreeIsRead() throws Exception {
        Timeline timeline = CoreFormats.load(GOLDEN.resolve("spool-v1.3-cuda-agent.spool"));
        assertThat(devices(timeline)).hasSize(3 + 2 + 2 + 1 + 1 + 1).contains("0", "1");
        assertThat(timeline.properties())
                .containsEntry("device.0.name", "Stand-in GPU")
                .containsEntry("device.1.name", "Stand-in GPU (MIG, GPU instance 1)");
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @Test
    void goldenSpoolOfVersionOneFiveIsRead() throws Exception {
        Timeline timeline = CoreFormats.load(GOLDEN.resolve("spool-v1.5-cuda-agent.spool"));
        assertThat(startsMs(timeline, RowKind.KERNEL)).hasSize(3 + 2);
        assertThat(startsMs(timeline, RowKind.GRAPH_LAUNCH)).hasSize(2);
        assertThat(timeline.info().coverage())
                .anySatisfy(said -> assertThat(said.source()).isEqualTo("CUDA graphs"));
        Intervals windows = DeviceWindows.of(timeline).orElseThrow();
        assertThat(windows.count()).isEqualTo(1);
        assertThat(windows.endNs(0) - windows.startNs(0)).isEqualTo(60_000 * MS);
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    /** The row growing-cpu of cupti-defects.tsv. */
    @ParameterizedTest
    @CsvSource({"130400, 11, true", "130400, 9, false", "130401, 11, false"})
    void aLongRecordingNamesADefectThatShowsInLongOnes(String api, int minutes, boolean named) throws Exception {
        SpoolFixture spool = agent(10);
        spool.note(spool.text("cupti"), spool.text("API " + api + ", the system's: /libcupti.so.13"), 10);
        for (long ms = 0; ms <= minutes * 60_000L; ms += 10_000) {
            spool.reading(OPENED_NS + ms * MS, UNIX_NS + ms * MS, 0, 20);
        }
        Timeline timeline = load(spool.kernel(UNIX_NS + 100 * MS, UNIX_NS + 101 * MS, 1, 1, name));
        assertThat(timeline.info().coverage().stream()
                        .anyMatch(one -> one.source().equals("libcupti: growing-cpu")))
                .isEqualTo(named);
    }

    @Test
    void aFileThatItsWriterWasKilledOverBeforeItBeganIsNothing() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        Files.createFile(folder.resolve("8-empty.spool"));
        Files.write(folder.resolve("9-zero.spool"), new byte[4096]);
        Timeline timeline = load(spool.kernel(UNIX_NS + 100 * MS, UNIX_NS + 101 * MS, 1, 1, name));
        assertThat(startsMs(timeline, RowKind.KERNEL)).containsExactly(100L);
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    /**
     * Threads 11 and 12 had one pthread id in turn. The agent read the ids of their calls when 12 lived, or when neither
     * did.
     */
    @Test
    void aCallBelongsToTheThreadThatHadThePthreadIdAtItsTime() throws Exception {
        long pthread = 0x7f00_557f_e6c0L;
        SpoolFixture probe = new SpoolFixture(10, "python-probe");
        probe.thread(11, probe.text("Thread-1"), pthread, 10)
                .thread(12, probe.text("Thread-2"), pthread, 10)
                .threadState(OPENED_NS + 100 * MS, OPENED_NS + 200 * MS, 40 * MS, 0, 11, 0, 0)
                .threadState(OPENED_NS + 195 * MS, OPENED_NS + 300 * MS, 40 * MS, 0, 12, 0, 0);
        SpoolFixture agent = agent(10);
        readings(agent, 0, 800, 0);
        int launch = agent.text("cudaLaunchKernel");
        agent.thread(12, 0, pthread, 10);
        for (int atMs : new int[] {150, 198, 250, 400}) {
            agent.call(UNIX_NS + atMs * MS, UNIX_NS + (atMs + 1) * MS, atMs, 12, launch);
            agent.call(UNIX_NS + (atMs + 2) * MS, UNIX_NS + (atMs + 3) * MS, atMs + 1, (int) pthread, launch, 4);
        }
        Timeline timeline = load(agent, probe);

        assertThat(IntStream.range(0, timeline.rowCount())
                        .filter(row -> timeline.kind(row) == RowKind.RUNTIME_CALL)
                        .mapToObj(row -> (timeline.startNs(row) - OPENED_NS) / MS + " "
                                + timeline.tracks().get(timeline.track(row)).key())
                        .sorted())
                .containsExactly(
                        "150 11", "152 11", "198 11", "200 11", "250 12", "252 12", "400 12", "402 pthread 557fe6c0");
    }

    @Test
    void stampsAreMappedByTheReadingsAroundThem() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        Timeline timeline = load(spool.kernel(UNIX_NS + 100 * MS, UNIX_NS + 101 * MS, 1, 1, name));
        assertThat(startsMs(timeline, RowKind.KERNEL)).containsExactly(100L);
        assertThat(timeline.info().clockDomains()).contains(new ClockDomain("cupti", 3, 20));
    }

    @Test
    void anEarlyKernelWidensTheStatedErrorOfTheClock() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        spool.call(UNIX_NS + 100 * MS, UNIX_NS + 101 * MS, 5, 10, spool.text("cudaLaunchKernel"));
        Timeline timeline = load(spool.kernel(UNIX_NS + 100 * MS - 7000, UNIX_NS + 101 * MS, 5, 1, name));
        assertThat(timeline.info().clockDomains()).contains(new ClockDomain("cupti", 3, 20 + 7000));
    }

    @Test
    void bothSidesOfAStepAreMappedByTheirOwn() throws Exception {
        long hour = 3_600_000 * MS;
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        spool.kernel(UNIX_NS + 300 * MS, UNIX_NS + 301 * MS, 1, 1, name);
        spool.kernel(UNIX_NS + hour + 700 * MS, UNIX_NS + hour + 701 * MS, 2, 1, name);
        readings(spool, 600, 1000, hour);
        Timeline timeline = load(spool);
        assertThat(startsMs(timeline, RowKind.KERNEL)).containsExactly(300L, 700L);
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @Test
    void aStampThatMayLieOnEitherSideOfASmallStepIsLeftOut() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        spool.kernel(UNIX_NS + 520 * MS, UNIX_NS + 521 * MS, 1, 1, name);
        readings(spool, 600, 1000, -50 * MS);
        Timeline timeline = load(spool);
        assertThat(startsMs(timeline, RowKind.KERNEL)).isEmpty();
        assertThat(timeline.importStats().count(Reason.BAD_TIMESTAMP)).isEqualTo(1);
    }

    @Test
    void aReadingThatContradictsBothNeighboursIsNotBelieved() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        spool.reading(OPENED_NS + 600 * MS, UNIX_NS + 900 * MS, 0, 20);
        readings(spool, 800, 1200, 0);
        Timeline timeline = load(spool.kernel(UNIX_NS + 700 * MS, UNIX_NS + 701 * MS, 1, 1, name));
        assertThat(startsMs(timeline, RowKind.KERNEL)).containsExactly(700L);
        assertThat(timeline.info().clockDomains()).contains(new ClockDomain("cupti", 6, 20));
    }

    @Test
    void withoutAReadingNothingIsPlaced() throws Exception {
        Timeline timeline = load(agent(10).kernel(UNIX_NS, UNIX_NS + 5, 1, 1, name));
        assertThat(startsMs(timeline, RowKind.KERNEL)).isEmpty();
        assertThat(timeline.importStats().count(Reason.BAD_TIMESTAMP)).isEqualTo(1);
    }

    @Test
    void equalIdsOfDifferentProcessesAreNotJoined() throws Exception {
        SpoolFixture launches = agent(10);
        readings(launches, 0, 400, 0);
        launches.call(UNIX_NS + MS, UNIX_NS + 2 * MS, 5, 10, launches.text("cudaLaunchKernel"));
        SpoolFixture computes = agent(11);
        readings(computes, 0, 400, 0);
        Timeline timeline = load(launches, computes.kernel(UNIX_NS + 3 * MS, UNIX_NS + 4 * MS, 5, 1, name));
        assertThat(startsMs(timeline, RowKind.KERNEL)).hasSize(1);
        assertThat(timeline.links().count()).isZero();
    }

    @Test
    void anOperationWhoseStreamIsLostIsCounted() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        Timeline timeline = load(spool.kernel(UNIX_NS + MS, UNIX_NS + 2 * MS, 5, 9, name));
        assertThat(startsMs(timeline, RowKind.KERNEL)).isEmpty();
        assertThat(timeline.importStats().count(Reason.BAD_RECORD)).isEqualTo(1);
    }

    @Test
    void lazyLoadingIsTheProgramsAndInstrumentationTheRecorders() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        spool.recorderTime(UNIX_NS + MS, UNIX_NS + 2 * MS, 5 << 16, 10);
        spool.recorderTime(UNIX_NS + 3 * MS, UNIX_NS + 4 * MS, 2 << 16, 10);
        Timeline timeline = load(spool);
        assertThat(startsMs(timeline, RowKind.ANNOTATION)).containsExactly(1L);
        assertThat(startsMs(timeline, RowKind.PROFILER_OVERHEAD)).containsExactly(3L);
        int loading = IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.ANNOTATION)
                .findFirst()
                .orElseThrow();
        assertThat(timeline.name(loading)).isEqualTo("Lazy Function Loading");
        assertThat(timeline.attribute(loading, Attribute.ACTIVITY)).isEqualTo(8);
    }

    @Test
    void aQuietSecondOfTheAgentsOwnCallsIsNotKnown() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 3000, 0);
        for (long ms : new long[] {200, 400, 600, 2400, 2600, 2800, 3000}) {
            spool.heard(UNIX_NS + ms * MS);
        }
        Timeline timeline = load(spool);
        assertThat(timeline.properties()).containsEntry("inferscope.device_unrecorded_ns", "1800000000");
        assertThat(timeline.info().coverage())
                .singleElement()
                .satisfies(said -> assertThat(said.why()).contains("not known from 0.60 to 2.40 s"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"launches", "kernels"})
    void whereNoCallIsRecordedQuietSecondsAreNoLossButAPauseIs(String detail) throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 3000, 0);
        spool.note(spool.text("gpu_detail"), spool.text(detail), 10);
        spool.kernel(UNIX_NS + 100 * MS, UNIX_NS + 101 * MS, 1, 1, name);
        assertThat(load(spool).properties()).doesNotContainKey("inferscope.device_unrecorded_ns");
        spool.notRecorded(OPENED_NS + 1000 * MS, OPENED_NS + 1500 * MS);
        assertThat(load(spool).properties()).containsEntry("inferscope.device_unrecorded_ns", "500000000");
    }

    @Test
    void stretchesInWhichLaunchesWereCountedAreThoseOfTheProcessThatLaunchedMost() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 6000, 0);
        spool.recordedOnly(OPENED_NS, OPENED_NS + 2000 * MS);
        spool.recordedOnly(OPENED_NS + 4000 * MS, OPENED_NS + 6000 * MS);
        spool.pace(OPENED_NS, OPENED_NS + 2000 * MS, 500, 0).pace(OPENED_NS + 2000 * MS, OPENED_NS + 4000 * MS, 700, 3);
        spool.pace(OPENED_NS + 4010 * MS, OPENED_NS + 5990 * MS, 600, 2);
        spool.heard(UNIX_NS + 100 * MS).heard(UNIX_NS + 5900 * MS);
        SpoolFixture other = agent(11);
        readings(other, 0, 200, 0);
        other.pace(OPENED_NS, OPENED_NS + 100 * MS, 90, 0);
        Timeline timeline = load(spool, other);
        assertThat(RecordingPace.of(timeline))
                .containsExactly(
                        new RecordingPace(RecordingPace.Detail.FULL, OPENED_NS, OPENED_NS + 2000 * MS, 500, 0),
                        new RecordingPace(
                                RecordingPace.Detail.OFF, OPENED_NS + 2000 * MS, OPENED_NS + 4000 * MS, 700, 0),
                        new RecordingPace(
                                RecordingPace.Detail.KERNELS, OPENED_NS + 4010 * MS, OPENED_NS + 5990 * MS, 600, 0));
        // In the first window calls were recorded, and there are none; the second one can have none.
        assertThat(timeline.properties()).containsEntry("inferscope.device_unrecorded_ns", "1900000000");
    }

    @Test
    void whatIsOutsideTheWindowsThatWereAskedForIsNoLoss() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 3000, 0);
        spool.recordedOnly(OPENED_NS, OPENED_NS + 1000 * MS);
        spool.recordedOnly(OPENED_NS + 2000 * MS, OPENED_NS + 3000 * MS);
        for (long ms : new long[] {200, 400, 600, 2400, 2600, 2800, 3000}) {
            spool.heard(UNIX_NS + ms * MS);
        }
        Timeline timeline = load(spool);
        assertThat(timeline.properties()).containsEntry("inferscope.device_unrecorded_ns", "800000000");
        Intervals windows = DeviceWindows.of(timeline).orElseThrow();
        assertThat(windows.count()).isEqualTo(2);
        assertThat(windows.startNs(1) - OPENED_NS).isEqualTo(2000 * MS);
    }

    @Test
    void theEdgesOfWindowsThatLieFarApartAreNoLoss() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 4000, 0);
        spool.recordedOnly(OPENED_NS, OPENED_NS + 1000 * MS);
        spool.recordedOnly(OPENED_NS + 3000 * MS, OPENED_NS + 4000 * MS);
        for (long ms : new long[] {200, 400, 600, 800, 3200, 3400, 3600, 3800}) {
            spool.heard(UNIX_NS + ms * MS);
        }
        assertThat(load(spool).properties()).doesNotContainKey("inferscope.device_unrecorded_ns");
    }

    @Test
    void windowsOfSeveralProcessesHoldTogetherAndWhatOneDidNotKeepCountsForAll() throws Exception {
        SpoolFixture first = agent(10);
        readings(first, 0, 400, 0);
        first.recordedOnly(OPENED_NS, OPENED_NS + 100 * MS).recordedOnly(OPENED_NS + 200 * MS, OPENED_NS + 300 * MS);
        SpoolFixture second = agent(11);
        readings(second, 0, 400, 0);
        second.recordedOnly(OPENED_NS + 400 * MS, OPENED_NS + 500 * MS).recordedOnly(OPENED_NS + 250 * MS, 0);
        Timeline timeline = load(first, second);
        Intervals windows = DeviceWindows.of(timeline).orElseThrow();
        assertThat(windows.count()).isEqualTo(2);
        assertThat(windows.startNs(0) - OPENED_NS).isEqualTo(250 * MS);
        assertThat(windows.endNs(0) - OPENED_NS).isEqualTo(300 * MS);
        assertThat(windows.startNs(1) - OPENED_NS).isEqualTo(400 * MS);
        assertThat(DeviceWindows.toJudge(timeline, windows)).isEqualTo(1);
    }

    @Test
    void aGraphThatWasRecordedAsAWholeIsOneKernelOfItsLaunch() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        spool.call(UNIX_NS + 90 * MS, UNIX_NS + 91 * MS, 5, 10, spool.text("cudaGraphLaunch"));
        Timeline timeline = load(spool.wholeGraph(UNIX_NS + 100 * MS, UNIX_NS + 120 * MS, 5, 1, 3));
        assertThat(startsMs(timeline, RowKind.KERNEL)).containsExactly(100L);
        assertThat(timeline.links().kind(0)).isEqualTo(LinkKind.GRAPH_REPLAY);
        assertThat(timeline.name(timeline.links().toRow(0))).isEqualTo("CUDA graph 3 (recorded as a whole)");
        assertThat(timeline.info().coverage())
                .anySatisfy(said -> assertThat(said.why()).contains("time between their kernels counts as busy"));
    }

    @Test
    void aSecondInWhichTheAgentHadNoTurnIsNoLoss() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 600, 0);
        readings(spool, 2400, 3000, 0);
        for (long ms : new long[] {200, 400, 600, 2400, 2600, 2800, 3000}) {
            spool.heard(UNIX_NS + ms * MS);
        }
        assertThat(load(spool).properties()).doesNotContainKey("inferscope.device_unrecorded_ns");
    }

    /** A process in which device 0 has the given unique ids and runs one kernel, of {@code ms} to {@code ms} + 1. */
    private SpoolFixture kernelOn(int pid, int uuid, int instance, int ms) {
        SpoolFixture spool = agent(pid);
        readings(spool, 0, 400, 0);
        spool.kernel(UNIX_NS + ms * MS, UNIX_NS + (ms + 1) * MS, 1, 1, name);
        return uuid == 0 ? spool : spool.device(0, spool.text("Stand-in"), uuid, instance); // It may come last.
    }

    /** Numbers of the devices of kernels, in the order of their starts. */
    private static List<String> devices(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.KERNEL)
                .boxed()
                .sorted(java.util.Comparator.comparing(timeline::startNs))
                .map(row -> timeline.tracks().get(timeline.track(row)))
                .map(stream -> timeline.tracks().get(stream.parent()).key())
                .toList();
    }

    @Test
    void twoDevicesThatTwoProcessesCallZeroAreTwo() throws Exception {
        Timeline timeline =
                load(kernelOn(10, 7, 0, 10), kernelOn(11, 5, 0, 20), kernelOn(12, 7, 0, 30), kernelOn(13, 0, 0, 40));
        assertThat(devices(timeline).subList(0, 3)).containsExactly("1", "0", "1");
        assertThat(devices(timeline).get(3))
                .as("not described, so none of the two")
                .isEqualTo("2");
        assertThat(timeline.properties())
                .containsEntry("device.0.name", "Stand-in")
                .containsEntry("device.1.name", "Stand-in");
    }

    @Test
    void aDeviceHasTheNumberThatTheProcessWithMostDevicesGivesIt() throws Exception {
        SpoolFixture sees = agent(9);
        readings(sees, 0, 400, 0);
        sees.device(0, sees.text("Stand-in"), 7, 0).device(1, sees.text("Stand-in"), 5, 0);
        Timeline timeline = load(kernelOn(10, 7, 0, 10), kernelOn(11, 5, 0, 20), sees);
        assertThat(devices(timeline)).containsExactly("0", "1");
    }

    @Test
    void aDeviceHasTheNumberOfTheDriversCounters() throws Exception {
        SpoolFixture host = new SpoolFixture(0, "host");
        host.note(host.text("device.uuid.3"), host.text("GPU-07070707-0707-0707-0707-070707070707"), 0);
        Timeline timeline = load(kernelOn(10, 7, 0, 10), kernelOn(11, 5, 0, 20), host);
        assertThat(devices(timeline)).containsExactly("3", "0");
        assertThat(timeline.properties().keySet()).noneMatch(key -> key.contains("uuid"));
    }

    @Test
    void instancesOfOneDeviceAreDevices() throws Exception {
        Timeline timeline = load(kernelOn(10, 7, 1, 10), kernelOn(11, 7, 2, 20), kernelOn(12, 7, 1, 30));
        assertThat(devices(timeline)).containsExactly("0", "1", "0");
        assertThat(timeline.properties()).containsEntry("device.1.name", "Stand-in (MIG, GPU instance 2)");
    }

    @Test
    void processesWithoutDescribedDevicesShareTheirNumbers() throws Exception {
        assertThat(devices(load(kernelOn(10, 0, 0, 10), kernelOn(11, 0, 0, 20))))
                .containsExactly("0", "0");
        assertThat(devices(load(kernelOn(10, 0, 0, 10), kernelOn(11, 5, 0, 20))))
                .containsExactly("0", "0");
    }

    @Test
    void anOperatorThatOpensARangeIsAnOperator() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        spool.range(UNIX_NS + MS, 1, 1, 10, spool.text("aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], [3, 4]]"));
        spool.range(UNIX_NS + 9 * MS, 2, 1, 10, 0);
        spool.range(UNIX_NS + 20 * MS, 1, 2, 10, spool.text("decode, step"));
        spool.range(UNIX_NS + 30 * MS, 2, 2, 10, 0);
        spool.call(UNIX_NS + 2 * MS, UNIX_NS + 3 * MS, 5, 10, spool.text("cudaLaunchKernel"));
        Timeline timeline = load(spool);
        assertThat(startsMs(timeline, RowKind.ANNOTATION)).containsExactly(20L);
        int call = IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.RUNTIME_CALL)
                .findFirst()
                .orElseThrow();
        int operator = timeline.parent(call);
        assertThat(timeline.kind(operator)).isEqualTo(RowKind.OPERATOR);
        assertThat(timeline.name(operator)).isEqualTo("aten::mm");
    }

    /** In Python the probe records a range, and CUPTI the one inside it; C++ code opens another of the same name. */
    @Test
    void aRangeThatTheProbeAndCuptiRecordedIsOneRange() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        int decode = spool.text("decode");
        range(spool, 1, decode, 20, 60);
        range(spool, 2, decode, 30, 40);
        range(spool, 3, decode, 70, 75);
        spool.range(UNIX_NS + 80 * MS, 1, 4, 10, spool.text("open"));
        SpoolFixture probe = new SpoolFixture(10, "python-probe");
        probe.span(OPENED_NS + 19 * MS, OPENED_NS + 59 * MS, 10, probe.text("decode"), 0, 1);
        probe.span(OPENED_NS + 79 * MS, 0, 10, probe.text("open"), 0, 1);
        probe.span(OPENED_NS + 69 * MS, OPENED_NS + 74 * MS, 11, probe.text("decode"), 0, 1);

        Timeline timeline = load(spool, probe);

        assertThat(startsMs(timeline, RowKind.ANNOTATION))
                .as("the range of another thread is another one")
                .containsExactly(19L, 30L, 69L, 70L, 79L);
    }

    @Test
    void aMarkThatTheProbeAndCuptiRecordedIsOneMark() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        spool.range(UNIX_NS + 20 * MS, 0, 1, 10, spool.text("token"));
        spool.range(UNIX_NS + 50 * MS, 0, 2, 10, spool.text("token"));
        SpoolFixture probe = new SpoolFixture(10, "python-probe");
        probe.mark(OPENED_NS + 19 * MS, 10, probe.text("token"));

        Timeline timeline = load(spool, probe);

        assertThat(startsMs(timeline, RowKind.INSTANT)).containsExactly(19L, 50L);
    }

    private static void range(SpoolFixture spool, int id, int name, long startMs, long endMs) {
        spool.range(UNIX_NS + startMs * MS, 1, id, 10, name);
        spool.range(UNIX_NS + endMs * MS, 2, id, 10, 0);
    }

    /** Readings in which CUPTI's clock is the processor's counter, of 2.5 GHz, if {@code by} does not bend it. */
    private static void ticking(SpoolFixture spool, int fromMs, int toMs, double by) {
        for (long ms = fromMs; ms <= toMs; ms += 200) {
            long ticks = 7_000_000_000L + Math.round(ms * (2.5 + by * ms) * 1e6);
            spool.reading(OPENED_NS + ms * MS, ticks, ticks, 20);
        }
    }

    @Test
    void stampsOfASteadyCounterAreConvertedAndCounted() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 400, 0);
        spool.kernel(UNIX_NS + 100 * MS, UNIX_NS + 101 * MS, 1, 1, name);
        spool.kernel(7_000_000_000L + 1_250_000_000L, 7_000_000_000L + 1_252_500_000L, 2, 1, name);
        ticking(spool, 600, 1200, 0);
        Timeline timeline = load(spool);
        assertThat(startsMs(timeline, RowKind.KERNEL)).containsExactly(100L, 500L);
        assertThat(timeline.importStats().count(Reason.OTHER_CLOCK)).isEqualTo(1);
        assertThat(timeline.properties()).doesNotContainKey("inferscope.device_unrecorded_ns");
        assertThat(timeline.info().clockDomains()).contains(new ClockDomain("cupti", 3 + 4, 20));
    }

    @Test
    void stampsOfACounterThatIsNotSteadyAreLeftOutAndMarked() throws Exception {
        SpoolFixture spool = agent(10);
        readings(spool, 0, 200, 0);
        spool.kernel(8_250_000_000L, 8_252_500_000L, 2, 1, name);
        ticking(spool, 400, 1200, 1e-3);
        Timeline timeline = load(spool);
        assertThat(startsMs(timeline, RowKind.KERNEL)).isEmpty();
        assertThat(timeline.importStats().count(Reason.BAD_TIMESTAMP)).isEqualTo(1);
        assertThat(timeline.properties()).containsKey("inferscope.device_unrecorded_ns");
    }
}
