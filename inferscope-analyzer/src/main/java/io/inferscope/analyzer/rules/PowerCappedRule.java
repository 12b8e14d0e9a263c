package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.Finding.Severity;

/** Reports clocks lowered by the power limit. Basis and threshold: docs/rules/power-capped.md. */
final class PowerCappedRule extends ClockRule {
    /** nvmlClocksEventReasonSwPowerCap (nvml.h). */
    private static final long BIT = 0x4;

    PowerCappedRule() {
        super("power-capped", "The power limit holds the clocks down", "held down by the power limit");
    }

    /** If heat or the hardware also lowers the clocks, the other rule reports it. */
    @Override
    boolean minds(long reasons) {
        return (reasons & BIT) != 0;
    }

    @Override
    FindingBuilder advised(FindingBuilder finding) {
        return finding.severity(Severity.INFO)
                .advice(
                        "A device at its power limit runs as fast as the limit allows. Raise the limit where it was lowered (`nvidia-smi -q -d POWER`, `nvidia-smi -pl`), or make the"
                                + " work cheaper: lower precision, fewer bytes moved.");
    }
}
