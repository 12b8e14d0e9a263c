package io.inferscope.collectors.python;

import io.inferscope.collectors.host.ObservedThread;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * At which looks a thread was in the kernel, where no perf event tells. The kernel counts the system time of each thread, by its ticks; a look
 * stands for the CPU time since the look before, half of it at the place that was seen then, half at the place that is seen now:
 *
 * <pre>
 *   looks                  write     parse     write     write     parse
 *   CPU time between             10        10        10        10
 *   of it system time             4         5         9         4            write: 0.9 of its time, parse: 0
 *   in the kernel          x                   x         x
 * </pre>
 *
 * The share of each place is learned from that by a Kalman filter (Kalman 1960; Haykin, Adaptive Filter Theory) that keeps
 * no covariances: of the error between what was counted and what the shares foretold, the place whose share is known least
 * takes most. A share begins with what the called function is likely to do, by its name and its module or type. Where
 * places alternate in step with the looks, the counts cannot tell them apart, and shares stay near where they began.
 *
 * <p>Within a function, bytecode and calls mostly alternate within microseconds. Then the time around a look is not of the
 * place that was seen but of all places of its function, by how often each was seen.
 *
 * <p>As many looks at a place are given to the kernel as its share says, and no more in all than was counted. The cause is
 * by what was seen, not measured.
 *
 * <p>Looks that stand for less than a tick say little one by one: a tick is counted or not. So what was counted is added up, and the shares learn
 * from it once it is a tick's worth of CPU time or more, when the counts are as new as the look.
 */
final class KernelTime {
    /** More CPU time than this for each fault: it was not for the faults. A huge page takes some 0.1 ms to 0.4 ms to clear. */
    private static final long MOST_FOR_A_FAULT_NS = 400_000L;

    /** What a fault of a small page takes, about: 0.5 us to 1 us where nothing else is done, more in a virtual machine. */
    private static final long A_FAULT_NS = 1_000L;

    /**
     * System time that was counted and found no place is given to places of little share when it is more than so many looks, or ticks where they
     * are longer. Of more than twice that nobody knows any more where it was spent: it is given to none.
     */
    private static final int PATIENCE_LOOKS = 3;

    /** A place has some share from here on. */
    private static final double SOME_SHARE = 0.1;

    /**
     * What is known of a share at first.
     *
     * @param share the share
     * @param spread by how much it is likely to be wrong: its standard deviation
     */
    private record Likely(double share, double spread) {}

    /** A system call. */
    private static final Likely OF_SYSTEM_CALL = new Likely(0.9, 0.05);

    /** A method of a file, which may have a buffer to work in, or text to decode. */
    private static final Likely OF_FILE = new Likely(0.9, 0.3);

    /** A function that writes into memory it mapped. */
    private static final Likely OF_MAPPED_MEMORY = new Likely(0.6, 0.3);

    /** C that does anything. */
    private static final Likely OF_C = new Likely(0.05, 0.12);

    /** Bytecode, which hardly ever enters the kernel by itself. */
    private static final Likely OF_PYTHON = new Likely(0.03, 0.03);

    /** Of its first variance, a share keeps this part after many lessons: what a place does changes. */
    private static final double LEAST_DOUBT = 0.1;

    /** The rate of page faults moves by at least this part of an error. */
    private static final double LEAST_STEP = 0.02;

    private static final int FIRST_LESSONS = 4;
    private static final int MOST_PLACES = 1 << 10;

    /** From so many pairs of looks on it is known whether a function's places alternate faster than looks. */
    private static final int ENOUGH_PAIRS = 8;

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

    /** Methods of the module mmap that touch no page. */
    private static final Set<String> MAPS_ONLY = Set.of("close", "madvise", "resize");

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

    /** The only one of them without a buffer. */
    private static final String UNBUFFERED = "_io.FileIO";

    /** What is known of a place: a function of Python, or what that calls. */
    private static final class Place {
        /** Of its CPU time, what the kernel has, and the variance of that. */
        double share;

        private double variance;
        private final double leastVariance;
        private final boolean isC;

        /** Page faults in each ns of it. */
        double faults;

        /** Whether its function has no other place, with which it shares what was counted. */
        boolean isAlone = true;

        /** From how many lessons it learned; one that it shares with others counts by its part. */
        double lessons;

