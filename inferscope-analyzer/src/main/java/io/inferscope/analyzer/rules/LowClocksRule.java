package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.timeline.DeviceCounters;

/**
 * Reports a busy device whose clock is low without a reported reason. Basis and threshold: docs/rules/low-clocks.md.
 */
final class LowClocksRule extends ClockRule {
    private static final Threshold RATIO =
            new Threshold("low-clocks.ratio", 0.70, "clock below this ratio of the highest counts as low");

    LowClocksRule() {
        super(
                "low-clocks",
                "The clocks are low though the device is busy",
                "held down by neither power nor heat",
                RATIO);
    }

    @Override
    boolean minds(long reasons) {
        return (reasons & DeviceCounters.HELD_DOWN) == 0;
    }

    @Override
    double enough(Analysis analysis) {
        return analysis.threshold(RATIO);
    }

    @Override
    FindingBuilder advised(FindingBuilder finding) {
        return finding.advice(
                "The clocks may have been limited by hand: `nvidia-smi -q -d CLOCK` shows application and locked clocks, `nvidia-smi -rac` and `nvidia-smi -rgc` reset them. Short bursts of work end before the clock has risen: `nvidia-smi -pm 1`, larger batches.");
    }
}
