package io.inferscope.collectors.python;

import io.inferscope.collectors.host.ObservedThread;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides which samples of a thread were in the kernel if no perf event shows it. The kernel counts each thread's
 * system time in ticks. A sample represents the CPU time since the previous sample: half of it at the place that was
 * seen then, half at the place that is seen now:
 *
 * <pre>
 *   samples                write     parse     write     write     parse
 *   CPU time between             10        10        10        10
 *   of it system time             4         5         9         4            write: 0.9 of its time, parse: 0
 *   in the kernel          x                   x         x
 * </pre>
 *
 * A Kalman filter without covariances (Kalman 1960; Haykin, Adaptive Filter Theory) learns from this which share of
 * each place's time the kernel takes. The error between the counted system time and the time that the shares predict is
 * divided among the places; the place with the least certain share gets most of it. A share starts with a value that
 * depends on the called function, by its name and its module or type. If places alternate in step with the samples, the
 * counts cannot tell them apart, and shares stay near their first value.
 *
 * <p>Within a function, bytecode and calls mostly alternate within microseconds. Then the time around a sample is
 * divided among all places of its function, by how often each was seen.
 *
 * <p>The share of a place is the part of its samples that is put into the kernel, in total no more than was counted.
 * The cause follows from what was seen; it is not measured.
 *
 * <p>A sample that represents less than a tick shows little, because a tick is counted or not. So counts are added up,
 * and shares learn from them when they cover a tick of CPU time or more and are as new as the sample.
 */
final class SystemTimeEstimator {
    /**
     * CPU time with fewer faults than one in this time was not spent on faults. Clearing a huge page takes some 0.1 ms
     * to 0.4 ms.
     */
    private static final long MOST_FOR_A_FAULT_NS = 400_000L;

    /**
     * Approximate time of a fault of a small page: 0.5 us to 1 us if nothing else is done, more in a virtual machine.
     */
    private static final long A_FAULT_NS = 1_000L;

    /**
     * The part of the kernel's time for pages that a program makes and returns which goes to returning them: 0.14 to
     * 0.21 by perf record for small pages.
     */
    private static final double OF_RETURNING = 0.18;

    /** A fault that takes longer made a huge page. Returning one costs little. */
    private static final long MOST_FOR_A_SMALL_PAGE_NS = 20_000L;

    /** Most time of visible unmapping that is set off against later faults. */
    private static final long MOST_SEEN_NS = 1_000_000_000L;

    /**
     * If functions that unmap are seen for this part of the time that faults predict, they return all the pages: what
     * returning a page costs is not known well enough to tell a rest.
     */
    private static final double SEEN = 0.5;

    /**
     * Counted system time that fits no place is given to places with a small share once it exceeds the time of this
     * many samples, or of this many ticks if ticks are longer. Time beyond twice that limit is dropped, because its
     * place is no longer known.
     */
    private static final int PATIENCE_SAMPLES = 3;

    /** A smaller share may be an error of the ticks. */
    private static final double SOME_SHARE = 0.1;

    /**
     * What is assumed about a place before any time was counted.
     *
     * @param share the share of its time that the kernel takes
     * @param spread the standard deviation of that share
     */
    private record Prior(double share, double spread) {}

    /** A system call. */
    private static final Prior OF_SYSTEM_CALL = new Prior(0.9, 0.05);

    /** A method of a file, which may have a buffer to work in, or text to decode. */
    private static final Prior OF_FILE = new Prior(0.9, 0.3);

    /** A function that writes into memory it mapped. */
    private static final Prior OF_MAPPED_MEMORY = new Prior(0.6, 0.3);

    /** C code of unknown purpose. */
    private static final Prior OF_C = new Prior(0.05, 0.12);

    /** Bytecode, which hardly ever enters the kernel by itself. */
    private static final Prior OF_PYTHON = new Prior(0.03, 0.03);

    /**
     * The variance of a share never falls below this part of its first value, because the work of a place may change.
     */
    private static final double LEAST_DOUBT = 0.1;

    /** The rate of page faults moves by at least this part of an error. */
    private static final double LEAST_STEP = 0.02;

    private static final int FIRST_LESSONS = 4;
    private static final int MOST_PLACES = 1 << 10;

    /** Number of pairs of samples that show whether a function's places alternate faster than samples. */
    private static final int ENOUGH_PAIRS = 8;

