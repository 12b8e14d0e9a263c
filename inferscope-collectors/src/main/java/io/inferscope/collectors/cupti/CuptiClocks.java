package io.inferscope.collectors.cupti;

import io.inferscope.scope.spool.DeviceRecord;
import java.time.Instant;
import java.util.Objects;

/** CUPTI's clock beside the others. */
record CuptiClocks(Cupti library) {
    private static final int CLOCK_TRIES = 5;

    /**
     * CUPTI's clock follows Unix time. If the two differ by a day, another profiler has replaced CUPTI's clock: torch.profiler uses the processor's counter.
     */
    private static final long REPLACED_NS = 86_400_000_000_000L;

    /** Reads all clocks at one moment, using the narrowest of several brackets. */
    DeviceRecord.Moment moment() {
        DeviceRecord.Moment best = null;
        for (int i = 0; i < CLOCK_TRIES; i++) {
            long beforeNs = System.nanoTime();
            long cuptiNs = library.now();
            Instant now = Instant.now();
            int halfNs = (int) Math.min(Integer.MAX_VALUE, (System.nanoTime() - beforeNs + 1) / 2);
            if (best == null || halfNs < best.uncertaintyNs()) {
                long realtimeNs = now.getEpochSecond() * 1_000_000_000L + now.getNano();
                boolean replaced = cuptiNs != 0 && Math.abs(cuptiNs - realtimeNs) > REPLACED_NS;
                best = new DeviceRecord.Moment(beforeNs + halfNs, realtimeNs, cuptiNs, replaced ? cuptiNs : 0, halfNs);
            }
        }
        return Objects.requireNonNull(best);
    }
}
