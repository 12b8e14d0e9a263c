package io.inferscope.collectors.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class LinuxKernelTest {
    private static final long HOUR_NS = 3_600_000_000_000L;

    @TempDir
    Path folder;

    private final Kernel kernel = new LinuxKernel();

    @Test
    @Timeout(value = 600, unit = TimeUnit.SECONDS)
    void wakingEndsASleepThatIsToCome() {
        kernel.wake();
        kernel.sleep(HOUR_NS);
    }

    @Test
    @Timeout(value = 600, unit = TimeUnit.SECONDS)
    void wakingEndsASleepOfAnotherThread() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        Thread sleeper = new Thread(() -> {
            started.countDown();
            kernel.sleep(HOUR_NS);
        });
        sleeper.start();
        started.await();
        Thread.sleep(50); // By then it sleeps, most likely; else this is the test before.
        kernel.wake();
        sleeper.join();
    }

    @Test
    void filesShorterAndLongerThanTheBufferAreReadFromTheirOffset() throws Exception {
        byte[] content = "0123456789".repeat(5_000).getBytes(StandardCharsets.US_ASCII);
        int descriptor =
                kernel.open(Files.write(folder.resolve("file"), content).toString());
        byte[] few = new byte[16];
        assertThat(kernel.read(descriptor, 5, few, 8)).isEqualTo(8);
        assertThat(new String(few, 0, 8, StandardCharsets.US_ASCII)).isEqualTo("56789012");
        byte[] all = new byte[content.length + 100];
        assertThat(kernel.read(descriptor, all)).isEqualTo(content.length);
        assertThat(all).startsWith(content);
        kernel.close(descriptor);
        assertThat(kernel.read(descriptor, few)).isNegative();
    }

    @Test
    void clocksOfCpuTimeAdvanceWithWork() {
        long threadNs = kernel.threadCpuNs();
        long processNs = kernel.processCpuNs();
        while (kernel.threadCpuNs() - threadNs < 5_000_000L) {
            assertThat(kernel.threadCpuNs()).isGreaterThanOrEqualTo(threadNs);
        }
        assertThat(kernel.processCpuNs() - processNs).isGreaterThanOrEqualTo(5_000_000L);
    }
}
