package io.inferscope.timeline.traceevent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ScanThreadsTest {
    @Test
    void returnsWhatAScanReturnedAndThrowsWhatItThrew() throws IOException {
        try (ScanThreads scans = new ScanThreads(2)) {
            assertThat(scans.submit(() -> "done").await()).isEqualTo("done");
            for (Throwable thrown : new Throwable[] {new IOException("disk"), new OutOfMemoryError("heap")}) {
                assertThatThrownBy(() -> scans.submit(() -> {
                                    if (thrown instanceof Error error) {
                                        throw error;
                                    }
                                    throw (IOException) thrown;
                                })
                                .await())
                        .isSameAs(thrown);
            }
        }
    }

    /** Without memory a thread may end between two scans, with the next one in its hands. */
    @Test
    void aScanWhoseThreadIsLostIsNotAwaitedForEver() {
        try (ScanThreads scans = new ScanThreads(1)) {
            scans.executor.execute(() -> {
                throw new OutOfMemoryError("as the JVM throws it");
            });

            assertThatThrownBy(() -> scans.new Scan<>(() -> "never run").await())
                    .isInstanceOf(OutOfMemoryError.class);
        }
    }
}
