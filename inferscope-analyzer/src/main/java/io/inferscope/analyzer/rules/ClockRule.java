package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.DeviceCounters;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The rules about a busy device's clocks: the readings that count, and the upper bound of the cost of the lower clock.
 */
final class ClockRule extends Rule {
    private static final Threshold SHARE = Threshold.of("clocks.share");
    private static final Threshold BUSY = Threshold.of("clocks.busy");
    private static final Threshold READINGS = Threshold.of("clocks.readings");

    /**
     * Hardware slowdown, thermal slowdown by software and by hardware, power brake: nvmlClocksEventReasons (nvml.h).
     */
    static final Rule HELD_DOWN = new ClockRule(
            "clocks-held-down",
            "held down by heat or by the hardware",
            reasons -> (reasons & (0x8 | 0x20 | 0x40 | 0x80)) != 0,
            null);

    /** nvmlClocksEventReasonSwPowerCap (nvml.h). If heat also lowers the clocks, the other rule reports it. */
    static final Rule POWER_CAPPED =
            new ClockRule("power-capped", "held down by the power limit", reasons -> (reasons & 0x4) != 0, null);

    /** Low without a reported reason. */
    static final Rule LOW = new ClockRule(
            "low-clocks",
            "held down by neither power nor heat",
            reasons -> (reasons & DeviceCounters.HELD_DOWN) == 0,
            Threshold.of("low-clocks.ratio"));

    private final String words;
    private final LongPredicate minds;
    private final @Nullable Threshold enough;

    /**
     * Makes a rule.
     *
     * @param words the reasons, to follow "for 10.0% of the readings"
     * @param minds whether reasons of the driver (bits, {@link DeviceCounters#CLOCK_REASONS}) are those that the rule
     *     reports
     * @param enough the least acceptable clock, as a ratio of the highest one; null for the highest one
     */
    private ClockRule(String id, String words, LongPredicate minds, @Nullable Threshold enough) {
        super(id);
        this.words = words;
        this.minds = minds;
        this.enough = enough;
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<Readings> found = Readings.of(analysis);
        if (found.isEmpty()) {
            return new Verdict.NotApplicable(
                    "the driver's counters of the clocks of a busy device are not recorded, or too few of them");
        }
        Readings readings = found.get();
        double share = readings.share(minds);
        double ratio = readings.meanHz(minds) / readings.mostHz;
        if (share < analysis.threshold(SHARE) || ratio >= (enough == null ? 1 : analysis.threshold(enough))) {
            return Verdict.clean(
                    "clocks " + words + " for " + Units.percent(share) + " of the readings of the busy device"
                            + (share == 0 ? "" : ", at " + Units.percent(ratio) + " of the highest"));
        }
        FindingBuilder finding = finding(analysis, readings, share, ratio).advice(analysis);
        return Verdict.found(this == POWER_CAPPED ? finding.severity(Severity.INFO) : finding);
    }

    /**
     * Arithmetic-bound kernels slow down in proportion to the clock; others lose less, so the cost is an upper bound.
     */
    private FindingBuilder finding(Analysis analysis, Readings readings, double share, double ratio) {
        Ledger ledger = analysis.ledger();
        long costNs = Math.round(ledger.ns(LedgerClass.GPU_COMPUTE) * share * Math.max(0, 1 - ratio));
        return finding(ledger, costNs)
                .causes(List.of(LedgerClass.GPU_COMPUTE))
                .measure("of readings", Units.percent(share))
                .measure("clock", megahertz(readings.meanHz(minds)))
                .measure("most", megahertz(readings.mostHz))
                .measure("words", words)
                .claim("clocks")
                .quantity("readings of the busy device", readings.reasons.length, "count")
                .quantity("of them " + words, share, "ratio")
                .quantity("clock then, of the highest", ratio, "ratio")
                .noGain("how far kernels follow the clock has not been measured");
    }

    private static String megahertz(double hz) {
        return Units.count(Math.round(hz / 1e6)) + " MHz";
    }

    /**
     * The driver's readings of the judged device's clocks at instants of the judged part in which the device was busy.
     * Other readings do not matter, because an idle device lowers its clocks.
     *
     * @param mostHz the highest clock of the device, in Hz
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Readings(double[] reasons, double[] clocksHz, double mostHz) {
        /**
         * Returns the readings; empty if the device's utilisation, clocks, clock limit or clock reasons are not
         * recorded, or too seldom while it was busy.
         */
        static Optional<Readings> of(Analysis analysis) {
            String device = analysis.headline().map(DeviceActivity::id).orElse("");
            Optional<Series> utilisation = analysis.counters().ofDevice(DeviceCounters.UTILISATION, device);
            Optional<Series> reasons = analysis.counters().ofDevice(DeviceCounters.CLOCK_REASONS, device);
            Optional<Series> clock = analysis.counters().ofDevice(DeviceCounters.SM_CLOCK, device);
            double mostHz = analysis.counters()
                    .ofDevice(DeviceCounters.SM_CLOCK_MOST, device)
                    .map(Series::most)
                    .orElse(0.0);
            if (utilisation.isEmpty() || reasons.isEmpty() || clock.isEmpty() || mostHz <= 0) {
                return Optional.empty();
            }
            Stretch part = analysis.judged().stretch();
            Series within = utilisation.get().between(part.startNs(), part.endNs());
            long[] busyNs = new long[within.size()];
            int count = 0;
            for (int i = 0; i < within.size(); i++) {
                if (within.value(i) >= analysis.threshold(BUSY)) {
                    busyNs[count++] = within.timeNs(i);
                }
            }
            return count < analysis.threshold(READINGS)
                    ? Optional.empty()
                    : Optional.of(
                            new Readings(at(reasons.get(), busyNs, count), at(clock.get(), busyNs, count), mostHz));
        }

        /**
         * Returns a counter's values at the instants of readings. The counters of a reading have the same stamp; a
         * missing one has its previous value.
         */
        private static double[] at(Series series, long[] timesNs, int count) {
            return Arrays.stream(timesNs, 0, count).mapToDouble(series::at).toArray();
        }

        /** Returns how many of the readings have reasons that {@code wanted} accepts, as a ratio. */
        double share(LongPredicate wanted) {
            return (double) Arrays.stream(reasons)
                            .filter(bits -> wanted.test((long) bits))
                            .count()
                    / reasons.length;
        }

        /** Returns the mean clock over the readings that {@code wanted} accepts, in Hz; 0 without any. */
        double meanHz(LongPredicate wanted) {
            double sum = 0;
            int found = 0;
            for (int i = 0; i < reasons.length; i++) {
                if (wanted.test((long) reasons[i])) {
                    sum += clocksHz[i];
                    found++;
                }
            }
            return found == 0 ? 0 : sum / found;
        }
    }
}
