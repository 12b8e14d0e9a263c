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
class LinuxSystemTest {
    private static final long HOUR_NS = 3_600_000_000_000L;

    @TempDir
    Path folder;

    private final OperatingSystem system = new LinuxSystem();

    @Test
    @Timeout(value = 600, unit = TimeUnit.SECONDS)
    void wakingEndsASleepThatIsToCome() {
        system.wake();
        system.sleep(HOUR_NS);
    }

    @Test
    @Timeout(value = 600, unit = TimeUnit.SECONDS)
    void wakingEndsASleepOfAnotherThread() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        Thread sleeper = new Thread(() -> {
            started.countDown();
            system.sleep(HOUR_NS);
        });
        sleeper.start();
        started.await();
        Thread.sleep(50); // By then it sleeps, most likely; else this is the test before.
        system.wake();
        sleeper.join();
    }

    @Test
    void filesShorterAndLongerThanTheBufferAreReadFromTheirOffset() throws Exception {
        byte[] content = "0123456789".repeat(5_000).getBytes(StandardCharsets.US_ASCII);
        int descriptor =
                system.open(Files.write(folder.resolve("file"), content).toString());
        byte[] few = new byte[16];
        assertThat(system.read(descriptor, 5, few, 8)).isEqualTo(8);
        assertThat(new String(few, 0, 8, StandardCharsets.US_ASCII)).isEqualTo("56789012");
        byte[] all = new byte[content.length + 100];
        assertThat(system.read(descriptor, all)).isEqualTo(content.length);
        assertThat(all).startsWith(content);
        system.close(descriptor);
        assertThat(system.read(descriptor, few)).isNegative();
    }

    @Test
    void clocksOfCpuTimeAdvanceWithWork() {
        long threadNs = system.threadCpuNs();
        long processNs = system.processCpuNs();
        while (system.threadCpuNs() - threadNs < 5_000_000L) {
            assertThat(system.threadCpuNs()).isGreaterThanOrEqualTo(threadNs);
        }
        assertThat(system.processCpuNs() - processNs).isGreaterThanOrEqualTo(5_000_000L);
    }
}
