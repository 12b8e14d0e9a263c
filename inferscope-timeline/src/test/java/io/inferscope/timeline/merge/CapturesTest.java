package io.inferscope.timeline.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.kineto.KinetoExporter;
import io.inferscope.timeline.load.Importers.Input;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CapturesTest {
    @TempDir
    private Path folder;

    private static final long UNIX_NS = 1_700_000_000_000_000_000L;
    private static final long MINUTE_NS = 60_000_000_000L;

    private static void row(TimelineBuilder builder, RowKind kind, int track, long startNs, long endNs, String name) {
        builder.row(kind, track, startNs, endNs, builder.name(name));
    }

    /** An operator whose launch is captured, in a module, with a copy that runs at once. */
    private static Recording capture(String name, String pid, long unixNs) {
        TimelineBuilder builder = new TimelineBuilder();
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, pid), "7");
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "0");
        row(builder, RowKind.PYTHON_FUNCTION, thread, 0, 90, "nn.Module: Net_0");
        row(builder, RowKind.PYTHON_FUNCTION, thread, 5, 85, "run.py(3): capture");
        row(builder, RowKind.RUNTIME_CALL, thread, 10, 11, "cudaStreamBeginCapture");
        int operator = builder.row(RowKind.OPERATOR, thread, 12, 20, builder.name("aten::mm"));
        builder.attribute(operator, Attribute.INPUT_DIMS, builder.name("[[8,8],[8,8]]"));
        int captured = builder.row(RowKind.RUNTIME_CALL, thread, 13, 14, builder.name("cudaLaunchKernel"));
        builder.correlation(captured, 5);
        int copied = builder.row(RowKind.RUNTIME_CALL, thread, 22, 23, builder.name("cudaMemcpyAsync"));
        int copy = builder.row(RowKind.MEMCPY_H2D, stream, 24, 25, builder.name("Memcpy HtoD"));
        builder.link(LinkKind.LAUNCH, copied, copy, 100);
        row(builder, RowKind.RUNTIME_CALL, thread, 30, 31, "cudaStreamEndCapture");
        row(builder, RowKind.OPERATOR, thread, 40, 50, "aten::relu");
        builder.originUnixNs(unixNs);
        return new Recording(name, builder.build("test"), null);
    }

    private static Recording replay(String name, String pid, long unixNs) {
        return replay(name, pid, unixNs, 20, RowKind.KERNEL);
    }

    /** A graph of kernels, and one operation of a kind. */
    private static Recording replay(String name, String pid, long unixNs, int kernels, RowKind last) {
        TimelineBuilder builder = new TimelineBuilder();
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, pid), "7");
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "0");
        int launch = builder.row(RowKind.GRAPH_LAUNCH, thread, 0, 90, builder.name("cudaGraphLaunch"));
        for (int i = 0; i < kernels; i++) {
            RowKind kind = i == kernels - 1 ? last : RowKind.KERNEL;
            int operation = builder.row(kind, stream, 10 + i, 11 + i, builder.name("k"));
            builder.link(LinkKind.GRAPH_REPLAY, launch, operation, 100);
        }
        builder.originUnixNs(unixNs);
        return new Recording(name, builder.build("test"), null);
    }

    /** A capture of 20 launches, and launches that are not captured: with their kernels, or without. */
    private static Recording captures(String name, String pid, long unixNs, int kernels, int lost) {
        TimelineBuilder builder = new TimelineBuilder();
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, pid), "7");
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "0");
        row(builder, RowKind.RUNTIME_CALL, thread, 0, 1, "cudaStreamBeginCapture");
        for (int i = 1; i <= 20; i++) {
            row(builder, RowKind.RUNTIME_CALL, thread, 10 * i, 10 * i + 1, "cudaLaunchKernel");
        }
        row(builder, RowKind.RUNTIME_CALL, thread, 300, 301, "cudaStreamEndCapture");
        for (int i = 1; i <= kernels + lost; i++) {
            int call = builder.row(
                    RowKind.RUNTIME_CALL, thread, 300 + 10 * i, 301 + 10 * i, builder.name("cudaLaunchKernel"));
            if (i <= kernels) {
                int kernel = builder.row(RowKind.KERNEL, stream, 305 + 10 * i, 306 + 10 * i, builder.name("k"));
                builder.link(LinkKind.LAUNCH, call, kernel, 100);
            }
        }
        builder.originUnixNs(unixNs);
        return new Recording(name, builder.build("test"), null);
    }

    private static Recording captures(String name, String pid, long unixNs) {
        return captures(name, pid, unixNs, 2, 0);
    }

    private static List<String> among(Recording... all) {
        return Captures.among(List.of(all)).replayedIn(List.of(all)).stream()
                .map(Recording::name)
                .toList();
    }

    @Test
    void aCaptureBelongsToAReplayOfItsProcessAtAnotherTime() {
        Recording replay = replay("replay", "1", UNIX_NS + MINUTE_NS);

        assertThat(among(captures("capture", "1", UNIX_NS), replay)).containsExactly("capture");
        assertThat(among(replay, captures("later", "1", UNIX_NS + 2 * MINUTE_NS)))
                .containsExactly("later");
        assertThat(among(captures("other process", "2", UNIX_NS), replay)).isEmpty();
        assertThat(among(captures("at once", "1", UNIX_NS + MINUTE_NS), replay)).isEmpty();
        assertThat(among(captures("alone", "1", UNIX_NS))).isEmpty();
        assertThat(among(replay, replay("another", "1", UNIX_NS))).isEmpty();
    }

    /** Containers give the same process id to different programs. */
    @Test
    void aReplayOfAnotherGraphBelongsToAnotherProgram() {
        long laterNs = UNIX_NS + MINUTE_NS;
        Recording capture = captures("capture", "1", UNIX_NS);

        assertThat(among(capture, replay("r", "1", laterNs, 19, RowKind.KERNEL)))
                .as("one operation was lost")
                .containsExactly("capture");
        assertThat(among(capture, replay("r", "1", laterNs, 18, RowKind.KERNEL)))
                .isEmpty();
        assertThat(among(capture, replay("r", "1", laterNs, 0, RowKind.KERNEL))).isEmpty();
        assertThat(among(capture, replay("r", "1", laterNs, 20, RowKind.MEMCPY_D2D)))
                .as("one kernel less, one copy more")
                .isEmpty();
    }

    @Test
    void aRecordingThatAlsoLaunchesIsNotOneOfCaptures() {
        Recording replay = replay("replay", "1", UNIX_NS + MINUTE_NS);

        assertThat(among(captures("few", "1", UNIX_NS, 2, 0), replay)).containsExactly("few");
        assertThat(among(captures("kernels", "1", UNIX_NS, 3, 0), replay)).isEmpty();
        assertThat(among(captures("launches without kernels", "1", UNIX_NS, 0, 3), replay))
                .isEmpty();
    }

    @Test
    void eachRecordingIsReadOnce() {
        List<Recording> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(captures("capture " + i, "1", UNIX_NS + i * MINUTE_NS));
            all.add(replay("replay " + i, "1", UNIX_NS + (100 + i) * MINUTE_NS));
        }
        List<Recording> read = new ArrayList<>();
        Captures captures = Captures.among(all, recording -> {
            read.add(recording);
            return GraphUse.of(recording);
        });

        assertThat(captures.replayedIn(all)).hasSize(20);
        assertThat(captures.replayedIn(all.subList(0, 30))).hasSize(15);
        assertThat(read).containsExactlyElementsOf(all);
    }

    @Test
    void withoutCapturesNothingIsRead() {
        List<Recording> all = List.of(replay("a", "1", UNIX_NS), replay("b", "1", UNIX_NS));

        Captures captures = Captures.among(all, recording -> {
            throw new AssertionError(recording.name());
        });

        assertThat(captures.replayedIn(all)).isEmpty();
    }

    @Test
    void whatTellsTheOriginOfKernelsIsAddedAndNothingElse() {
        Recording replay = replay("replay", "1", UNIX_NS + MINUTE_NS);
        Recording capture = capture("capture", "1", UNIX_NS);

        Timeline joined = Captures.addedTo(replay.timeline(), List.of(replay), List.of(capture));

        int track = joined.knownTrack(
                TrackKind.CAPTURE, joined.knownTrack(TrackKind.PROCESS, -1, "1"), "7 captured before");
        assertThat(track).isNotNegative();
        assertThat(IntStream.range(joined.firstRow(track), joined.endRow(track)).mapToObj(joined::name))
                .containsExactly(
                        "nn.Module: Net_0",
                        "cudaStreamBeginCapture",
                        "aten::mm",
                        "cudaLaunchKernel",
                        "cudaStreamEndCapture");
        assertThat(joined.rowCount()).isEqualTo(5 + replay.timeline().rowCount());
        assertThat(joined.startNs(joined.firstRow(track))).isEqualTo(-MINUTE_NS);
        int launch = joined.firstRow(track) + 3;
        assertThat(joined.correlation(launch)).isZero();
        assertThat(joined.attributeText(joined.enclosing(launch, RowKind.OPERATOR), Attribute.INPUT_DIMS))
                .isEqualTo("[[8,8],[8,8]]");
        assertThat(joined.originUnixNs()).isEqualTo(replay.timeline().originUnixNs());
        assertThat(joined.properties()).containsEntry(TimelineInfo.CAPTURES, "capture");
        assertThat(Captures.addedTo(replay.timeline(), List.of(replay), List.of()))
                .isSameAs(replay.timeline());
    }

    private static Timeline addedTo(Recording replay, Recording... captures) {
        return Captures.addedTo(replay.timeline(), List.of(replay), List.of(captures));
    }

    /** Begins and ends of captures in the order of time, and the end of the last. */
    private static String capturesOf(Timeline joined) {
        List<Integer> rows = IntStream.range(0, joined.rowCount())
                .filter(row -> joined.tracks().get(joined.track(row)).kind() == TrackKind.CAPTURE)
                .filter(row -> joined.name(row).endsWith("Capture"))
                .boxed()
                .sorted(Comparator.comparing(joined::startNs))
                .toList();
        String names = rows.stream()
                .map(row -> joined.name(row).substring("cudaStream".length()).replace("Capture", ""))
                .collect(Collectors.joining(" "));
        return names + " " + joined.endNs(rows.get(rows.size() - 1));
    }

    /** Its clock says nothing; the recording of the replay starts at 0. */
    @Test
    void aCaptureWithoutUnixTimeLiesBeforeTheReplay() {
        Recording replay = replay("replay", "1", 0);
        Recording capture = captures("capture", "1", 0, 0, 0);

        assertThat(among(capture, replay)).containsExactly("capture");
        assertThat(capturesOf(addedTo(replay, capture))).isEqualTo("Begin End 0");
    }

    /** A program that is started again captures the same graphs. */
    @Test
    void aLaterCaptureLiesBeforeTheReplayToo() {
        Recording replay = replay("replay", "1", UNIX_NS);
        Recording later = captures("later", "1", UNIX_NS + MINUTE_NS, 0, 0);

        assertThat(capturesOf(addedTo(replay, later))).isEqualTo("Begin End 0");
        assertThat(addedTo(replay, later).properties()).containsEntry(TimelineInfo.CAPTURES, "later (recorded later)");
    }

    @Test
    void capturesPutBeforeTheReplayDoNotOverlap() {
        Recording undated = captures("undated", "1", 0, 0, 0);
        Recording dated = captures("dated", "1", UNIX_NS, 0, 0);
        Recording replay = replay("replay", "1", UNIX_NS + 400);

        assertThat(capturesOf(addedTo(replay("replay", "1", 0), undated, undated)))
                .isEqualTo("Begin End Begin End 0");
        assertThat(capturesOf(addedTo(replay, undated, dated))).isEqualTo("Begin End Begin End -99");
    }

    @Test
    void capturesPutBeforeTheReplayKeepTheirOrder() {
        Recording replay = replay("replay", "1", 0);
        Timeline joined = addedTo(replay, capture("mm", "1", 0), captures("twenty", "1", 0, 0, 0));
        int track = joined.knownTrack(
                TrackKind.CAPTURE, joined.knownTrack(TrackKind.PROCESS, -1, "1"), "7 captured before");

        assertThat(joined.name(joined.firstRow(track))).isEqualTo("nn.Module: Net_0");
    }

    private Input file(Recording recording, boolean found) throws IOException {
        Path file = folder.resolve(recording.name() + ".json");
        KinetoExporter.write(recording.timeline(), file);
        return new Input(file, null, found);
    }

    private static Timeline load(Input... inputs) throws ImportException {
        return CoreFormats.importers().load(List.of(inputs), bytes -> {});
    }

    private static long calls(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.name(row).equals("cudaLaunchKernel"))
                .filter(row -> timeline.tracks().get(timeline.track(row)).kind() == TrackKind.THREAD)
                .count();
    }

    @Test
    void aNamedFileIsReadAsAWholeIfNothingReplaysItsGraph() throws Exception {
        Input capture = file(captures("capture", "1", UNIX_NS), false);
        Input other = file(replay("other", "1", UNIX_NS + MINUTE_NS, 7, RowKind.KERNEL), false);
        Input fitting = file(replay("fitting", "1", UNIX_NS + 2 * MINUTE_NS), true);
        Input last = file(replay("last", "2", UNIX_NS + 4 * MINUTE_NS), true);

        assertThat(calls(load(capture, other))).isEqualTo(22);
        assertThat(calls(load(capture, fitting))).isZero();
        Timeline replayLeftAside = load(capture, fitting, last);
        assertThat(calls(replayLeftAside)).isEqualTo(22);
        assertThat(replayLeftAside.properties())
                .containsEntry(TimelineInfo.LEFT_ASIDE, "fitting.json")
                .doesNotContainKey(TimelineInfo.CAPTURES);
    }

    @Test
    void aCopyOfARecordingIsReadOnce() throws Exception {
        Input once = file(replay("once", "1", UNIX_NS), true);
        Input again = file(replay("again", "1", UNIX_NS), true);
        Timeline alone = load(once);
        Timeline both = load(once, again);

        assertThat(both.rowCount()).isEqualTo(alone.rowCount());
        assertThat(both.properties()).containsEntry(TimelineInfo.LEFT_ASIDE, "again.json (the same as once.json)");
    }

    /** As FLUX does, whose recording of captures launches each kernel once before it captures them. */
    @Test
    void aCaptureWithAWarmUpTellsOfItsReplayWhereItIsLeftAside() throws Exception {
        Input warm = file(captures("warm", "1", UNIX_NS, 20, 0), true);
        Input other = file(captures("other", "2", UNIX_NS, 20, 0), true);
        Input replay = file(replay("replay", "1", UNIX_NS + MINUTE_NS), true);

        Timeline joined = load(warm, other, replay);

        assertThat(calls(joined)).isZero();
        assertThat(joined.properties())
                .containsEntry(TimelineInfo.CAPTURES, "warm.json")
                .containsEntry(TimelineInfo.LEFT_ASIDE, "other.json (the same as warm.json)");
    }

    /** A program that is started again, as process 1 of a container, captures the same graph again. */
    @Test
    void anEarlierRunOfTheSameProgramIsLeftAside() throws Exception {
        Input earlier = file(run("earlier", UNIX_NS, 20), true);
        Input latest = file(run("latest", UNIX_NS + MINUTE_NS, 20), true);
        Input other = file(run("other", UNIX_NS + MINUTE_NS, 7), true);

        assertThat(load(earlier, latest).properties())
                .containsEntry(TimelineInfo.LEFT_ASIDE, "earlier.json")
                .doesNotContainKey(TimelineInfo.CAPTURES);
        assertThat(load(earlier, other).properties())
                .as("captured a graph of seven kernels, replays one of twenty")
                .containsEntry(TimelineInfo.CAPTURES, "earlier.json")
                .doesNotContainKey(TimelineInfo.LEFT_ASIDE);
    }

    /** A run of process 1 that captures a graph and replays one of 20 kernels. */
    private static Recording run(String name, long unixNs, int captured) {
        TimelineBuilder builder = new TimelineBuilder();
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "7");
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "0");
        row(builder, RowKind.RUNTIME_CALL, thread, 0, 1, "cudaStreamBeginCapture");
        for (int i = 1; i <= captured; i++) {
            row(builder, RowKind.RUNTIME_CALL, thread, 10 * i, 10 * i + 1, "cudaLaunchKernel");
        }
        row(builder, RowKind.RUNTIME_CALL, thread, 300, 301, "cudaStreamEndCapture");
        int launch = builder.row(RowKind.GRAPH_LAUNCH, thread, 400, 490, builder.name("cudaGraphLaunch"));
        builder.correlation(launch, 7);
        for (int i = 0; i < 20; i++) {
            int kernel = builder.row(RowKind.KERNEL, stream, 410 + i, 411 + i, builder.name("k"));
            builder.correlation(kernel, 7);
            builder.link(LinkKind.GRAPH_REPLAY, launch, kernel, 100);
        }
        builder.originUnixNs(unixNs);
        return new Recording(name, builder.build("test"), null);
    }
}
