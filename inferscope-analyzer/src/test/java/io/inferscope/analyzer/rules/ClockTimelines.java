package io.inferscope.analyzer.rules;

import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.fixture.TimelineFixture;

/** A device that computes for 100 ms, ten readings of the driver's counters meanwhile, and the device idle after that. */
final class ClockTimelines {
    /** The highest clock. */
    static final double MOST_HZ = 2e9;

    private ClockTimelines() {}

    static TimelineFixture computing() {
        return TimelineFixture.blank().kernel("7", 0, 100_000, "gemm").launchedBy("main", 0, 5);
    }

    /**
     * Returns it with clocks.
     *
     * @param held of ten readings of the busy device, in how many the clock has these reasons, beginning with the first
     * @param reasons bits
     * @param heldHz the clock then; the highest at other times
     */
    static TimelineFixture clocks(int held, long reasons, double heldHz) {
        TimelineFixture fixture = computing();
        count(fixture, DeviceCounters.SM_CLOCK_MOST, 0, MOST_HZ);
        for (int i = 0; i < 10; i++) {
            read(fixture, 5_000 + 10_000 * i, 1, i < held ? reasons : 0, i < held ? heldHz : MOST_HZ);
        }
        read(fixture, 150_000, 0, 1, 2e8);
        return fixture;
    }

    private static void read(TimelineFixture fixture, double atUs, double utilisation, long reasons, double clockHz) {
        count(fixture, DeviceCounters.UTILISATION, atUs, utilisation);
        count(fixture, DeviceCounters.CLOCK_REASONS, atUs, (double) reasons);
        count(fixture, DeviceCounters.SM_CLOCK, atUs, clockHz);
    }

    static void count(TimelineFixture fixture, String counter, double atUs, double value) {
        fixture.counter(DeviceCounters.key(counter, "0"), atUs, value);
    }
}
