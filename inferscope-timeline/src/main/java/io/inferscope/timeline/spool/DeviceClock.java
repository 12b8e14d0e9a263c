package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.clock.ClockAnchor;
import io.inferscope.timeline.clock.ClockMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Maps stamps of CUPTI's clock to the axis by the readings that the agent stored after every buffer. CUPTI's clock
 * follows Unix time. If that was set while the program ran, the offset differs before and after; a stamp is mapped by
 * the offset that places it on its own side.
 *
 * <pre>
 *   offset   r---r---r---r                    r: reading
 *                         :  r---r---r        a step lies between two readings
 *            &lt;-- epoch 0 --&gt;&lt;- epoch 1 -&gt;
 * </pre>
 *
 * A stamp that fits no side, or both, cannot be placed. Another profiler may switch CUPTI's clock to the processor's
 * counter: such readings belong to no epoch, and stamps of the counter are placed by {@link CounterClock}, if it can be
 * fitted.
 */
final class DeviceClock {
    /** What {@link #toAxisNs} returns for a stamp that cannot be placed. */
    static final long UNPLACED = Attribute.ABSENT;

    /**
     * A reading this close to the processor's counter is a reading of that counter: both are read within microseconds.
     */
    private static final long SAME_COUNTER_TICKS = 10_000_000;

    /**
     * Tolerance for a stamp before the first reading or after the next one in the file, because device clocks are
     * interpolated.
     */
    private static final long SLACK_NS = 60_000_000_000L;

    private final List<Reading> readings = new ArrayList<>();
    private final List<Epoch> epochs = new ArrayList<>();
    private Optional<CounterClock> counter = Optional.empty();
    private boolean fitted;
    private int cursor;

    /** Several clocks at one moment; {@code ticks} is the processor's counter, 0 where it was not read. */
    record Reading(long fileOffset, long axisNs, long deviceNs, long ticks, long uncertaintyNs) {
        private boolean isOfCounter() {
            return ticks != 0 && Math.abs(deviceNs - ticks) < SAME_COUNTER_TICKS;
        }

        private ClockAnchor anchor() {
            return new ClockAnchor(deviceNs, axisNs, uncertaintyNs);
        }

        private boolean agreesWith(Reading other) {
            return ClockMap.agree(anchor(), other.anchor());
        }
    }

    /** A stretch of the axis in which the clock did not step; the bounds are exclusive. */
    private record Epoch(ClockMap map, long afterNs, long beforeNs) {
        private long place(long deviceNs) {
            long axisNs = map.toAxisNs(deviceNs);
            return axisNs > afterNs && axisNs < beforeNs ? axisNs : UNPLACED;
        }
    }

    /** Adds the record if it is a reading of CUPTI's clock. */
    void collect(SpoolRecordView view) {
        if (view.type() == CLOCK && view.i64(CLOCK_DOMAIN_TIME) != 0) {
            readings.add(new Reading(
                    view.fileOffset(),
                    view.i64(CLOCK_MONOTONIC_NS),
                    view.i64(CLOCK_DOMAIN_TIME),
                    view.i64(CLOCK_TICKS),
                    Math.max(0, view.u32(CLOCK_UNCERTAINTY_NS))));
        }
    }

    /** Returns the readings, in the order of the file. */
    List<Reading> readings() {
        return readings;
    }

    /** Returns whether a stamp is from the processor's counter and can be placed. */
    boolean isOfCounter(long stamp, long fileOffset) {
        fit();
        return counter.isPresent()
                && byEpochs(stamp, latestNs(fileOffset)) == UNPLACED
                && toAxisNs(stamp, fileOffset) != UNPLACED;
    }

    /**
     * Returns the axis time of a stamp, {@link #UNPLACED} when it has none.
     *
     * @param fileOffset offset of its record: no stamp is later than the reading that follows its record
     */
    long toAxisNs(long deviceNs, long fileOffset) {
        fit();
        long latestNs = latestNs(fileOffset);
        long placed = byEpochs(deviceNs, latestNs);
        if (placed != UNPLACED || counter.isEmpty()) {
            return placed;
        }
        long axisNs = counter.get().toAxisNs(deviceNs);
        return axisNs <= latestNs ? axisNs : UNPLACED;
    }

