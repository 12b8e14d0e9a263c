package io.inferscope.timeline.spool;

import static io.inferscope.timeline.spool.SpoolFixture.OPENED_NS;
import static io.inferscope.timeline.spool.SpoolFixture.UNIX_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.Importers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Device records of spools, and the clock on which their stamps are. */
class DeviceImportTest {
    private static final Path GOLDEN =
            Path.of("../inferscope-collectors/src/test/resources/golden/spool-v1.2-cuda-agent.spool");
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
        return Importers.core().load(folder);
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
        Timeline timeline = Importers.core().load(GOLDEN);
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
}