    /** The longest time after which the kernel updates a running thread's CPU time. */
    private static final long TICK_NS = 10_000_000L;

    /** Why the kernel works. The analyzer's table of kernel functions contains the names. */
    enum Cause {
        PAGE_FAULTS("page faults"),
        FILES("file I/O"),
        NETWORK("sockets and pipes"),
        PROCESSES("making processes"),
        MEMORY("mapping memory"),
        OTHER("system calls");

        /** Its name as a stack frame. */
        final String frame;

        Cause(String frame) {
            this.frame = frame;
        }
    }

    /** Functions and modules that do little but enter the kernel, and types whose methods with such names do. */
    private static final Map<String, Cause> FUNCTIONS = entering("function");

    private static final Map<String, Cause> MODULES = entering("module");
    private static final Set<String> FILES = entering("with files").keySet();

    /** Methods of the module mmap that touch no page. */
    private static final Set<String> MAPS_ONLY = Set.of("close", "madvise", "resize");

    /** The module with Python's system calls, and its few functions that make none. */
    private static final String SYSTEM_CALLS = "posix";

    private static final Pattern NO_SYSTEM_CALL =
            Pattern.compile("fspath|_path_.*|W[A-Z]+|get_exec_path|cpu_count|error");

    /** The only type of files without a buffer. */
    private static final String UNBUFFERED = "_io.FileIO";

    /** A place: a Python function, or a function that it calls; and what was learned about it. */
    private static final class Place {
        /** The share of its CPU time that the kernel takes, and the variance of this share. */
        double share;

        private double variance;
        private final double leastVariance;
        private final boolean isC;

        /** Page faults per ns of its CPU time. */
        double faults;

        /** Whether it is the only place of its function, so that it does not share counted time with others. */
        boolean isAlone = true;

        /** Number of lessons that it learned from; a lesson shared with other places counts in part. */
        double lessons;

        /** System time that its share predicts, less the samples that were put into the kernel. */
        double debtNs;

        Place(Prior prior, boolean isC) {
            this.isC = isC;
            share = prior.share();
            variance = prior.spread() * prior.spread();
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

        /**
         * Returns the variance of its share. Page faults that probably belong to this place make its first share less
         * certain.
         */
        double variance() {
            double ofFaults = isAlone || isC ? Math.min(1, faults * A_FAULT_NS) / 2 : 0;
            return variance + ofFaults * ofFaults;
        }

        /** Takes a sample at this place that represents {@code ranNs} of CPU time. */
        void sampled(long ranNs, boolean inKernel) {
            double longNs = Math.max(ranNs, TICK_NS);
            if (share >= SOME_SHARE) {
                debtNs = Math.min(debtNs + share * ranNs, 2 * longNs);
            }
            if (inKernel) {
                debtNs = Math.max(debtNs - ranNs, -PATIENCE_SAMPLES * longNs);
            }
        }
    }

    /** A function of Python: its bytecode and what it calls. */
    private static final class Function {
        private final Map<Place, Integer> samples = new HashMap<>();
        private int allSamples;

        /** The sum of the squares of the numbers of samples by place. */
        private long squares;

        /** Pairs of consecutive samples, and those pairs that are at different places. */
        private int pairs;

        private int changes;

        void sampled(Place place, @Nullable Sample before) {
            int count = samples.merge(place, 1, Integer::sum);
            allSamples++;
            squares += 2L * count - 1;
            if (count == 1 && samples.size() > 1) {
                samples.keySet().forEach(each -> each.isAlone = false);
            }
            if (before != null && before.function() == this) {
                pairs++;
                changes += before.place() == place ? 0 : 1;
            }
        }

        /** Returns whether places follow each other by chance, rather than in runs of several samples. */
        boolean isMixed() {
            double same = (double) squares
                    / ((double) allSamples * allSamples); // Probability that two random samples are at one place.
            return pairs < ENOUGH_PAIRS || changes * 2 >= (1 - same) * pairs;
        }
    }

    /** The place of a sample. */
    private record Sample(Function function, Place place) {
        /** Adds the time around the sample to the times of the places. */
        void divide(double aroundNs, Map<Place, Double> ns) {
            if (!function.isMixed()) {
                ns.merge(place, aroundNs, Double::sum);
                return;
            }
            for (Map.Entry<Place, Integer> each : function.samples.entrySet()) {
                ns.merge(each.getKey(), aroundNs * each.getValue() / function.allSamples, Double::sum);
            }
        }
    }

