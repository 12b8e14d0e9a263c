package io.inferscope.report.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import io.inferscope.timeline.TrackKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordingCostTest {
    private static final long SECOND = 1_000_000_000;

    private final TimelineBuilder builder = new TimelineBuilder();
    private Report report = new Analyzer().analyze(new TimelineBuilder().build("test"), "test");

    @Test
    void sharesAreSaidOfASecondAndMore() {
        cost("host", 40_000_000);

        assertThat(sentence(SECOND)).startsWith("recording took 40.0 ms of CPU time: 4.0% of a core (host 40.0 ms)");
    }

    @Test
    void aShortRecordingHasNoShares() {
        cost("host", 40_000_000);

        assertThat(sentence(SECOND / 16)).startsWith("recording took 40.0 ms of CPU time (host 40.0 ms)");
    }

    @Test
    void whatInferScopesJvmTakesIsToldApartWhereItIsMost() {
        cost("host", 10_000_000);
        cost("inferscope", 190_000_000);

        assertThat(sentence(2 * SECOND))
                .contains("10.0% of a core (0.5% without InferScope's JVM, whose start-up is fixed)");
    }

    @Test
    void otherwiseTheWholeIsSaidAlone() {
        cost("host", 60_000_000);
        cost("inferscope", 40_000_000);

        assertThat(sentence(2 * SECOND)).contains("5.0% of a core (host");
    }

    @Test
    void whatTheRecordersThreadsTookIsNotTheProgramsTime() {
        cost("host", 10_000_000);
        onCpu("2", "worker", 100_000_000);
        onCpu("3", "inferscope-cuda", 300_000_000);

        assertThat(sentence(2 * SECOND)).contains("10.0% of the program's 100 ms");
        assertThat(threads()).contains("thread 2 (worker)", "thread 3 (inferscope-cuda), InferScope's own");
    }

    /** Recorders tell their cost at the end only: of a part of 2 s in a run of 20 s, a share would be ten times too large. */
    @Test
    void whatRecordingCostIsOfTheWholeRunWhereAPartIsExplained() {
        cost("host", 400_000_000);
        onCpu("2", "worker", 100_000_000);
        builder.property(TimelineInfo.PART_OF_NS, Long.toString(20 * SECOND));

        assertThat(sentence(2 * SECOND))
                .startsWith("recording took 400 ms of CPU time in all 20.0 s of the run: 2.0% of a core (host 400 ms)");
    }

    private void onCpu(String tid, String name, long ns) {
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), tid);
        builder.trackName(thread, name);
        int state = builder.row(RowKind.THREAD_STATE, thread, 0, SECOND, builder.name("running"));
        builder.attribute(state, Attribute.ON_CPU_NS, ns);
    }

    private List<String> threads() {
        return report.rows(Report.THREADS).stream().map(ThreadFigures::thread).toList();
    }

    private void cost(String recorder, long cpuNs) {
        builder.overhead(new RecorderOverhead(recorder, cpuNs, 0, 1));
    }

    private String sentence(long durationNs) {
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "1");
        builder.row(RowKind.OPERATOR, thread, 0, durationNs, builder.name("linear"));
        report = new Analyzer().analyze(builder.build("test"), "test");
        return RecordingCost.sentence(report);
    }
}
