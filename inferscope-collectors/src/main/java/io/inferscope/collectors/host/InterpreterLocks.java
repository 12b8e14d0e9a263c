package io.inferscope.collectors.host;

/**
 * Which futexes are an interpreter's lock (CPython's GIL), and who holds it. Asked and answered on the sampling thread.
 */
public interface InterpreterLocks {
    /** Returns whether {@code futexAddress}, an address in process {@code pid}, lies in a GIL's mutex or condition. */
    boolean isGil(int pid, long futexAddress);

    /**
     * Returns the kernel thread id of the thread that held the GIL of process {@code pid} when its stacks were last
     * taken, 0 when it is not known.
     */
    int gilHolder(int pid);
}
