package io.inferscope.timeline.traceevent;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Threads that scan while another one builds. */
final class ScanThreads implements Closeable {
    private static final long LOOK_MS = 500;

    final ExecutorService executor;

    /** Whether a thread ended by an error outside of a scan: without memory, not even a scan's failure can be noted. */
    private volatile boolean hasLost;

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

    <T> Future<T> submit(Callable<T> scan) {
        return executor.submit(scan);
    }

    /** Returns what a scan returned, or throws what it threw; an {@link OutOfMemoryError} if its thread is lost. */
    <T> T await(Future<T> scan) throws IOException {
        try {
            while (!scan.isDone()) {
                try {
                    return scan.get(LOOK_MS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException notYet) {
                    if (hasLost && !scan.isDone()) {
                        throw new OutOfMemoryError("a thread that scans ended without a result");
                    }
                }
            }
            return scan.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException io) {
                throw io;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while scanning");
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
