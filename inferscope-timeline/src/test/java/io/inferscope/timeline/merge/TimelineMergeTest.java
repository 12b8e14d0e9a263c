package io.inferscope.timeline.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.importer.ImportException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("traces")
class TimelineMergeTest {
    private static final long UNIX_NS = 1_700_000_000_000_000_000L;

    private static Recording recording(String name, TimelineBuilder builder) {
        return new Recording(name, builder.build("test"), null);
    }

    private static TimelineBuilder kernels(long... startsNs) {
        TimelineBuilder builder = new TimelineBuilder();
        int device = builder.track(TrackKind.DEVICE, -1, "0");
        int stream = builder.track(TrackKind.STREAM, device, "7");
        for (int i = 0; i < startsNs.length; i++) {
            builder.row(RowKind.KERNEL, stream, startsNs[i], startsNs[i] + 10_000, builder.name("k" + i));
        }
        return builder;
    }

    /** Rows of a real trace as another recorder would have them: at other times, stamped with jitter. */
    private static Recording seenByAnother(Timeline timeline, long offsetNs, long jitterNs, boolean deviceOnly) {
        Random random = new Random(7);
        TimelineBuilder builder = new TimelineBuilder();
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "1");
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "0");
        for (int row = 0; row < timeline.rowCount(); row++) {
            RowKind kind = timeline.kind(row);
            if (kind.isDeviceOperation() || (!deviceOnly && kind.isHostActivity())) {
                long startNs = timeline.startNs(row) - offsetNs + random.nextLong(2 * jitterNs + 1) - jitterNs;
                int track = kind.isDeviceOperation() ? stream : thread;
                int name = builder.name(timeline.name(row));
                builder.row(kind, track, startNs, startNs + timeline.durationNs(row), name);
            }
        }
        return recording("other", builder);
    }

    private static long offsetNs(Timeline merged) {
        return Long.parseLong(merged.properties().get("source.1.offset_ns"));
    }

    private static long errorNs(Timeline merged) {
        return Long.parseLong(merged.properties().get("source.1.error_bound_ns"));
    }

    private static Timeline shared(String name) throws ImportException {
        return SharedTraces.timeline(SharedTraces.kineto(name));
    }

    private static Recording real(String name) throws ImportException {
        return new Recording(name, shared(name), null);
    }

    @Test
    void oneRecordingStaysAsItIs() throws ImportException {
        Recording only = recording("a", kernels(0, 20_000));
        assertThat(TimelineMerge.of(List.of(only))).isSameAs(only.timeline());
    }

    /** Anyone can write a document in our own format. */
    @ParameterizedTest
    @ValueSource(strings = {"", "x", "1e3", "99999999999999999999999", "-9223372036854775808", "9223372036854775807"})
    void aCutThatIsNoInstantIsNone(String cut) throws ImportException {
        TimelineBuilder other = kernels(0);
        other.property(TimelineInfo.CUT, cut);
        Recording b = new Recording("b", other.build("test"), -1_000L);

        Timeline merged = TimelineMerge.of(List.of(recording("a", kernels(0, 20_000)), b));

        assertThat(merged.rowCount()).isEqualTo(3);
        assertThat(merged.properties()).doesNotContainKeys(TimelineInfo.CUT, TimelineInfo.CUT_UNKNOWN);
    }

    @Test
    void aCutBeyondTheAxisIsNone() throws ImportException {
        TimelineBuilder late = kernels(0);
        late.property(TimelineInfo.CUT, "999999999999999999");
        Recording b = new Recording("b", late.build("test"), 8_900_000_000_000_000_000L);

        Timeline merged = TimelineMerge.of(List.of(recording("a", kernels(0, 20_000)), b));

        assertThat(merged.rowCount()).isEqualTo(3);
        assertThat(merged.properties()).doesNotContainKeys(TimelineInfo.CUT, TimelineInfo.CUT_UNKNOWN);
    }

    @Test
    void unixTimesTieClocksTogether() throws ImportException {
        TimelineBuilder a = kernels(0, 20_000);
        a.originUnixNs(UNIX_NS);
        TimelineBuilder b = kernels(100_000);
        b.originUnixNs(UNIX_NS + 3_000_000);

        Timeline merged = TimelineMerge.of(List.of(recording("a", a), recording("b", b)));

        assertThat(merged.originUnixNs()).isEqualTo(UNIX_NS);
        assertThat(merged.startNs(merged.rowCount() - 1)).isEqualTo(3_100_000);
        assertThat(errorNs(merged)).isEqualTo(-1);
        assertThat(merged.properties())
                .containsEntry("source.1.evidence", "both state their Unix time; the same node is assumed");
    }

    @Test
    void unixTimesDaysApartTieNothing() {
        TimelineBuilder a = kernels(0, 20_000);
        a.originUnixNs(UNIX_NS);
        TimelineBuilder b = kernels(100_000);
        b.originUnixNs(UNIX_NS + 86_400_000_000_000L);

        assertThatThrownBy(() -> TimelineMerge.of(List.of(recording("a", a), recording("b", b))))
                .isInstanceOf(ImportException.class)
                .hasMessage(
                        "b: nothing shows how its clock relates to that of a: not both state their Unix time, and their shared events do not match clearly; give the offset by hand: --offset b=+12.5ms is added to its times");
    }

    /** Two sessions of the process make profiles; the recording of another process marks the same. */
    @ParameterizedTest
    @CsvSource({
        "decoder_2026.json, 1, 7000",
        "encoder_2026.json, 1, 4000",
        "other.json, 1, -1",
        "decoder_2026.json, 2, -1"
    })
    void aProfileCountsFromWhatItsOwnProcessMarked(String file, String process, long startNs) throws ImportException {
        TimelineBuilder live = new TimelineBuilder();
        int thread = live.track(TrackKind.THREAD, live.track(TrackKind.PROCESS, -1, "1"), "1");
        live.row(RowKind.INSTANT, thread, 4_000, 4_000, live.name("profile encoder"));
        live.row(RowKind.INSTANT, thread, 7_000, 7_000, live.name("profile decoder"));
        TimelineBuilder profile = new TimelineBuilder();
        profile.property(TimelineInfo.COUNTS_FROM, "profile");
        int same = profile.track(TrackKind.THREAD, profile.track(TrackKind.PROCESS, -1, process), "1");
        profile.row(RowKind.OPERATOR, same, 0, 1_000, profile.name("MatMul"));
        List<Recording> both = List.of(recording("live", live), recording(file, profile));

        if (startNs < 0) {
            assertThatThrownBy(() -> TimelineMerge.of(both)).isInstanceOf(ImportException.class);
            return;
        }
        Timeline merged = TimelineMerge.of(both);
        int operator = merged.rows(0, RowKind.OPERATOR)
                .findFirst()
                .orElseGet(() -> merged.rows(1, RowKind.OPERATOR).findFirst().orElseThrow());
        assertThat(merged.startNs(operator)).isEqualTo(startNs);
        assertThat(merged.tracks()).hasSize(2);
    }

    @Test
    void anOffsetSaidByHandIsTaken() throws ImportException {
        Recording b = new Recording("b", kernels(5_000).build("test"), -1_000L);
        Timeline merged = TimelineMerge.of(List.of(recording("a", kernels(0)), b));
        assertThat(merged.startNs(1)).isEqualTo(4_000);
    }

    @Test
    void kernelsThatBothRecordedTieClocksTogetherWithinTheirJitter() throws ImportException {
        Timeline ours = shared("mi300-qwen1.5");
        long apartNs = 987_654_321_987L;

        Timeline merged =
                TimelineMerge.of(List.of(new Recording("a", ours, null), seenByAnother(ours, apartNs, 500, true)));

        assertThat(offsetNs(merged)).isBetween(apartNs - 500, apartNs + 500);
        assertThat(Math.abs(offsetNs(merged) - apartNs)).isLessThanOrEqualTo(errorNs(merged));
        assertThat(errorNs(merged)).isBetween(1L, 4_000L);
        assertThat(merged.properties().get("source.1.evidence")).contains(" kernels and copies that both recorded");
    }

    @Test
    void rangesOfTheHostTieClocksTogetherWhereNoDeviceWasSeen() throws ImportException {
        Timeline ours = shared("cpu-only-no-gpu");
        Timeline merged =
                TimelineMerge.of(List.of(new Recording("a", ours, null), seenByAnother(ours, -5_000_000, 300, false)));
        assertThat(offsetNs(merged)).isBetween(-5_000_300L, -4_999_700L);
    }

    @Test
    void aLoopThatFitsInManyWaysIsRefused() {
        TimelineBuilder a = new TimelineBuilder();
        TimelineBuilder b = new TimelineBuilder();
        for (TimelineBuilder builder : List.of(a, b)) {
            int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "7");
            for (int i = 0; i < 60; i++) {
                builder.row(RowKind.KERNEL, stream, i * 1_000_000L, i * 1_000_000L + 10_000, builder.name("step"));
            }
        }
        assertThatThrownBy(() -> TimelineMerge.of(List.of(recording("a", a), recording("b", b))))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("do not match clearly");
    }

    @Test
    void recordingsOfDifferentProgramsAreRefused() throws ImportException {
        Recording a = new Recording("a", withoutOrigin(shared("h100-timesformer")), null);
        Recording b = new Recording("b", withoutOrigin(shared("a100-trace-diff-control")), null);
        assertThatThrownBy(() -> TimelineMerge.of(List.of(a, b))).isInstanceOf(ImportException.class);
    }

    /** The same rows, far from any Unix time. */
    private static Timeline withoutOrigin(Timeline timeline) {
        TimelineBuilder builder = new TimelineBuilder();
        new RowCopy(timeline, builder, new ClockOffset(-timeline.startNs(0), 0, "", false), "")
                .copy(new java.util.BitSet(), row -> -1);
        return builder.build("test");
    }

    @Test
    void whatWasLaidOutHasNoInstantsToTie() {
        TimelineBuilder b = kernels(UNIX_NS);
        b.property(TimelineInfo.INSTANTS, TimelineInfo.LAID_OUT);
        assertThatThrownBy(() -> TimelineMerge.of(List.of(recording("a", kernels(UNIX_NS)), recording("b", b))))
                .isInstanceOf(ImportException.class);
    }

    @Test
    void devicesOfDifferentRanksStayApart() throws ImportException {
        TimelineBuilder a = kernels(0, 20_000);
        TimelineBuilder b = kernels(5_000, 25_000);
        for (TimelineBuilder builder : List.of(a, b)) {
            builder.originUnixNs(UNIX_NS);
            builder.property("device.0.name", "GPU");
        }
        a.property("distributedInfo.rank", "0");
        b.property("distributedInfo.rank", "1");

        Timeline merged = TimelineMerge.of(List.of(recording("a", a), recording("b", b)));

        assertThat(merged.tracks().stream()
                        .filter(t -> t.kind() == TrackKind.DEVICE)
                        .map(t -> t.key()))
                .containsExactly("rank 0: 0", "rank 1: 0");
        assertThat(merged.properties()).containsEntry("device.rank 1: 0.name", "GPU");
    }

    @Test
    void lossesOfAllRecordingsAreKept() throws ImportException {
        TimelineBuilder a = kernels(0);
        a.stats().source("a.json").count(Reason.TRUNCATED, 17, "");
        TimelineBuilder b = kernels(0);
        b.stats().source("b.json").count(Reason.BAD_TIMESTAMP, 3, 4, "x");
        Recording second = new Recording("b", b.build("test"), 0L);

        Timeline merged = TimelineMerge.of(List.of(recording("a", a), second));

        assertThat(merged.importStats().entries())
                .extracting(e -> e.source() + " " + e.reason() + " " + e.count() + " " + e.firstOffsetBytes())
                .containsExactlyInAnyOrder("a.json TRUNCATED 1 17", "b.json BAD_TIMESTAMP 3 4");
    }

    @Test
    void whatRecordersSawAndCostIsKeptOnce() throws ImportException {
        TimelineBuilder a = kernels(0);
        a.coverage(new TimelineInfo.Coverage("host", 4, 1, ""));
        TimelineBuilder b = kernels(0);
        b.overhead(new TimelineInfo.RecorderOverhead("cupti", 3, 2, 1));
        b.clockDomain(new ClockDomain("realtime", 2, 5));
        Recording second = new Recording("b", b.build("test"), 0L);

        TimelineInfo info = TimelineMerge.of(List.of(recording("a", a), second)).info();

        assertThat(info.coverage()).containsExactly(new TimelineInfo.Coverage("host", 4, 1, ""));
        assertThat(info.overheads()).containsExactly(new TimelineInfo.RecorderOverhead("cupti", 3, 2, 1));
        assertThat(info.clockDomains()).containsExactly(new ClockDomain("realtime", 2, 5));
    }

    /** One capture, of which one part begins with a wait of 463 ms for a prefill that only the other part shows. */
    @Test
    void partsOfOneCaptureFillEachOthersGaps() throws ImportException {
        Timeline decode = shared("mi300-sglang-decode-graph");
        Timeline merged =
                TimelineMerge.of(List.of(real("mi300-sglang-prefilldecode"), real("mi300-sglang-decode-graph")));

        long fromNs = firstDeviceNs(decode);
        long toNs = lastDeviceNs(decode);
        assertThat(idleNs(decode, fromNs, toNs)).isGreaterThan(460_000_000L);
        assertThat(idleNs(merged, fromNs, toNs)).isLessThan(3_000_000L);
        assertThat(offsetNs(merged)).isZero();
        assertThat(errorNs(merged)).isZero();
        assertThat(merged.properties()).containsEntry("source.1.evidence", "parts of one capture, by its id");
    }

    @Test
    void whatTwoPartsHoldIsKeptOnce() throws ImportException {
        Recording part = real("mi300-sglang-decode-graph");

        Timeline twice = TimelineMerge.of(List.of(part, new Recording("again", part.timeline(), null)));

        assertThat(rows(twice)).isEqualTo(rows(part.timeline()));
        assertThat(twice.links().count()).isEqualTo(part.timeline().links().count());
        assertThat(twice.importStats().count(Reason.RECORDED_TWICE))
                .isEqualTo(part.timeline().rowCount());
    }

    @Test
    void theOrderOfPartsDoesNotMatter() throws ImportException {
        Recording a = real("mi300-sglang-prefilldecode");
        Recording b = real("mi300-sglang-decode-graph");
        assertThat(rows(TimelineMerge.of(List.of(a, b)))).isEqualTo(rows(TimelineMerge.of(List.of(b, a))));
    }

    private static List<String> rows(Timeline timeline) {
        return java.util.stream.IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> TimelineDump.row(timeline, row))
                .toList();
    }

    private static long firstDeviceNs(Timeline timeline) {
        return deviceRows(timeline).mapToLong(timeline::startNs).min().orElseThrow();
    }

    private static long lastDeviceNs(Timeline timeline) {
        return deviceRows(timeline).mapToLong(timeline::endNs).max().orElseThrow();
    }

    private static java.util.stream.IntStream deviceRows(Timeline timeline) {
        return java.util.stream.IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row).isDeviceOperation());
    }

    private static long idleNs(Timeline timeline, long fromNs, long toNs) {
        Intervals.Builder busy = new Intervals.Builder(64);
        deviceRows(timeline).forEach(row -> busy.add(timeline.startNs(row), timeline.endNs(row)));
        return busy.build().complementWithin(fromNs, toNs).totalNs();
    }
}
