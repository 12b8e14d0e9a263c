package io.inferscope.timeline.traceevent;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ScanThreadsTest {
    /** Without memory even the record of a scan's failure may fail, and its thread ends. */
    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void aScanWhoseThreadIsLostIsNotAwaitedForEver() {
        try (ScanThreads scans = new ScanThreads(1)) {
            scans.executor.execute(() -> {
                throw new OutOfMemoryError("as the JVM throws it");
            });

            assertThatThrownBy(() -> scans.await(new CompletableFuture<String>()))
                    .isInstanceOf(OutOfMemoryError.class);
        }
    }
}