        /** System time that its share foretold, less the looks that were given to the kernel. */
        double debtNs;

        Place(Likely likely, boolean isC) {
            this.isC = isC;
            share = likely.share();
            variance = likely.spread() * likely.spread();
            leastVariance = variance * LEAST_DOUBT;
        }

        /**
         * Moves the shares by a part of an error.
         *
         * @param part how much of the lesson's time was its own
         * @param squares the sum of the squares of all such parts
         * @param doubt the variance of the error of the lesson's share
         */
        void learn(double part, double squares, double doubt, double shareError, double faultsError) {
            double gain = variance() * part / doubt;
            share = Math.min(1, Math.max(0, share + gain * shareError));
            variance = Math.max(leastVariance, variance * (1 - gain * part));
            lessons += part;
            double step = part / squares * Math.max(LEAST_STEP, 1 / (lessons + FIRST_LESSONS));
            faults = Math.max(0, faults + step * faultsError);
        }

        /** Returns the variance of its share. Page faults that are hardly another place's tell of more than its name does. */
        double variance() {
            double ofFaults = isAlone || isC ? Math.min(1, faults * A_FAULT_NS) / 2 : 0;
            return variance + ofFaults * ofFaults;
        }

        /** Says that a look at it stands for that much time, in the kernel or not. */
        void looked(long ranNs, boolean inKernel) {
            double longNs = Math.max(ranNs, TICK_NS);
            if (share >= SOME_SHARE) { // Less may be the error of the ticks.
                debtNs = Math.min(debtNs + share * ranNs, 2 * longNs);
            }
            if (inKernel) {
                debtNs = Math.max(debtNs - ranNs, -PATIENCE_LOOKS * longNs);
            }
        }
    }

    /** A function of Python: its bytecode and what it calls. */
    private static final class Function {
        private final Map<Place, Integer> looks = new HashMap<>();
        private int allLooks;

        /** The sum of the squares of the looks by place. */
        private long squares;

        /** Pairs of looks one after the other, and those of two places. */
        private int pairs;

        private int changes;

        void looked(Place place, @Nullable Look before) {
            int count = looks.merge(place, 1, Integer::sum);
            allLooks++;
            squares += 2L * count - 1;
            if (count == 1 && looks.size() > 1) {
                looks.keySet().forEach(each -> each.isAlone = false);
            }
            if (before != null && before.function() == this) {
                pairs++;
                changes += before.place() == place ? 0 : 1;
            }
        }

        /** Returns whether places follow each other by chance, not in stretches of several looks. */
        boolean isMixed() {
            double same = (double) squares / ((double) allLooks * allLooks); // Of two looks by chance.
            return pairs < ENOUGH_PAIRS || changes * 2 >= (1 - same) * pairs;
        }
    }

    /** What was seen at a look. */
    private record Look(Function function, Place place) {
        /** Adds a time around the look to that of the places. */
        void divide(double aroundNs, Map<Place, Double> ns) {
            if (!function.isMixed()) {
                ns.merge(place, aroundNs, Double::sum);
                return;
            }
            function.looks.forEach((each, count) -> ns.merge(each, aroundNs * count / function.allLooks, Double::sum));
        }
    }

    /** What was counted since the places learned from it, and at which of them the CPU time was spent. */
    private static final class Lesson {
        private final Map<Place, Double> ns = new HashMap<>();
        private long ranNs;
        private long systemNs;
        private long newFaults;

        void add(Look from, Look to, long newRanNs, long newSystemNs, long faults) {
            from.divide(newRanNs / 2.0, ns);
            to.divide(newRanNs / 2.0, ns);
            ranNs += newRanNs;
            systemNs += newSystemNs;
            newFaults += faults;
        }

        /** Learns from what was added, when that is enough. */
        void teach() {
            if (ranNs < TICK_NS) {
                return;
            }
            double shareError = systemNs;
            double faultsError = newFaults;
            double squares = 0;
            double ticks = (double) TICK_NS / ranNs;
            double doubt = ticks * ticks / 4; // A tick more or less may have been counted.
            for (Map.Entry<Place, Double> entry : ns.entrySet()) {
                double part = entry.getValue() / ranNs;
                shareError -= entry.getKey().share * entry.getValue();
                faultsError -= entry.getKey().faults * entry.getValue();
                squares += part * part;
                doubt += part * part * entry.getKey().variance();
            }
            for (Map.Entry<Place, Double> entry : ns.entrySet()) {
                double part = entry.getValue() / ranNs;
                entry.getKey().learn(part, squares, doubt, shareError / ranNs, faultsError / ranNs);
            }
            ns.clear();
            ranNs = 0;
            systemNs = 0;
            newFaults = 0;
        }
    }

