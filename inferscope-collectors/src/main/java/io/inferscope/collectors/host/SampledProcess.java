package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

final class SampledProcess implements ObservedThreads {
    private static final long WORKS_NS = 100_000_000L;

    final int pid;
    final int parentPid;
    final long startNs;

    /** When it began, in the kernel's ticks: a later process may get its id. */
    long startTicks;

    private final Map<Integer, SampledThread> threads = new LinkedHashMap<>();

    /** The threads as an array, for iteration in every round; null if out of date. */
    private SampledThread @Nullable [] threadArray;

    /** Base name of the executable, as last seen. */
    String program = "";

    /** Its identity, for people. */
    ProcessIdentity identity = new ProcessIdentity("", "");

    /** Hash of the command line, to detect changes. The command line itself is not kept. */
    int commandLineHash;

    /** The parent's hash when this process was first seen: equal after a fork; 0 if the parent is not observed. */
    int parentCommandLineHash;

    /** The notes written about it. */
    final Map<String, String> notes = new HashMap<>();

    /** Swapped memory at the last reading. */
    long swapBytes;

    /** Number of CPUs on which it may run, at the last reading; 0 before the first one. */
    int cpus;

    /** The kernel's short name of the process. A change shows an exec. */
    String shortName = "";

    /** Descriptor of the file with that name, negative if it is not open. */
    int nameFile = -1;

    byte[] name = {};

    /** When its threads were last listed. A new thread began later. */
    long scannedNs;

    /** Whether a thread has ended since, so the process may have ended. */
    boolean lostThread;

    /** CPU time of the threads that have ended, in ns. */
    private long endedCpuNs;

    /**
     * CPU time of all its threads by the kernel's count at the last reading, in ns, in ticks of 10 ms: it holds threads
     * that ended before they were found.
     */
    long countedNs;

    /** CPU time of the children that it had waited for, in ns, by the kernel's count at the last reading. */
    long childrenNs;

    /** The same when the observation began. */
    long childrenBeforeNs;

    /** What was sampled of its children that have ended, and what they had waited for, in ns. */
    long sampledChildrenNs;

    /** The value of {@link #unseenChildrenNs} that was written last. */
    long writtenChildrenNs;

    /** Whether native samples were requested because no other recorder reads its stacks. */
    boolean isSampledNatively;

    SampledProcess(int pid, int parentPid, long startNs) {
        this.pid = pid;
        this.parentPid = parentPid;
        this.startNs = startNs;
        scannedNs = startNs;
    }

    /** Whether it has its parent's command line, like a fork without exec. */
    boolean isFork() {
        return commandLineHash != 0 && commandLineHash == parentCommandLineHash;
    }

    /** The same, or it ended before its command line could be read. */
    boolean isPerhapsFork() {
        return commandLineHash == 0 || isFork();
    }

    void add(SampledThread thread) {
        threads.put(thread.tid(), thread);
        threadArray = null;
    }

    /** Returns the ids of its threads, in the order in which they were found. */
    Set<Integer> threadIds() {
        return Collections.unmodifiableSet(threads.keySet());
    }

    /** Returns the CPU time of its threads, ended ones too, in ns, as last read. */
    long cpuNs() {
        long sumNs = endedCpuNs;
        for (SampledThread thread : threads()) {
            sumNs += thread.cpuNs();
        }
        return sumNs;
    }

    /** Returns the CPU time that is known to be its own, in ns: of its sampled threads, and of brief ones. */
    long ownNs() {
        return Math.max(countedNs, cpuNs());
    }

    @Override
    public boolean hasWorked() {
        return cpuNs() >= WORKS_NS;
    }

    /**
     * Returns the CPU time of its children that no sample saw, in ns: of those that lived too shortly to be found, and
     * of the last moments of others. Exact to some 20 ms, because the kernel tells such times in ticks.
     */
    long unseenChildrenNs() {
        return Math.max(0, childrenNs - childrenBeforeNs - sampledChildrenNs);
    }

    private SampledThread[] threads() {
        SampledThread[] known = threadArray;
        if (known == null) {
            known = threads.values().toArray(SampledThread[]::new);
            threadArray = known;
        }
        return known;
    }

    /** Reads the current state of each thread. Ended threads are passed to {@code gone} and dropped. */
    void read(Consumer<SampledThread> gone) {
        for (SampledThread thread : threads()) {
            if (!thread.read()) {
                threads.remove(thread.tid());
                threadArray = null;
                lostThread = true;
                endedCpuNs += thread.cpuNs();
                gone.accept(thread);
            }
        }
    }

    /** Adds the readings to the threads' accounts. */
    void settle() {
        for (SampledThread thread : threads()) {
            thread.settle();
        }
    }

    /** Hands out all threads and forgets them. */
    void release(Consumer<SampledThread> taker) {
        for (SampledThread thread : threads()) {
            taker.accept(thread);
            endedCpuNs += thread.cpuNs();
        }
        threads.clear();
        threadArray = null;
    }

    @Override
    public @Nullable ObservedThread thread(int tid) {
        return threads.get(tid);
    }

    @Override
    public int threadCount() {
        return threads.size();
    }

    /** Returns the base name of the executable behind a process, or the short name if the link cannot be read. */
    static String program(OperatingSystem system, int pid, String shortName) {
        String executable = system.readLink("/proc/" + pid + "/exe");
        if (executable == null || executable.isEmpty()) {
            return shortName;
        }
        String base = executable.substring(executable.lastIndexOf('/') + 1);
        return base.endsWith(" (deleted)") ? base.substring(0, base.length() - " (deleted)".length()) : base;
    }
}
