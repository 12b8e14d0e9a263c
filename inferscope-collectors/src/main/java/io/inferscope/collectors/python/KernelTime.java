package io.inferscope.collectors.python;

import io.inferscope.collectors.host.ObservedThread;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
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
 * Likely are looks at a function that does little else, by its name and its module or type, and those before which the thread met page faults.
 * What these do not explain is given to looks as they come, of unknown cause. So the sum is right, and the cause is by what was seen, not
 * measured.
 */
final class KernelTime {
    /** More CPU time than this for each fault: it was not for the faults. A huge page takes some 0.1 ms to 0.4 ms to clear. */
    private static final long MOST_FOR_A_FAULT_NS = 400_000L;

    /** What a fault of a small page takes, about: 0.5 us to 1 us where nothing else is done, more in a virtual machine. */
    private static final long A_FAULT_NS = 1_000L;

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

    /**
     * Functions of the module posix and methods of files that do little but enter the kernel. A name alone says nothing: {@code write} of
     * {@code io.BytesIO} and {@code replace} of a text work in memory.
     */
    private static final Map<Cause, Set<String>> FUNCTIONS = Map.of(
            Cause.FILES,
            Set.of(
                    "open",
                    "open_code",
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
            Set.of("pipe", "pipe2"),
            Cause.PROCESSES,
            Set.of("fork", "forkpty", "posix_spawn", "posix_spawnp", "system", "execv", "execve", "waitpid"));

    /** Modules whose functions and methods do little else, whatever they are called. */
    private static final Map<String, Cause> MODULES = Map.of(
            "mmap", Cause.MEMORY,
            "_socket", Cause.NETWORK,
            "select", Cause.NETWORK,
            "_posixsubprocess", Cause.PROCESSES);

    /** The module of the system calls that Python knows, and its few functions that make none. */
    private static final String SYSTEM_CALLS = "posix";

    private static final Pattern NO_SYSTEM_CALL =
            Pattern.compile("fspath|_path_.*|W[A-Z]+|get_exec_path|cpu_count|error");

    /** Whose methods, or functions, of the names above work on a file. */
    private static final Set<String> FILES = Set.of(
            "io",
            "_io",
            "_io.FileIO",
            "_io.BufferedReader",
            "_io.BufferedWriter",
            "_io.BufferedRandom",
            "_io.BufferedRWPair",
            "_io.TextIOWrapper",
            "posix.DirEntry",
            "array.array",
            "numpy.ndarray");

    /**
     * Where at least so much was counted at looks at other functions, and so many times as much of their time as at those that are likely, it is
     * not for these that the kernel works.
     */
    private static final double ENOUGH_ELSEWHERE_NS = 100_000_000.0;

    private static final double MORE_ELSEWHERE = 4;

    private long systemNs = -1;
    private long faults;
    private long lookedNs;

    /** CPU time for which looks stood so far: what was counted, and what a running thread has not been counted yet. */
    private long creditedNs;

    private long owedNs;
    private @Nullable Cause before;

    /** Counted at looks at functions that are likely in the kernel, or one look behind; and at all others, but for page faults. */
    private double nearNs;

    private double nearRanNs;
    private double elsewhereNs;
    private double elsewhereRanNs;
    private boolean wasByName;

    /** Returns whether methods of files have this name. */
    static boolean isOfFiles(String function) {
        return FUNCTIONS.getOrDefault(Cause.FILES, Set.of()).contains(function);
    }

    /** Returns what a function enters the kernel for, null for one that does other things as well. */
    private static @Nullable Cause of(Callables.Called called) {
        String file = called.file();
        String owner = called.owner();
        String path = file == null ? owner : file.substring(file.lastIndexOf('/') + 1);
        Cause cause = MODULES.get(path.substring(0, Math.max(0, (path + ".").indexOf('.'))));
        if (cause != null) {
            return cause;
        }
        boolean isSystemCall = owner.equals(SYSTEM_CALLS);
        if (!isSystemCall && !FILES.contains(owner)) {
            return null;
        }
        for (Map.Entry<Cause, Set<String>> entry : FUNCTIONS.entrySet()) {
            if (entry.getValue().contains(called.function())) {
                return entry.getKey();
            }
        }
        boolean enters =
                isSystemCall && !NO_SYSTEM_CALL.matcher(called.function()).matches();
        return enters ? Cause.OTHER : null;
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
            Cause cause = likely(of(called), newFaults, ranNs);
            boolean believed = isBelieved(cause, newSystemNs, ranNs);
            before = owedNs * 2 < ranNs ? null : charged(believed ? cause : null, ranNs, mayBeC);
        }
        owedNs -= before == null ? 0 : ranNs;
        return before;
    }

    private @Nullable Cause charged(@Nullable Cause likely, long ranNs, boolean mayBeC) {
        double patienceNs = Math.max(PATIENCE_NS, PATIENCE_LOOKS * ranNs);
        if (likely == null && owedNs < (mayBeC ? patienceNs : PATIENCE_WITH_PYTHON * patienceNs)) {
            return null;
        }
        return likely == null ? Cause.OTHER : likely;
    }

    private @Nullable Cause likely(@Nullable Cause called, long newFaults, long ranNs) {
        boolean manyFaults = newFaults * MOST_FOR_A_FAULT_NS >= ranNs;
        boolean mostForFaults = newFaults * A_FAULT_NS * 2 >= Math.min(owedNs, ranNs);
        boolean perhaps = called == null || called == Cause.MEMORY; // The module mmap writes into what it mapped, too.
        return manyFaults && (perhaps || mostForFaults) ? Cause.PAGE_FAULTS : called;
    }

    /**
     * Returns whether a cause explains time that is owed. A function that is likely in the kernel would take all time that others spent there: so
     * it is compared with them, by what is counted at looks at it and at the looks behind, and by what is counted at all others.
     */
    private boolean isBelieved(@Nullable Cause cause, long newSystemNs, long ranNs) {
        boolean byName = cause != null && cause != Cause.PAGE_FAULTS;
        if (byName || wasByName) {
            nearNs += newSystemNs;
            nearRanNs += ranNs;
        } else if (cause == null) {
            elsewhereNs += newSystemNs;
            elsewhereRanNs += ranNs;
        }
        wasByName = byName;
        boolean isElsewhere =
                elsewhereNs > ENOUGH_ELSEWHERE_NS && elsewhereNs * nearRanNs > MORE_ELSEWHERE * nearNs * elsewhereRanNs;
        return !byName || !isElsewhere || newSystemNs * 2 >= ranNs;
    }
}