    private final Map<Object, Place> places = new HashMap<>();
    private final Lesson lesson = new Lesson();
    private final Map<Long, Function> functions = new HashMap<>();
    private @Nullable Look last;
    private long systemNs = -1;
    private long faults;
    private long lookedNs;

    /** CPU time for which looks stood so far: what was counted, and what a running thread has not been counted yet. */
    private long creditedNs;

    private long owedNs;
    private @Nullable Cause before;

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
     * @param function the innermost frame's code object
     * @param mayBeC false where it is known to call no C
     * @return what the kernel does for it at this look, null where it runs its program
     */
    @Nullable
    Cause look(ObservedThread thread, long nowNs, Callables.Called called, long function, boolean mayBeC) {
        boolean first = systemNs < 0;
        long newSystemNs = thread.systemNs() - systemNs;
        long newFaults = thread.pageFaults() - faults;
        systemNs = thread.systemNs();
        faults = thread.pageFaults();
        Cause named = of(called);
        Place place = place(called.isC() ? called : function, likely(named, called, mayBeC), called.isC());
        if (functions.size() >= MOST_PLACES) {
            functions.clear();
        }
        Function of = functions.computeIfAbsent(function, unknown -> new Function());
        of.looked(place, last);
        Look now = new Look(of, place);
        Look from = last == null ? now : last;
        last = now;
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
        long patienceNs = PATIENCE_LOOKS * Math.max(ranNs, TICK_NS);
        owedNs = Math.min(owedNs + newSystemNs, 2 * patienceNs);
        lesson.add(from, now, ranNs, newSystemNs, newFaults);
        if (!late && thread.cpuNsOfCounts() == thread.cpuNs()) { // Else what was done since is counted later.
            lesson.teach();
        }
        if (ranNs > 0) { // Else it waits for a CPU.
            before = isInKernel(place, ranNs, patienceNs)
                    ? cause(named, called.function(), place, newFaults, ranNs)
                    : null;
            place.looked(ranNs, before != null);
        }
        owedNs -= before == null ? 0 : ranNs;
        return before;
    }

    private static Likely likely(@Nullable Cause named, Callables.Called called, boolean mayBeC) {
        if (named == null) {
            return mayBeC ? OF_C : OF_PYTHON;
        }
        boolean isFile = FILES.contains(called.owner()) && !called.owner().equals(UNBUFFERED);
        return named == Cause.MEMORY ? OF_MAPPED_MEMORY : isFile ? OF_FILE : OF_SYSTEM_CALL;
    }

    private Place place(Object key, Likely likely, boolean isC) {
        Place known = places.get(key);
        if (known == null) {
            if (places.size() >= MOST_PLACES) {
                places.clear();
                functions.clear();
            }
            known = new Place(likely, isC);
            places.put(key, known);
        }
        return known;
    }

    private boolean isInKernel(Place place, long ranNs, long patienceNs) {
        double debtNs = place.share < SOME_SHARE ? place.debtNs : place.debtNs + place.share * ranNs;
        boolean overdue = owedNs >= patienceNs && place.share >= SOME_SHARE;
        return owedNs * 2 >= ranNs && (debtNs * 2 >= ranNs || overdue);
    }

    private static Cause cause(@Nullable Cause named, String function, Place place, long newFaults, long ranNs) {
        if (named == Cause.MEMORY && MAPS_ONLY.contains(function)) {
            return named;
        }
        double faultsNow = place.lessons >= FIRST_LESSONS ? place.faults * ranNs : newFaults;
        boolean manyFaults = faultsNow * MOST_FOR_A_FAULT_NS >= ranNs;
        boolean mostForFaults = faultsNow * A_FAULT_NS * 2 >= place.share * ranNs;
        boolean perhaps = named == null || named == Cause.MEMORY; // The module mmap writes into what it mapped, too.
        if (manyFaults && (perhaps || mostForFaults)) {
            return Cause.PAGE_FAULTS;
        }
        return named == null ? Cause.OTHER : named;
    }
}
