package io.inferscope.scope.spool;

/**
 * One record of docs/spool-format.md that Java writes; the probe alone writes hand-overs and requests. Times are CLOCK_MONOTONIC ns, which is what {@link System#nanoTime} reads on
 * Linux; an empty text is stored as text id 0, "none"; a {@code pid} of 0 means the process in the spool's header.
 */
public sealed interface SpoolRecord
        permits SpoolRecord.ProcessLife,
                SpoolRecord.Clock,
                SpoolRecord.ThreadName,
                SpoolRecord.Span,
                SpoolRecord.Mark,
                SpoolRecord.ThreadState,
                SpoolRecord.Coverage,
                SpoolRecord.Counter,
                SpoolRecord.Overhead,
                SpoolRecord.Pace,
                SpoolRecord.Frame,
                SpoolRecord.Stack,
                SpoolRecord.StackSample,
                SpoolRecord.Note,
                DeviceRecord {
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
     * @param seen how the recorder learned of it: {@code boot}, {@code fork}, {@code proc}
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
     * @param uncertaintyNs half the time between the first and the last reading of the clocks
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
     * @param futexAddress address of the futex waited on, 0 = unknown
     * @param holderTid kernel thread id of whoever held the lock or the GIL, 0 = unknown
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
            String detail,
            long futexAddress,
            int holderTid)
            implements SpoolRecord {}

    /**
     * How many events a recorder has recorded and how many it has missed.
     *
     * @param source the recorder or hook
     * @param why why events are missing
     * @param recorded how many events it recorded
     * @param missing how many missed events it knows of
     * @param pid the recorded process
     * @param status 0 ok, 1 not needed, 2 failed
     */
    record Coverage(String source, String why, long recorded, long missing, int pid, int status)
            implements SpoolRecord {}

    /** A sample of a counter. */
    record Counter(long timeNs, double value, String name, int pid) implements SpoolRecord {}

    /** The cost of a recorder: its own CPU time, and the wall time by which it delayed the program, both in ns. */
    record Overhead(long cpuNs, long heldUpNs, String recorder, int pid, long events) implements SpoolRecord {}

    /**
     * A stretch inside a window of sampling, or between two.
     *
     * @param detail {@code DETAIL} of docs/spool-format.md
     * @param twice whether the probe stores each record twice meanwhile
     */
    record Pace(long startNs, long endNs, int detail, boolean twice) implements SpoolRecord {}

    /**
     * A line of code in call stacks. Ids count per file, from 1.
     *
     * @param id its id
     * @param function the function, qualified where known
     * @param file the file
     * @param line the line, 0 = unknown
     * @param language 0 Python, 1 native, 2 JVM
     */
    record Frame(int id, String function, String file, int line, int language) implements SpoolRecord {}

    /**
     * A call stack: its innermost frame, and the stack of the caller. Both must be written before this record.
     *
     * @param id its id, from 1, per file
     * @param callerId stack id of the caller, 0 = outermost
     * @param frameId its innermost frame
     */
    record Stack(int id, int callerId, int frameId) implements SpoolRecord {}

    /**
     * A thread's stack over a time in which consecutive samples were equal.
     *
     * @param startNs start of this time
     * @param endNs its end
     * @param tid kernel thread id
     * @param pid its process
     * @param stackId the stack, 0 = the thread runs no code of the language
     * @param samples number of samples
     * @param gil 0 not known, 1 holds the GIL, 2 waits for it, 3 neither, 4 neither and the thread was blocked
     * @param gilHolderTid kernel thread id of the GIL's holder, 0 = unknown
     * @param lookedNs time at which the first of the samples was taken, 0 = not known
     * @param readNs time at which the frames above the native ones were read, 0 = at {@code lookedNs}
     * @param column where the innermost line's expression begins, from 1, in bytes of UTF-8; 0 = not known
     * @param endColumn the column behind its end, 0 = on another line
     */
    record StackSample(
            long startNs,
            long endNs,
            int tid,
            int pid,
            int stackId,
            int samples,
            int gil,
            int gilHolderTid,
            long lookedNs,
            long readNs,
            int column,
            int endColumn)
            implements SpoolRecord {}

    /**
     * A fact about a process. If a process has several notes with the same key, the last one is valid.
     *
     * @param key such as {@code rank}
     * @param value its value
     * @param pid the process, 0 = the whole run
     */
    record Note(String key, String value, int pid) implements SpoolRecord {}
}
