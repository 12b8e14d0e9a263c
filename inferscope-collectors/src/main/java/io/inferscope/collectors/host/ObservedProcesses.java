package io.inferscope.collectors.host;

import io.inferscope.collectors.host.HostSampler.SeenProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The processes that the sampler has found. Other threads can read them, and wait for processes to start or end. */
public final class ObservedProcesses {
    /** Most processes kept, so that a long-running program that starts others does not fill InferScope's memory. */
    private static final int MAX_SEEN = 1 << 16;

    private final Map<Integer, SeenProcess> running = new LinkedHashMap<>();
    private final Map<Integer, SeenProcess> seen = new LinkedHashMap<>();
    private boolean changed;
    private Runnable whenOver = () -> {};

    /** Adds a process that was found, or that runs another program now. */
    synchronized void found(int pid, String program, int forkedFrom) {
        SeenProcess process = new SeenProcess(pid, program, forkedFrom);
        running.put(pid, process);
        if (seen.size() < MAX_SEEN || seen.containsKey(pid)) {
            seen.put(pid, process);
        }
        wake();
    }

    /** Takes note that a process has ended. */
    synchronized void ended(int pid) {
        running.remove(pid);
        wake();
        if (running.isEmpty()) {
            whenOver.run();
        }
    }

    /** Calls {@code taker}, on any thread, when no process runs any more; at once if none does. */
    public synchronized void whenOver(Runnable taker) {
        whenOver = taker;
        if (running.isEmpty()) {
            taker.run();
        }
    }

    /** Wakes waiting threads even without a change. */
    public synchronized void wake() {
        changed = true;
        notifyAll();
    }

    /**
     * Waits until processes have started, ended or changed since the last call, {@link #wake} is called, or some time
     * has passed. For one waiting thread.
     *
     * @param ns the longest wait
     */
    public synchronized void awaitChange(long ns) throws InterruptedException {
        long endNs = System.nanoTime() + ns;
        for (long leftNs = ns; !changed && leftNs > 0; leftNs = endNs - System.nanoTime()) {
            wait(leftNs / 1_000_000, (int) (leftNs % 1_000_000));
        }
        changed = false;
    }

    /** Returns the processes that run now, as far as is known. */
    public synchronized List<SeenProcess> running() {
        return new ArrayList<>(running.values());
    }

    /** Returns the processes that were seen, ended ones too; no more than the first 65,536. */
    public synchronized List<SeenProcess> seen() {
        return List.copyOf(seen.values());
    }
}
