package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;

class GarbageTest {
    @Test
    void whatReadingNeededIsFreed() {
        byte[] kept = new byte[80 << 20];
        WeakReference<byte[]> needed = new WeakReference<>(new byte[1 << 20]);
        try {
            Garbage.collectAfterReading();
            assertThat(needed.get()).isNull();
        } finally {
            Reference.reachabilityFence(kept);
        }
    }
}