    /** The counts since shares last learned, and the CPU time of each place in that time. */
    private static final class Lesson {
        private final Map<Place, Double> ns = new HashMap<>();
        private long ranNs;
        private long systemNs;
        private long newFaults;

        void add(Sample from, Sample to, long newRanNs, long newSystemNs, long faults) {
            from.divide(newRanNs / 2.0, ns);
            to.divide(newRanNs / 2.0, ns);
            ranNs += newRanNs;
            systemNs += newSystemNs;
            newFaults += faults;
        }

        /** Updates the shares if at least a tick of CPU time was added. */
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

    /**
     * How many of the pages that faults made are returned to the kernel, from the number of the process' pages in
     * memory.
     */
    private static final class Pages {
        /** A smaller decrease is no evidence: the kernel counts pages in batches for each CPU. */
        private static final long LEAST_FALL = 128;

        private static final double MEMORY = 0.95;
        private static final double LEAST_FALLS = 0.1;

        private long resident = -1;
        private double faulted;
        private double grown;
        private double readings;
        private double falls;

        void read(long residentNow, long newFaults) {
            long growth = resident < 0 ? 0 : residentNow - resident;
            resident = residentNow;
            faulted = faulted * MEMORY + newFaults;
            grown = grown * MEMORY + growth;
            readings = readings * MEMORY + 1;
            falls = falls * MEMORY + (growth <= -LEAST_FALL ? 1 : 0);
        }

        /**
         * Returns the part of the pages made by faults that was returned, 0 to 1. Faults that copy pages, as after a
         * fork, leave the number unchanged: if it never decreases, nothing was returned.
         */
        double returned() {
            boolean fall = falls >= LEAST_FALLS * readings;
            return fall && faulted > 0 ? Math.max(0, Math.min(1, 1 - grown / faulted)) : 0;
        }
    }

    private final Map<Object, Place> places = new HashMap<>();
    private final Pages pages = new Pages();

    /** Time of returning pages that faults predict, minus the time of visible unmapping. */
    private double returningNs;

    /** Both times of the last second or so of the first one. */
    private double predictedNs;

    private double seenNs;

    private final Lesson lesson = new Lesson();
    private final Map<Long, Function> functions = new HashMap<>();
    private @Nullable Sample last;
    private long systemNs = -1;
    private long faults;
    private long countsNs;
    private long sampledNs;

    /**
     * CPU time that samples have represented so far, including time of the running thread that the kernel had not
     * counted yet.
     */
    private long creditedNs;

    private long owedNs;
    private @Nullable Cause before;

    /** Returns the names of {@code entering-calls.tsv} that are of one kind, and why the kernel works for them. */
    private static Map<String, Cause> entering(String kind) {
        Map<String, Cause> causes = new HashMap<>();
        for (String[] row : KnowledgeTable.read(SystemTimeEstimator.class, "entering-calls.tsv", cells -> cells)) {
            for (String name : row[0].equals(kind) ? row[2].split(" ") : new String[0]) {
                causes.put(name, Cause.valueOf(row[1]));
            }
        }
        return causes;
    }

    /** Returns whether methods of files have this name. */
    static boolean isOfFiles(String function) {
        return FUNCTIONS.get(function) == Cause.FILES;
    }

    /** Returns why a function enters the kernel; null if it also does other things. */
    private static @Nullable Cause of(CalledFunctions.Called called) {
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
        Cause known = FUNCTIONS.get(called.function());
        boolean other =
                isSystemCall && !NO_SYSTEM_CALL.matcher(called.function()).matches();
        return known == null && other ? Cause.OTHER : known;
    }

