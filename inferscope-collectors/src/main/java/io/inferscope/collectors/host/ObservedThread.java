package io.inferscope.collectors.host;

/** What the host collector knows of a thread in this round. */
public interface ObservedThread {
    /** Returns whether the thread has run since the round before: else its stack is what it was. */
    boolean hasRun();

    /** Returns whether it has ended. */
    boolean hasEnded();

    /** Returns whether it sleeps in a lock of its interpreter that {@link InterpreterLocks#isGil} knows. */
    boolean waitsForGil();
}
