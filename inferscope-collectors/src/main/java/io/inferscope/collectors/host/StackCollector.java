package io.inferscope.collectors.host;

/** Takes the stacks of threads in the host collector's rounds, on its thread. Nothing it does may throw. */
public interface StackCollector extends InterpreterLocks {
    /**
     * Samples the threads of one process; called in every round, after the threads' own states were read.
     *
     * @param natives where threads of all processes were on a CPU since the round before
     */
    void sample(int pid, ObservedThreads threads, NativeSamples natives);

    /** Takes note that a process runs another program now. */
    void programChanged(int pid);

    /** Takes note that a process has ended. */
    void ended(int pid);

    /** Returns whether a process has stacks that only native samples can tell: no interpreter or JVM in it has any. */
    boolean isUnread(int pid);

    /** Stores what is pending, and what was seen and missed. */
    void finish();
}
