package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Optional;

/**
 * Base of the rules about a busy device's clocks: the readings that count, and the upper bound of the cost of the lower
 * clock.
 */
abstract class ClockRule extends Rule {
    static final Threshold SHARE = new Threshold("clocks.share", 0.20, "readings of the busy device at reduced clocks");

    private final String words;

    /** Makes a rule; {@code words}: the reasons, to follow "for 10.0% of the readings". */
    ClockRule(String id, String title, String words, Threshold... limits) {
        super(new RuleInfo(id, title, Needs.DEVICE_WORK)
                .limits(SHARE, BusyReadings.BUSY, BusyReadings.READINGS)
                .limits(limits));
        this.words = words;
    }

    /**
     * Returns whether reasons of the driver (bits, {@link io.inferscope.timeline.DeviceCounters#CLOCK_REASONS}) are
     * those that the rule reports.
     */
    abstract boolean minds(long reasons);

    /** Returns the least acceptable clock, as a ratio of the highest one. */
    double enough(Analysis analysis) {
        return 1;
    }

    /** Adds the advice and the highest severity. */
    abstract FindingBuilder advised(FindingBuilder finding);

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<BusyReadings> found = BusyReadings.of(analysis);
        if (found.isEmpty()) {
            return new Verdict.NotApplicable(
                    "the driver's counters of the clocks of a busy device are not recorded, or too few of them");
        }
        BusyReadings readings = found.get();
        double share = readings.share(this::minds);
        double ratio = readings.meanHz(this::minds) / readings.mostHz();
        if (share < analysis.threshold(SHARE) || ratio >= enough(analysis)) {
            return Verdict.clean(
                    "clocks " + words + " for " + Units.percent(share) + " of the readings of the busy device"
                            + (share == 0 ? "" : ", at " + Units.percent(ratio) + " of the highest"));
        }
        return Verdict.found(advised(finding(analysis, readings, share, ratio)));
    }

    /**
     * Arithmetic-bound kernels slow down in proportion to the clock; others lose less, so the cost is an upper bound.
     */
    private FindingBuilder finding(Analysis analysis, BusyReadings readings, double share, double ratio) {
        Ledger ledger = analysis.ledger();
        long costNs = Math.round(ledger.ns(LedgerClass.GPU_COMPUTE) * share * Math.max(0, 1 - ratio));
        return finding(ledger, costNs)
                .causes(List.of(LedgerClass.GPU_COMPUTE))
                .measure("of readings", Units.percent(share))
                .measure("clock", megahertz(readings.meanHz(this::minds)))
                .measure("most", megahertz(readings.mostHz()))
                .measure("words", words)
                .claim(
                        "The device's clock was {words} for {of readings} of the time in which it was busy: {clock} of {most}."
                                + " That costs at most {cost} ({share} of the {part}), if its kernels are bound by arithmetic.")
                .quantity("readings of the busy device", readings.count(), "count")
                .quantity("of them " + words, share, "ratio")
                .quantity("clock then, of the highest", ratio, "ratio")
                .noGain("how far kernels follow the clock has not been measured");
    }

    private static String megahertz(double hz) {
        return Units.count(Math.round(hz / 1e6)) + " MHz";
    }
}
