package io.inferscope.collectors.os;

/** Ends of threads. */
public final class ThreadEnd {
    private ThreadEnd() {}

    /**
     * Waits until a thread has ended, for {@code patienceMs} at most, 0 for no limit; an interruption ends the wait and
     * stays set.
     *
     * @return whether the thread has ended
     */
    public static boolean awaitEnd(Thread thread, long patienceMs) {
        try {
            thread.join(patienceMs);
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