    private long byEpochs(long deviceNs, long latestNs) {
        long placed = UNPLACED;
        for (Epoch epoch : epochs) {
            long axisNs = epoch.place(deviceNs);
            if (axisNs != UNPLACED && axisNs <= latestNs) {
                if (placed != UNPLACED) {
                    return UNPLACED;
                }
                placed = axisNs;
            }
        }
        return placed;
    }

    /**
     * Returns the index of the first reading after an offset of the file, else of the last one; -1 without readings.
     */
    int readingAfter(long fileOffset) {
        if (cursor > 0 && readings.get(cursor - 1).fileOffset() > fileOffset) {
            cursor = 0;
        }
        while (cursor < readings.size() - 1 && readings.get(cursor).fileOffset() < fileOffset) {
            cursor++;
        }
        return readings.isEmpty() ? -1 : cursor;
    }

    private long latestNs(long fileOffset) {
        int after = readingAfter(fileOffset);
        return after < 0 ? Long.MAX_VALUE : readings.get(after).axisNs() + SLACK_NS;
    }

    private void fit() {
        if (fitted) {
            return;
        }
        fitted = true;
        if (readings.stream().anyMatch(Reading::isOfCounter)) {
            counter = CounterClock.fit(readings);
        }
        List<List<Reading>> groups = groups();
        for (int i = 0; i < groups.size(); i++) {
            List<ClockAnchor> anchors =
                    groups.get(i).stream().map(Reading::anchor).toList();
            long afterNs = i == 0
                    ? groups.get(0).get(0).axisNs() - SLACK_NS
                    : last(groups.get(i - 1)).axisNs();
            long beforeNs = i == groups.size() - 1
                    ? last(readings).axisNs() + SLACK_NS
                    : groups.get(i + 1).get(0).axisNs();
            epochs.add(new Epoch(ClockMap.fit(anchors), afterNs, beforeNs));
        }
    }

    /**
     * Groups readings between steps. A single reading that disagrees with both neighbours was interrupted and is left
     * out.
     */
    private List<List<Reading>> groups() {
        List<Reading> usable =
                readings.stream().filter(reading -> !reading.isOfCounter()).toList();
        List<List<Reading>> groups = new ArrayList<>();
        for (int i = 0; i < usable.size(); i++) {
            Reading reading = usable.get(i);
            List<Reading> group = groups.isEmpty() ? List.of() : last(groups);
            if (!group.isEmpty() && last(group).agreesWith(reading)) {
                group.add(reading);
            } else if (group.isEmpty() || i + 1 == usable.size() || !last(group).agreesWith(usable.get(i + 1))) {
                groups.add(new ArrayList<>(List.of(reading)));
            }
        }
        return groups;
    }

    private static <T> T last(List<T> list) {
        return list.get(list.size() - 1);
    }

    /**
     * Returns this clock as a domain.
     *
     * @param causalityNs the observed contradiction between device stamps and their calls
     */
    ClockDomain domain(long causalityNs) {
        fit();
        int anchors = 0;
        long worstNs = 0;
        for (Epoch epoch : epochs) {
            anchors += epoch.map().anchors();
            long boundNs = epoch.map().errorBoundNs();
            worstNs = boundNs < 0 || worstNs < 0 ? -1 : Math.max(worstNs, boundNs);
        }
        if (counter.isPresent()) {
            anchors += counter.get().anchors();
            worstNs = worstNs < 0 ? -1 : Math.max(worstNs, counter.get().errorBoundNs());
        }
        boolean known = worstNs >= 0 && anchors > 0;
        return new ClockDomain("cupti", anchors, known ? worstNs + causalityNs : -1);
    }
}
