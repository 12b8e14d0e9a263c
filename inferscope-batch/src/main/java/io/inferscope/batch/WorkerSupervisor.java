package io.inferscope.batch;

import io.inferscope.collectors.os.ChildProcess;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Watches all running workers from one thread. Ends a worker that takes too long or too much memory, and all workers
 * when the batch is stopped.
 */
final class WorkerSupervisor implements AutoCloseable {
    static final int SIGKILL = 9;
    private static final int SIGUSR1 = 10;

    private static final long ROUND_MS = 500;
    private static final int ROUNDS_PER_SEARCH = 4;

    private final Set<Entry> entries = ConcurrentHashMap.newKeySet();
    private final Thread thread = new Thread(this::watch, "inferscope-trace-watch");
    private volatile boolean stopped;
    private volatile boolean closed;

    /** Why a worker was ended. */
    enum Reason {
        /** InferScope did not end the worker. */
        NONE,
        /** It took too long. */
        TIMEOUT,
        /** It used too much memory. */
        MEMORY,
        /** The batch stops. */
        STOPPED
    }

    /** A running worker. */
    static final class Entry {
        private final ChildProcess process;
        private final String mark;
        private final long deadlineNs;
        private final long limitBytes;
        private volatile Reason reason = Reason.NONE;
        private volatile long peakBytes;
        private boolean asked;
        private List<Integer> pids;
        private final Set<Integer> strangers = new HashSet<>();
        private int rounds;

        private Entry(ChildProcess process, String mark, long deadlineNs, long limitBytes) {
            this.process = process;
            this.mark = mark;
            this.deadlineNs = deadlineNs;
            this.limitBytes = limitBytes;
            this.pids = List.of(process.pid());
        }

        Reason reason() {
            return reason;
        }

        long peakBytes() {
            return peakBytes;
        }
    }

    WorkerSupervisor() {
        thread.setDaemon(true);
        thread.start();
    }

    Entry add(ChildProcess process, String mark, long deadlineNs, long limitBytes) {
        Entry entry = new Entry(process, mark, deadlineNs, limitBytes);
        entries.add(entry);
        return entry;
    }

    /**
     * Stops watching a worker that has ended. Must be called before the worker is reaped: after that another process
     * can get its id, and would be signalled.
     */
    void remove(Entry entry) {
        synchronized (entry) {
            entries.remove(entry);
        }
    }

    /** Ends all workers, also any that are added later. */
    void stop() {
        stopped = true;
        entries.forEach(this::look);
    }

    boolean isStopped() {
        return stopped;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }

    private void watch() {
        while (!closed) {
            try {
                Thread.sleep(ROUND_MS);
            } catch (InterruptedException e) {
                return;
            }
            entries.forEach(this::look);
        }
    }

    private void look(Entry entry) {
        synchronized (entry) {
            if (!entries.contains(entry)) {
                return;
            }
            if (stopped) {
                end(entry, Reason.STOPPED);
            } else if (System.nanoTime() - entry.deadlineNs > 0) {
                if (entry.asked) {
                    end(entry, Reason.TIMEOUT);
                    // isolation.py handles this signal by writing the worker's stacks to standard error first. If the
                    // worker has not installed that handler yet, the signal just ends it.
                } else {
                    entry.asked = true;
                    entry.reason = Reason.TIMEOUT;
                    entry.process.signal(SIGUSR1);
                }
            } else {
                measure(entry);
            }
        }
    }

    private static void measure(Entry entry) {
        if (entry.rounds++ % ROUNDS_PER_SEARCH == 0) {
            List<Integer> found = TracerProcesses.of(entry.mark, entry.strangers);
            entry.pids = found.isEmpty() ? entry.pids : found;
        }
        long bytes = TracerProcesses.memoryBytes(entry.pids);
        entry.peakBytes = Math.max(entry.peakBytes, bytes);
        if (entry.limitBytes > 0 && bytes > entry.limitBytes) {
            end(entry, Reason.MEMORY);
        }
    }

    private static void end(Entry entry, Reason reason) {
        entry.reason = entry.reason == Reason.NONE ? reason : entry.reason;
        entry.process.signalGroup(SIGKILL);
        TracerProcesses.kill(entry.mark);
    }
}
