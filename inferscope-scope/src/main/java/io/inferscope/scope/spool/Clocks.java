package io.inferscope.scope.spool;

import java.time.Instant;

/** Reads CLOCK_MONOTONIC and CLOCK_REALTIME together. */
public final class Clocks {
    private static final int TRIES = 5;

    private Clocks() {}

    /**
     * Reads both clocks at one moment. The two readings cannot be simultaneous, so it tries five times and returns
     * those closest together.
     */
    public static SpoolRecord.Clock read() {
        SpoolRecord.Clock best = once();
        for (int i = 1; i < TRIES; i++) {
            SpoolRecord.Clock next = once();
            if (next.uncertaintyNs() < best.uncertaintyNs()) {
                best = next;
            }
        }
        return best;
    }

    private static SpoolRecord.Clock once() {
        long before = System.nanoTime();
        Instant realtime = Instant.now();
        long after = System.nanoTime();
        long realtimeNs = realtime.getEpochSecond() * 1_000_000_000L + realtime.getNano();
        long half = (after - before + 1) / 2;
        return new SpoolRecord.Clock(before + half, realtimeNs, 0, "realtime", (int) Math.min(half, Integer.MAX_VALUE));
    }
}
