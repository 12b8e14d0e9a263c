package io.inferscope.analyzer.rules;

/** Reports clocks lowered by heat or the hardware. Basis and threshold: docs/rules/clocks-held-down.md. */
final class ClocksHeldDownRule extends ClockRule {
    /**
     * Hardware slowdown, thermal slowdown by software and by hardware, power brake: nvmlClocksEventReasons (nvml.h).
     */
    private static final long BITS = 0x8 | 0x20 | 0x40 | 0x80;

    ClocksHeldDownRule() {
        super("clocks-held-down", "Heat or the hardware holds the clocks down", "held down by heat or by the hardware");
    }

    @Override
    boolean minds(long reasons) {
        return (reasons & BITS) != 0;
    }

    @Override
    FindingBuilder advised(FindingBuilder finding) {
        return finding.advice(
                "`nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER` shows which of them: cool the device (air flow, fans, neighbours), or have its power supply and cables checked. No change to the program makes up for it.");
    }
}
