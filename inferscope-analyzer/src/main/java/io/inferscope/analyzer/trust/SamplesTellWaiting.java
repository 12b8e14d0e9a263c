package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/**
 * Samplers leave out threads that the operating system reports as idle. With an option to include them and Python
 * frames only, a line that calls time.sleep looks like work. Samples of Python code that only waits show that the
 * option was used.
 */
final class SamplesTellWaiting extends Check {
    private static final Threshold IDLE_SAMPLES = Threshold.of("trust.idle-samples.share");

    @Override
    TrustCheck of(RecordingFacts recorded) {
        Analysis analysis = recorded.analysis();
        if (analysis.threadStatesRecorded()) {
            return pass("thread states are recorded beside stack samples");
        }
        Timeline timeline = recorded.timeline();
        int[] samples = analysis.rows(RowKind.STACK_SAMPLE);
        long sampledNs = timeline.sumNs(Arrays.stream(samples));
        long waitingNs = timeline.sumNs(
                Arrays.stream(samples).filter(row -> analysis.classify(row).isWaiting()));
        boolean idleToo = waitingNs > recorded.threshold(IDLE_SAMPLES) * sampledNs;
        return idleToo && analysis.pythonStacksWithoutNativeFrames()
                ? fail(
                        true,
                        Units.percent((double) waitingNs / sampledNs)
                                + " of the sampled time is waiting, so idle threads were sampled too, and only Python frames: calls"
                                + " that wait in native code, such as time.sleep, look like work",
                        "record thread states beside the samples: `inferscope run -- COMMAND`; with py-spy leave out --idle, or add --native")
                : pass("stack samples of threads that wait are absent, or show that they wait");
    }
}
