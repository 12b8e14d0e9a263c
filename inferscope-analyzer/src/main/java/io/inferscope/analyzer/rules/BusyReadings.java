package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.DeviceCounters;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * The driver's readings of the judged device's clocks at instants of the judged part in which the device was busy.
 * Other readings do not matter, because an idle device lowers its clocks.
 *
 * @param mostHz the highest clock of the device, in Hz
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record BusyReadings(double[] reasons, double[] clocksHz, double mostHz) {
    static final Threshold BUSY =
            new Threshold("clocks.busy", 0.50, "utilisation from which a counter reading is of a busy device");
    static final Threshold READINGS =
            new Threshold("clocks.readings", 5.0, "readings of the busy device needed to judge its clocks");

    /**
     * Returns the readings; empty if the device's utilisation, clocks, clock limit or clock reasons are not recorded,
     * or too seldom while it was busy.
     */
    static Optional<BusyReadings> of(Analysis analysis) {
        String device = analysis.headline().map(DeviceActivity::id).orElse("");
        Optional<Series> utilisation = series(analysis, DeviceCounters.UTILISATION, device);
        Optional<Series> reasons = series(analysis, DeviceCounters.CLOCK_REASONS, device);
        Optional<Series> clock = series(analysis, DeviceCounters.SM_CLOCK, device);
        Optional<Series> most = series(analysis, DeviceCounters.SM_CLOCK_MOST, device);
        if (utilisation.isEmpty()
                || reasons.isEmpty()
                || clock.isEmpty()
                || most.isEmpty()
                || most.get().most() <= 0) {
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
                : Optional.of(new BusyReadings(
                        at(reasons.get(), busyNs, count),
                        at(clock.get(), busyNs, count),
                        most.get().most()));
    }

    static Optional<Series> series(Analysis analysis, String counter, String device) {
        return analysis.counters().named(counter).stream()
                .filter(series -> DeviceCounters.device(series.key()).equals(device))
                .findFirst();
    }

    /**
     * Returns a counter's values at the instants of readings. The counters of a reading have the same stamp; a missing
     * one has its previous value.
     */
    private static double[] at(Series series, long[] timesNs, int count) {
        return Arrays.stream(timesNs, 0, count).mapToDouble(series::at).toArray();
    }

    int count() {
        return reasons.length;
    }

    /** Returns how many of the readings have reasons that {@code wanted} accepts, as a ratio. */
    double share(LongPredicate wanted) {
        return (double) Arrays.stream(reasons)
                        .filter(bits -> wanted.test((long) bits))
                        .count()
                / count();
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
