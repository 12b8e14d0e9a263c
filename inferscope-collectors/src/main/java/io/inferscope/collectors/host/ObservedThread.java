package io.inferscope.collectors.host;

/** What the host collector knows of a thread in this round. */
public interface ObservedThread {
    /** Returns whether the thread has run since the previous round; otherwise its stack is unchanged. */
    boolean hasRun();

    boolean hasEnded();

    /** Returns its CPU time in ns, as the kernel had counted it at the last look. */
    long cpuNs();

    /**
     * Returns how much of that was in the kernel, by ticks of 10 ms, when that was last read: at most 32 ms of CPU time
     * ago.
     */
    long systemNs();

    /** Returns how many page faults without I/O it had met by then. */
    long pageFaults();

    /** Returns how many pages of its process were in memory then. */
    long residentPages();

    /** Returns its CPU time in ns by then. */
    long cpuNsOfCounts();

    /** Returns whether it slept at the last look, whatever for. */
    boolean isBlocked();

    /** Returns whether it sleeps in a lock of its interpreter that {@link InterpreterLocks#isGil} knows. */
    boolean waitsForGil();
}
