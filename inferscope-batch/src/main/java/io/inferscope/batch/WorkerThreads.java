package io.inferscope.batch;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that start workers. */
final class WorkerThreads {
    private WorkerThreads() {}

    /**
     * Returns a factory of daemon threads: a worker must not outlive InferScope, and InferScope must not wait for one.
     */
    static ThreadFactory named(String name) {
        AtomicInteger count = new AtomicInteger();
        return work -> {
            Thread thread = new Thread(work, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
