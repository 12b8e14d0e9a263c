package io.inferscope.collectors.python;

import io.inferscope.collectors.host.ObservedThread;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * At which looks a thread was in the kernel, where no perf event tells. The kernel counts the system time of each thread, by its ticks; a look
 * stands for the CPU time since the look before. As much time as was counted is given to looks that were likely in the kernel:
 *
 * <pre>
 *   system time counted     | 10 ms           | 20 ms           | 20 ms
 *   looks, 10 ms each       write   parse     write   write     parse
 *   in the kernel           x                 x                           10 ms are owed to a later look
 * </pre>
 *
 * Likely are looks at a function that does little else, and those before which the thread met page faults. So the sum is right, and the cause
 * is by what was seen, not measured.
 */
final class KernelTime {
    /** More CPU time than this for each fault: it was not for the faults. A huge page takes some 0.1 ms to 0.4 ms to clear. */
    private static final long MOST_FOR_A_FAULT_NS = 400_000L;

    /** A fault takes at least so long. */
    private static final long LEAST_FOR_A_FAULT_NS = 250L;

    /** System time that finds no likely look is given to others when it is more than this, and than so many looks: */
    private static final long PATIENCE_NS = 15_000_000L;

    private static final double PATIENCE_LOOKS = 1.5;

    /** times as many for looks at the interpreter, which hardly ever enters the kernel by itself. */
    private static final int PATIENCE_WITH_PYTHON = 4;

    /** The kernel brings the CPU time of a running thread up to date at least so often. */
    private static final long TICK_NS = 10_000_000L;

    /** What the kernel works for. The names are understood by the analyzer's table of kernel functions. */
    enum Cause {
        PAGE_FAULTS("page faults"),
        FILES("file I/O"),
        NETWORK("sockets and pipes"),
        PROCESSES("making processes"),
        MEMORY("mapping memory"),
        OTHER("system calls");

        /** How it is shown as a frame. */
        final String frame;

        Cause(String frame) {
            this.frame = frame;
        }
    }

    /** Built-in functions and methods that do little but enter the kernel, by their names in Python. */
    private static final Map<Cause, Set<String>> FUNCTIONS = Map.of(
            Cause.FILES,
            Set.of(
                    "open",
                    "close",
                    "read",
                    "readinto",
                    "readinto1",
                    "readall",
                    "read1",
                    "readline",
                    "readlines",
                    "peek",
                    "write",
                    "writelines",
                    "flush",
                    "fsync",
                    "fdatasync",
                    "sync",
                    "truncate",
                    "ftruncate",
                    "pread",
                    "preadv",
                    "pwrite",
                    "pwritev",
                    "readv",
                    "writev",
                    "sendfile",
                    "copy_file_range",
                    "splice",
                    "posix_fallocate",
                    "posix_fadvise",
                    "stat",
                    "lstat",
                    "fstat",
                    "statvfs",
                    "listdir",
                    "scandir",
                    "unlink",
                    "remove",
                    "rename",
                    "replace",
                    "mkdir",
                    "rmdir",
                    "link",
                    "symlink",
                    "readlink",
                    "access",
                    "chmod",
                    "chown",
                    "utime",
                    "tofile",
                    "fromfile",
                    "_fcopyfile"),
            Cause.NETWORK,
            Set.of(
                    "send",
                    "sendall",
                    "sendto",
                    "sendmsg",
                    "recv",
                    "recv_into",
                    "recvfrom",
                    "recvfrom_into",
                    "recvmsg",
                    "accept",
                    "_accept",
                    "connect",
                    "connect_ex",
                    "bind",
                    "listen",
                    "shutdown",
                    "setsockopt",
                    "getsockopt",
                    "poll",
                    "select",
                    "pipe",
                    "pipe2"),
            Cause.PROCESSES,
            Set.of(
                    "fork",
                    "fork_exec",
                    "forkpty",
                    "posix_spawn",
                    "posix_spawnp",
                    "system",
                    "execv",
                    "execve",
                    "waitpid"),
            Cause.MEMORY,
            Set.of("mmap", "madvise", "resize"));

    /** Modules whose functions do little else, by the beginning of their files' names. */
    private static final Map<String, Cause> MODULES = Map.of(
            "mmap.", Cause.MEMORY,
            "_socket.", Cause.NETWORK,
            "select.", Cause.NETWORK,
            "_posixsubprocess.", Cause.PROCESSES);

    private long systemNs = -1;
    private long faults;
    private long lookedNs;

    /** CPU time for which looks stood so far: what was counted, and what a running thread has not been counted yet. */
    private long creditedNs;

    private long owedNs;
    private @Nullable Cause before;

    /** Returns what a function enters the kernel for, null for one that does other things as well. */
    private static @Nullable Cause of(Callables.Called called) {
        String file = called.file();
        if (file != null) {
            String name = file.substring(file.lastIndexOf('/') + 1);
            Cause cause = MODULES.get(name.substring(0, name.indexOf('.') + 1));
            if (cause != null) {
                return cause;
            }
        }
        for (Map.Entry<Cause, Set<String>> entry : FUNCTIONS.entrySet()) {
            if (entry.getValue().contains(called.function())) {
                return entry.getKey();
            }
        }
        return null;
    }

    /**
     * Takes a look at a thread.
     *
     * @param nowNs when, CLOCK_MONOTONIC
     * @param called what its innermost frame calls
     * @param mayBeC false where it is known to call no C
     * @return what the kernel does for it at this look, null where it runs its program
     */
    @Nullable
    Cause look(ObservedThread thread, long nowNs, Callables.Called called, boolean mayBeC) {
        boolean first = systemNs < 0;
        long newSystemNs = thread.systemNs() - systemNs;
        long newFaults = thread.pageFaults() - faults;
        systemNs = thread.systemNs();
        faults = thread.pageFaults();
        if (first) {
            creditedNs = thread.cpuNs();
            lookedNs = nowNs;
            return null;
        }
        long countedNs = thread.cpuNs() - creditedNs;
        long passedNs = nowNs - lookedNs;
        lookedNs = nowNs;
        boolean late = countedNs <= 0 && passedNs - countedNs <= TICK_NS;
        long ranNs = late ? passedNs : Math.max(0, countedNs);
        creditedNs += ranNs;
        owedNs += newSystemNs;
        if (!late && ranNs > 0) { // Else it waits for a CPU, or what it does is not counted yet: it is where it was.
            before = owedNs * 2 < ranNs ? null : charged(called, newFaults, ranNs, mayBeC);
        }
        owedNs -= before == null ? 0 : ranNs;
        return before;
    }

    private @Nullable Cause charged(Callables.Called called, long newFaults, long ranNs, boolean mayBeC) {
        Cause cause = likely(of(called), newFaults, ranNs);
        double patienceNs = Math.max(PATIENCE_NS, PATIENCE_LOOKS * ranNs);
        if (cause == null && owedNs < (mayBeC ? patienceNs : PATIENCE_WITH_PYTHON * patienceNs)) {
            return null;
        }
        return cause == null ? Cause.OTHER : cause;
    }

    private static @Nullable Cause likely(@Nullable Cause called, long newFaults, long ranNs) {
        boolean manyFaults = newFaults * MOST_FOR_A_FAULT_NS >= ranNs;
        boolean mostForFaults = newFaults * LEAST_FOR_A_FAULT_NS * 4 >= ranNs;
        boolean perhaps = called == null || called == Cause.MEMORY; // The module mmap writes into what it mapped, too.
        return manyFaults && (perhaps || mostForFaults) ? Cause.PAGE_FAULTS : called;
    }
}
