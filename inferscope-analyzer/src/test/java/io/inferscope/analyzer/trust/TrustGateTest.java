package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.SOUND;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The gate as a whole: the sound recording passes every check. Each check has a test of its own. */
class TrustGateTest {
    @Test
    void durationsThatWereLaidOutCarryNoVerdictAndNoOtherCheck() {
        TimelineBuilder builder = new TimelineBuilder();
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "layers");
        builder.row(RowKind.KERNEL, stream, 0, 10, builder.name("layer"));
        builder.property(TimelineInfo.INSTANTS, TimelineInfo.LAID_OUT);

        Report report = new Analyzer().analyze(builder.build("test"), "test");

        assertThat(report.trust())
                .extracting(TrustCheck::check)
                .containsExactly("lost-events", "instants-are-recorded");
        assertThat(report.verdict().bound()).isEqualTo(BoundVerdict.Bound.WITHHELD);
        assertThat(report.findings()).isEmpty();
        assertThat(report.diagnosis()).containsExactly("No verdict: the recording is not good enough for one");
    }

    @Test
    void aSoundRecordingPassesEveryCheck() {
        Analysis analysis = Analysis.of(TimelineFixture.draw(SOUND), Thresholds.defaults());

        assertThat(TrustGate.check(analysis)).hasSize(19).allSatisfy(check -> {
            assertThat(check.passed()).as(check.check()).isTrue();
            assertThat(check.withholds()).isFalse();
            assertThat(check.remedy()).isEmpty();
        });
        assertThat(TrustGate.check(analysis))
                .extracting(TrustCheck::check)
                .containsExactly(
                        "lost-events",
                        "program-succeeded",
                        "known-accelerator",
                        "launches-have-device-work",
                        "graph-launches-have-kernels",
                        "graph-replays-are-busy",
                        "device-work-is-complete",
                        "operations-have-launches",
                        "kernels-follow-their-launch",
                        "synchronisation-follows-its-work",
                        "clocks-are-tied",
                        "streams-do-not-overlap",
                        "steps-have-device-work",
                        "blocked-calls-have-device-work",
                        "first-operation-starts-at-once",
                        "utilisation-agrees",
                        "profiler-is-small",
                        "samples-carry-time",
                        "samples-tell-waiting");
    }

    @ParameterizedTest
    @CsvSource({
        "kineto, record again with `inferscope run --ops -- COMMAND`",
        "kineto + nsys, record again with `inferscope run --ops -- COMMAND`",
        "nsys, record again with `nsys profile",
        "rocprofv3, record again with `rocprofv3 --runtime-trace",
        "rocpd, record again with `rocprofv3 --runtime-trace",
        "onnxruntime, record the program with `nsys profile",
        "trtexec, record with `nsys profile",
        "xla, record again with `jax.profiler.trace`"
    })
    void theRemedyNamesTheRecorderOfTheFormat(String format, String remedy) {
        TimelineBuilder builder = new TimelineBuilder();
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "1");
        builder.row(RowKind.RUNTIME_CALL, thread, 0, 10, builder.name("cudaDeviceSynchronize"));

        assertThat(check("blocked-calls-have-device-work", builder.build(format))
                        .remedy())
                .startsWith(remedy);
    }
}
