package io.inferscope.timeline.spool;

import static io.inferscope.timeline.spool.SpoolFixture.OPENED_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.CoreFormats;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stacks, hand-overs, requests and notes of spools of version 1.1. */
class HandOverImportTest {
    private static final long T = OPENED_NS;

    @TempDir
    Path folder;

    @Test
    void sidesOfOneHandOverMeetAcrossProcessesWhicheverFileComesFirst() throws Exception {
        SpoolFixture worker = new SpoolFixture(20, "python-probe");
        int jobs = worker.text("jobs");
        worker.gives(T + 10, 99, 1, 20, 0, 0, jobs)
                .gives(T + 20, 99, 2, 20, 0, 0, jobs)
                .seal();
        SpoolFixture parent = new SpoolFixture(10, "python-probe");
        parent.takes(T + 5, T + 25, 99, 1, 10, 0, 0, parent.text("jobs")).seal();
        for (Timeline timeline : List.of(load(parent, worker), load(worker, parent))) {
            assertThat(links(timeline)).containsExactly("HAND_OVER 10 -> 25 at 100 %");
            int taker = timeline.links().toRow(0);
            assertThat(timeline.startNs(taker)).isEqualTo(T + 5);
            assertThat(timeline.attribute(taker, Attribute.TAKES)).isEqualTo(1);
            assertThat(timeline.attribute(taker, Attribute.HAND_OVER)).isEqualTo(HandOver.QUEUE.ordinal());
        }
    }

