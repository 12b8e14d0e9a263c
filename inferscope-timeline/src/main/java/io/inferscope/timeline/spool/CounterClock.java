package io.inferscope.timeline.spool;

import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.spool.DeviceClock.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Maps the processor's counter to the axis: by linear interpolation between two readings, and beyond the outer readings
 * at the rate of the nearest two. Another profiler may make CUPTI stamp with this counter. Its rate must be steady but
 * need not be known: the distance of each reading from what its neighbours predict bounds the error, and shows a
 * counter that stops or jumps.
 *
 * <pre>
 *   axis   r-----r-----r-----r        r: reading of both clocks
 *   ticks  r-----r-----r-----r
 * </pre>
 *
 * @param errorBoundNs the largest error of a stamp between the first and the last reading, in ns
 */
record CounterClock(List<Reading> readings, long errorBoundNs) {
    /** Readings with a wider bracket were interrupted and are not used. */
    private static final long WIDEST_NS = 20_000;

    /**
     * Largest accepted error. With a larger one, kernels cannot be ordered with their calls, so the stamps are left
     * out.
     */
    private static final long WORST_NS = 50_000;

    private static final int FEWEST_READINGS = 3;

    /** How far beyond the outer readings a stamp may lie: the agent reads the clocks every 200 ms. */
    private static final long BEYOND_NS = 1_000_000_000L;

    /** Fits a map to readings in the order of time; empty when there are too few or they do not agree. */
    static Optional<CounterClock> fit(List<Reading> all) {
        List<Reading> rising = new ArrayList<>();
        for (Reading reading : all) {
            Reading last = rising.isEmpty() ? null : rising.get(rising.size() - 1);
            boolean rises = last == null || (reading.ticks() > last.ticks() && reading.axisNs() > last.axisNs());
            if (reading.ticks() > 0 && reading.uncertaintyNs() <= WIDEST_NS && rises) {
                rising.add(reading);
            }
        }
        if (rising.size() < FEWEST_READINGS) {
            return Optional.empty();
        }
        long worstNs = 0;
        long widestNs = 0;
        for (int i = 0; i < rising.size(); i++) {
            widestNs = Math.max(widestNs, rising.get(i).uncertaintyNs());
            if (i > 0 && i + 1 < rising.size()) {
                long predictedNs = between(
                        rising.get(i - 1), rising.get(i + 1), rising.get(i).ticks());
                worstNs = Math.max(worstNs, Math.abs(predictedNs - rising.get(i).axisNs()));
            }
        }
        long boundNs = worstNs + widestNs;
        return boundNs > WORST_NS ? Optional.empty() : Optional.of(new CounterClock(rising, boundNs));
    }

    private static long between(Reading a, Reading b, long ticks) {
        double nsPerTick = (double) (b.axisNs() - a.axisNs()) / (b.ticks() - a.ticks());
        return a.axisNs() + Math.round((ticks - a.ticks()) * nsPerTick);
    }

    /** Returns the axis time of a stamp, {@link DeviceClock#UNPLACED} when it is too far from all readings. */
    long toAxisNs(long ticks) {
        int low =
                BinarySearch.first(1, readings.size() - 1, i -> readings.get(i).ticks() > ticks) - 1;
        long axisNs = between(readings.get(low), readings.get(low + 1), ticks);
        boolean near = axisNs > readings.get(0).axisNs() - BEYOND_NS
                && axisNs < readings.get(readings.size() - 1).axisNs() + BEYOND_NS;
        return near ? axisNs : DeviceClock.UNPLACED;
    }

    int anchors() {
        return readings.size();
    }
}
