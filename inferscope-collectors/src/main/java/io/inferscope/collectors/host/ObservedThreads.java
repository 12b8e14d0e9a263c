package io.inferscope.collectors.host;

import org.jspecify.annotations.Nullable;

/** The threads of one process that the host collector knows in this round. */
public interface ObservedThreads {
    /** Returns the thread of a kernel thread id, null when it is not known (yet). */
    @Nullable
    ObservedThread thread(int tid);

    /** Returns how many are known. */
    int threadCount();
}