    @Test
    void wordsOfTheProbeTellWhatIsHandedOver() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        spool.gives(T + 10, 99, 1, 10, 0, 0, spool.text("Queue: all done"))
                .takes(T + 5, T + 25, 99, 1, 11, 0, 0, spool.text("jobs"))
                .seal();
        Timeline timeline = load(spool);
        int giver = timeline.links().fromRow(0);
        assertThat(HandOver.What.of(timeline, giver)).isEqualTo(HandOver.What.ALL_DONE);
        assertThat(timeline.attributeText(giver, Attribute.DETAIL)).isEqualTo("Queue: all done");
        assertThat(HandOver.What.of(timeline, timeline.links().toRow(0))).isEqualTo(HandOver.What.OTHER);
    }

    @Test
    void takerThatDoesNotCountBelongsToTheLastGiverBeforeIt() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int name = spool.text("lock");
        spool.gives(T + 10, 5, 0, 10, 0, 5, name).gives(T + 20, 5, 0, 10, 0, 5, name);
        spool.takes(T + 2, T + 25, 5, 0, 11, 0, 5, name)
                .takes(T + 2, T + 5, 5, 0, 12, 0, 5, name)
                .seal();
        assertThat(links(load(spool))).containsExactly("LOCK 20 -> 25 at 80 %");
    }

    @Test
    void stackOfAFrameThatIsLostIsCountedAndItsSamplesAreLeftOut() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "host");
        int text = spool.text("f");
        spool.frame(1, text, text, 4).stack(1, 0, 1).stack(2, 1, 9).stack(3, 2, 1);
        spool.sample(T, T + 10, 10, 0, 1, 1, 1, 0).sample(T + 10, T + 20, 10, 0, 3, 1, 0, 0);
        spool.sample(T + 20, T + 30, 10, 0, 0, 1, 0, 0).seal();
        Timeline timeline = load(spool);
        assertThat(rows(timeline, RowKind.STACK_SAMPLE)).hasSize(1);
        assertThat(timeline.name(rows(timeline, RowKind.STACK_SAMPLE)[0])).isEqualTo("f(4): f");
        assertThat(timeline.importStats().count(Reason.UNKNOWN_FRAME)).isEqualTo(3);
    }

    /** A recorder may know the innermost frame when the recording has ended, or not live to store it. */
    @Test
    void stackWhoseInnermostFrameComesLaterStandsForItsCallersUntilThen() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "host");
        int outer = spool.text("step");
        int inner = spool.text("gemm");
        spool.frame(1, outer, outer, 4)
                .stack(1, 0, 1)
                .stack(2, 1, 0)
                .stack(3, 1, 0)
                .stack(4, 0, 0);
        spool.sample(T, T + 10, 10, 0, 2, 1, 1, 0).sample(T + 10, T + 20, 10, 0, 3, 1, 0, 0);
        spool.sample(T + 20, T + 30, 10, 0, 1, 1, 0, 0).sample(T + 30, T + 40, 10, 0, 4, 1, 0, 0);
        spool.frame(2, inner, outer, 0).stack(5, 1, 2).stack(2, 1, 2).seal();
        Timeline timeline = load(spool);
        assertThat(IntStream.of(rows(timeline, RowKind.STACK_SAMPLE)).mapToObj(timeline::name))
                .containsExactly("gemm [step]", "step(4): step", "step(4): step");
        assertThat(timeline.importStats().count(Reason.UNKNOWN_FRAME)).isZero();
    }

    @Test
    void requestsThatOverlapStandOnLanesOfTheirOwn() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int name = spool.text("GET /");
        spool.request(T, T + 50, T + 20, 10, 0, name, 3).request(T + 10, T + 30, 0, 10, 0, name, 0);
        spool.request(T + 30, T + 40, 0, 10, 0, name, 0).request(T + 60, 0, 0, 10, 0, name, 0);
        Timeline timeline = load(spool.process(T, 10, 1, name, T + 90, 0).seal());
        assertThat(IntStream.of(rows(timeline, RowKind.REQUEST))
                        .mapToObj(row ->
                                timeline.tracks().get(timeline.track(row)).key() + ' ' + (timeline.startNs(row) - T)
                                        + ".." + (timeline.endNs(row) - T)))
                .containsExactly("requests 1 0..50", "requests 1 60..90", "requests 2 10..30", "requests 2 30..40");
        int first = rows(timeline, RowKind.REQUEST)[0];
        assertThat(timeline.tracks().get(timeline.track(first)).kind()).isEqualTo(TrackKind.REQUEST);
        assertThat(timeline.attribute(first, Attribute.FIRST_ANSWER_NS)).isEqualTo(20);
        assertThat(timeline.attribute(first, Attribute.ITEMS)).isEqualTo(3);
        assertThat(timeline.importStats().count(Reason.OPEN_SPAN)).isEqualTo(1);
    }

    @Test
    void timesOfSingleTokensAreAnAttributeAndOtherDetailsStayWhatTheyAre() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int name = spool.text("vllm.generate");
        int gaps = spool.text("{\"gaps_us\":[12031,11874]}");
        int other = spool.text("{\"gaps_us\":[12031,\"x\"]}");
        spool.request(T, T + 50_000, T + 20, 10, 30, name, 3, gaps)
                .request(T + 60, T + 90, T + 70, 10, 0, name, 3, other);
        spool.request(T + 70, T + 80, 0, 10, 0, name, 0);
        Timeline timeline = load(spool.process(T, 10, 1, name, T + 90, 0).seal());

        int[] requests = rows(timeline, RowKind.REQUEST);
        assertThat(timeline.numbers(requests[0], Attribute.ANSWER_GAPS)).containsExactly(12031L, 11874L);
        assertThat(timeline.attributeText(requests[0], Attribute.DETAIL)).isEqualTo("10-1");
        assertThat(timeline.attribute(requests[0], Attribute.WAITED_NS)).isEqualTo(30_000);
        assertThat(timeline.numbers(requests[1], Attribute.ANSWER_GAPS)).isEmpty();
        assertThat(timeline.attributeText(requests[1], Attribute.DETAIL)).contains("gaps_us");
        assertThat(timeline.attributeText(requests[2], Attribute.DETAIL)).isEqualTo("10-2");
    }

    @Test
    void laterNoteCountsAndARankShowsInTheName() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int rank = spool.text("rank");
        spool.process(T, 10, 1, spool.text("serve.py"), T + 5, 0).note(rank, spool.text("0"), 10);
        spool.note(rank, spool.text("3"), 10)
                .note(spool.text("host.numa"), spool.text("2 nodes"), 0)
                .seal();
        Timeline timeline = load(spool);
        assertThat(timeline.tracks().get(0).name()).isEqualTo("serve.py (rank 3)");
        assertThat(timeline.properties())
                .containsEntry("process.10.rank", "3")
                .containsEntry("run.host.numa", "2 nodes");
    }

    @Test
    void whatAnEngineSaysThatAProcessIsForIsItsName() throws Exception {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int role = spool.text("role");
        spool.process(T, 10, 1, spool.text("python"), T + 5, 0)
                .note(role, spool.text("spawn"), 10)
                .note(role, spool.text("vllm worker"), 10)
                .note(spool.text("rank"), spool.text("1"), 10)
                .seal();

        assertThat(load(spool).tracks().get(0).name()).isEqualTo("vllm worker (rank 1)");
    }

    private static List<String> links(Timeline timeline) {
        return IntStream.range(0, timeline.links().count())
                .mapToObj(link -> {
                    assertThat(timeline.links().kind(link)).isIn(LinkKind.LOCK, LinkKind.HAND_OVER);
                    return timeline.links().kind(link) + " "
                            + (timeline.endNs(timeline.links().fromRow(link)) - T) + " -> "
                            + (timeline.endNs(timeline.links().toRow(link)) - T) + " at "
                            + timeline.links().confidencePercent(link) + " %";
                })
                .toList();
    }

    private static int[] rows(Timeline timeline, RowKind kind) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == kind)
                .toArray();
    }

    private Timeline load(SpoolFixture... spools) throws Exception {
        Path directory = Files.createTempDirectory(folder, "run");
        for (int i = 0; i < spools.length; i++) {
            Files.write(directory.resolve(i + ".spool"), spools[i].bytes());
        }
        return CoreFormats.load(directory);
    }
}
