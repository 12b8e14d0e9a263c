package io.inferscope.scope.spool;

/**
 * One record of docs/spool-format.md. Times are CLOCK_MONOTONIC ns, which is what {@link System#nanoTime} reads on Linux; empty
 * text is stored as "none"; a {@code pid} of 0 means the process that the spool's header names.
 */
public sealed interface SpoolRecord {
    /**
     * A process: stored when it is first seen and again, complete, when it has ended.
     *
     * @param startNs when it began
     * @param pid its id
     * @param parentPid its parent's id
     * @param runtime such as {@code JVM 17}
     * @param program base name of script, module or executable, never its arguments
     * @param endNs when it ended, 0 = still running
     * @param exitCode its exit code, minus the signal's number when one killed it
     * @param seen how it was seen: {@code boot}, {@code fork}, {@code proc}
     */
    record ProcessLife(
            long startNs, int pid, int parentPid, String runtime, String program, long endNs, int exitCode, String seen)
            implements SpoolRecord {}

    /**
     * One moment on several clocks.
     *
     * @param monotonicNs CLOCK_MONOTONIC
     * @param realtimeNs CLOCK_REALTIME
     * @param domainTime the named clock, 0 = none
     * @param domain the name of that clock, "realtime" when there is no third one
     * @param uncertaintyNs half the bracket in which the clocks were read
     */
    record Clock(long monotonicNs, long realtimeNs, long domainTime, String domain, int uncertaintyNs)
            implements SpoolRecord {}

    /** The name of a thread, by its kernel thread id. */
    record ThreadName(int tid, String name, int pid) implements SpoolRecord {}

    /**
     * A named range on a thread.
     *
     * @param startNs its start
     * @param endNs its end, 0 = still open
     * @param tid kernel thread id
     * @param name what it is called
     * @param activity activity of docs/spool-format.md
     * @param depth nesting depth from 1, 0 = not known
     * @param where {@code file:line}
     * @param value bytes, items or tokens
     * @param detail metadata as JSON
     * @param pid its process
     * @param user whether the program's author opened it
     */
    record Span(
            long startNs,
            long endNs,
            int tid,
            String name,
            int activity,
            int depth,
            String where,
            long value,
            String detail,
            int pid,
            boolean user)
            implements SpoolRecord {}

    /** A moment with a name, and metadata as JSON. */
    record Mark(long timeNs, int tid, String name, String metadata, int pid) implements SpoolRecord {}

    /**
     * How a thread spent an interval.
     *
     * @param startNs its start
     * @param endNs its end
     * @param onCpuNs ns on a CPU inside
     * @param runnableNs ns runnable but not running inside
     * @param tid kernel thread id
     * @param pid its process
     * @param reason why it was blocked for the rest, of docs/spool-format.md
     * @param majorFaults page faults that read from a device
     * @param minorFaults all other page faults
     * @param voluntarySwitches context switches by blocking
     * @param involuntarySwitches context switches by preemption
     * @param detail the system call that blocked
     */
    record ThreadState(
            long startNs,
            long endNs,
            long onCpuNs,
            long runnableNs,
            int tid,
            int pid,
            int reason,
            int majorFaults,
            int minorFaults,
            int voluntarySwitches,
            int involuntarySwitches,
            String detail)
            implements SpoolRecord {}

    /**
     * What a recorder saw and what it missed.
     *
     * @param source the recorder or hook
     * @param why why something is missing
     * @param recorded how many events it recorded
     * @param missing how many it knows it missed
     * @param pid the process it speaks of
     * @param status 0 ok, 1 not needed, 2 failed
     */
    record Coverage(String source, String why, long recorded, long missing, int pid, int status)
            implements SpoolRecord {}

    /** A sample of a counter. */
    record Counter(long timeNs, double value, String name, int pid) implements SpoolRecord {}

    /** What a recorder cost: its own CPU time, and wall time it held the program up, both in ns. */
    record Overhead(long cpuNs, long heldUpNs, String recorder, int pid, long events) implements SpoolRecord {}
}
