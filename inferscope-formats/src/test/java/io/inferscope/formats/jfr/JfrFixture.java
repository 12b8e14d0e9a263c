package io.inferscope.formats.jfr;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;

/** A small program of two threads under the JVM's own recorder: one tokenizes and holds a lock, one waits in every way there is. */
final class JfrFixture {
    private static final Object LOCK = new Object();
    private static final AtomicLong DONE = new AtomicLong();

    private JfrFixture() {}

    /** Records the program and writes the recording; {@code chunks} parts of it are chunks of their own. */
    static void record(Path file, int chunks) throws IOException, InterruptedException {
        try (Recording whole = recording()) {
            whole.start();
            for (int i = 0; i < chunks; i++) {
                try (Recording chunk = recording()) {
                    chunk.start(); // Another recording begins another chunk.
                    program();
                    chunk.stop();
                }
            }
            whole.stop();
            whole.dump(file);
        }
    }

    private static Recording recording() {
        Recording recording = new Recording();
        recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(10));
        recording.enable("jdk.NativeMethodSample").withPeriod(Duration.ofMillis(20));
        for (String wait : new String[] {"ThreadPark", "JavaMonitorEnter", "JavaMonitorWait", "ThreadSleep"}) {
            recording.enable("jdk." + wait).withThreshold(Duration.ZERO);
        }
        for (String other :
                new String[] {"GCPhasePause", "JVMInformation", "ActiveSetting", "ThreadStart", "ThreadEnd"}) {
            recording.enable("jdk." + other).withoutThreshold();
        }
        recording.enable("jdk.GCHeapSummary");
        recording.enable("jdk.CPULoad").withPeriod(Duration.ofMillis(100));
        return recording;
    }

    private static void program() throws InterruptedException {
        Thread worker = new Thread(JfrFixture::work, "worker");
        Thread waiter = new Thread(JfrFixture::waits, "waiter");
        worker.start();
        waiter.start();
        worker.join();
        waiter.join();
    }

    private static void work() {
        long endNs = System.nanoTime() + 600_000_000;
        synchronized (LOCK) {
            while (System.nanoTime() < endNs) {
                DONE.addAndGet(tokenize("the quick brown fox"));
            }
        }
        System.gc();
        while (System.nanoTime() < endNs + 250_000_000) {
            DONE.addAndGet(tokenize("jumps over"));
        }
    }

    private static long tokenize(String text) {
        Deque<Integer> tokens = new ArrayDeque<>();
        for (int i = 0; i < 200; i++) {
            tokens.add(text.charAt(i % text.length()) * 31 + i);
        }
        return tokens.stream().mapToLong(Integer::longValue).sum();
    }

    private static void waits() {
        try {
            Thread.sleep(200);
            synchronized (LOCK) {
                DONE.incrementAndGet();
            }
            LockSupport.parkNanos(100_000_000);
            synchronized (LOCK) {
                long endNs = System.nanoTime() + 50_000_000;
                while (System.nanoTime() < endNs) {
                    LOCK.wait(50);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
