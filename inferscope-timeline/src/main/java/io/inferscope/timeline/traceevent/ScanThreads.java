package io.inferscope.timeline.traceevent;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Threads that scan while another one builds. What ends a scan is noted without allocating anything: a {@code FutureTask}
 * whose thread runs out of memory while it notes its failure stays half-done, and whoever awaits it waits for ever.
 */
final class ScanThreads implements Closeable {
    private static final long LOOK_MS = 500;

    final ExecutorService executor;

    /** Whether a thread ended by an error outside of a scan, so that a scan may never run. */
    private volatile boolean hasLost;

    /**
     * A scan that runs, or has run, on another thread.
     *
     * @param <T> its result
     */
    final class Scan<T> implements Runnable {
        private final Callable<T> work;
        private @Nullable T result;
        private @Nullable Throwable failure;
        private boolean done;

        Scan(Callable<T> work) {
            this.work = work;
        }

        @Override
        public void run() {
            T returned = null;
            Throwable thrown = null;
            try {
                returned = work.call();
            } catch (Throwable e) { // Thrown again by await.
                thrown = e;
            }
            synchronized (this) {
                result = returned;
                failure = thrown;
                done = true;
                notifyAll();
            }
        }

        /** Returns what the scan returned, or throws what it threw; an {@link OutOfMemoryError} if its thread is lost. */
        synchronized T await() throws IOException {
            try {
                while (!done) {
                    wait(LOOK_MS);
                    if (!done && hasLost) {
                        throw new OutOfMemoryError("a thread that scans ended without a result");
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while scanning");
            }
            if (failure instanceof IOException io) {
                throw io;
            }
            if (failure instanceof Error error) {
                throw error;
            }
            if (failure != null || result == null) {
                throw new IllegalStateException(failure);
            }
            return result;
        }
    }

    ScanThreads(int threads) {
        executor = Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(() -> run(task), "inferscope-scan");
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler((lost, error) -> {}); // Whoever awaits the scan says it.
            return thread;
        });
    }

    private void run(Runnable task) {
        boolean ended = false;
        try {
            task.run();
            ended = true;
        } finally {
            if (!ended) {
                hasLost = true;
            }
        }
    }

    <T> Scan<T> submit(Callable<T> work) {
        Scan<T> scan = new Scan<>(work);
        executor.execute(scan);
        return scan;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