    /**
     * Takes a sample of a thread.
     *
     * @param nowNs time of the sample, CLOCK_MONOTONIC
     * @param called the function that its innermost frame calls
     * @param function the innermost frame's code object
     * @param mayBeC false if it is known to call no C function
     * @return why the kernel works for it at this sample, null if the program runs
     */
    @Nullable
    Cause sample(ObservedThread thread, long nowNs, CalledFunctions.Called called, long function, boolean mayBeC) {
        boolean first = systemNs < 0;
        long newSystemNs = thread.systemNs() - systemNs;
        long newFaults = thread.pageFaults() - faults;
        systemNs = thread.systemNs();
        faults = thread.pageFaults();
        Cause named = of(called);
        Place place = place(called.isC() ? called : function, prior(named, called, mayBeC), called.isC());
        if (functions.size() >= MOST_PLACES) {
            functions.clear();
        }
        Function of = functions.computeIfAbsent(function, unknown -> new Function());
        of.sampled(place, last);
        Sample now = new Sample(of, place);
        Sample from = last == null ? now : last;
        last = now;
        if (first) {
            creditedNs = thread.cpuNs();
            sampledNs = nowNs;
            return null;
        }
        long countedNs = thread.cpuNs() - creditedNs;
        long passedNs = nowNs - sampledNs;
        sampledNs = nowNs;
        boolean late = countedNs <= 0 && passedNs - countedNs <= TICK_NS;
        long ranNs = late ? passedNs : Math.max(0, countedNs);
        creditedNs += ranNs;
        long patienceNs = PATIENCE_SAMPLES * Math.max(ranNs, TICK_NS);
        owedNs = Math.min(owedNs + newSystemNs, 2 * patienceNs);
        lesson.add(from, now, ranNs, newSystemNs, newFaults);
        if (thread.cpuNsOfCounts() != countsNs) {
            countsNs = thread.cpuNsOfCounts();
            pages.read(thread.residentPages(), newFaults);
        }
        if (!late
                && thread.cpuNsOfCounts()
                        == thread.cpuNs()) { // Otherwise later counts contain time before this sample.
            lesson.teach();
        }
        if (ranNs > 0) { // Otherwise it waits for a CPU.
            before = isInKernel(place, ranNs, patienceNs)
                    ? orReturning(cause(named, called.function(), place, newFaults, ranNs), place, ranNs)
                    : null;
            place.sampled(ranNs, before != null);
        }
        owedNs -= before == null ? 0 : ranNs;
        return before;
    }

    /**
     * Returns the cause: for some of the samples at page faults mapping memory, if the pages are returned. The C
     * library returns them inside {@code free}, which no Python frame shows.
     */
    private Cause orReturning(Cause cause, Place place, long ranNs) {
        if (cause == Cause.MEMORY) {
            returningNs = Math.max(-MOST_SEEN_NS, returningNs - ranNs);
            seenNs += ranNs;
        }
        if (cause != Cause.PAGE_FAULTS || place.share > place.faults * MOST_FOR_A_SMALL_PAGE_NS) {
            return cause;
        }
        double newNs = OF_RETURNING * pages.returned() * ranNs;
        returningNs += newNs;
        predictedNs += newNs;
        if (predictedNs > MOST_SEEN_NS) {
            predictedNs /= 2;
            seenNs /= 2;
        }
        if (seenNs >= SEEN * predictedNs) {
            returningNs = Math.min(0, returningNs);
            return cause;
        }
        if (returningNs < ranNs) {
            return cause;
        }
        returningNs -= ranNs;
        return Cause.MEMORY;
    }

    private static Prior prior(@Nullable Cause named, CalledFunctions.Called called, boolean mayBeC) {
        if (named == null) {
            return mayBeC ? OF_C : OF_PYTHON;
        }
        boolean isFile = FILES.contains(called.owner()) && !called.owner().equals(UNBUFFERED);
        return named == Cause.MEMORY ? OF_MAPPED_MEMORY : isFile ? OF_FILE : OF_SYSTEM_CALL;
    }

    private Place place(Object key, Prior prior, boolean isC) {
        Place known = places.get(key);
        if (known == null) {
            if (places.size() >= MOST_PLACES) {
                places.clear();
                functions.clear();
            }
            known = new Place(prior, isC);
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
        double learned = place.faults * ranNs;
        // Counts may be older than the sample: that they show no new faults is no evidence against the first lessons.
        double faultsNow = place.lessons >= FIRST_LESSONS ? learned : Math.max((double) newFaults, learned);
        boolean manyFaults = faultsNow * MOST_FOR_A_FAULT_NS >= ranNs;
        boolean mostForFaults = faultsNow * A_FAULT_NS * 2 >= place.share * ranNs;
        boolean perhaps = named == null || named == Cause.MEMORY; // The module mmap also writes into the mapped memory.
        if (manyFaults && (perhaps || mostForFaults)) {
            return Cause.PAGE_FAULTS;
        }
        return named == null ? Cause.OTHER : named;
    }
}
