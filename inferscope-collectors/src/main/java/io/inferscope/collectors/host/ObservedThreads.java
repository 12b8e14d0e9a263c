package io.inferscope.collectors.host;

import org.jspecify.annotations.Nullable;

/** The threads of one process that the host collector knows in this round. */
public interface ObservedThreads {
    /** Returns the thread of a kernel thread id, null when it is not known (yet). */
    @Nullable
    ObservedThread thread(int tid);

    /** Returns how many are known. */
    int threadCount();

    /**
     * Returns whether the process has worked for so long that its native stacks are wanted: an interpreter has begun by
     * then, and helpers such as shells and compressors of small files have ended.
     */
    boolean hasWorked();
}
