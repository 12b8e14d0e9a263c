package io.inferscope.timeline.traceevent;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that scan while another one builds. */
final class ScanThreads implements Closeable {
    private final ExecutorService executor;

    ScanThreads(int threads) {
        executor = Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, "inferscope-scan");
            thread.setDaemon(true);
            return thread;
        });
    }

    <T> Future<T> submit(Callable<T> scan) {
        return executor.submit(scan);
    }

    /** Returns what a scan returned, or throws what it threw. */
    static <T> T await(Future<T> scan) throws IOException {
        try {
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
