package io.inferscope.collectors.host;

import io.inferscope.collectors.os.Kernel;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One process under observation. */
final class SampledProcess implements ObservedThreads {
    final int pid;
    final int parentPid;
    final long startNs;

    /** When it began, in the kernel's ticks: a later process may get its id. */
    long startTicks;

    private final Map<Integer, SampledThread> threads = new LinkedHashMap<>();

    /** The same in an array, which every round goes through; null when it is out of date. */
    private SampledThread @Nullable [] threadArray;

    /** Base name of the executable, as last seen. */
    String program = "";

    /** What it is, for people. */
    ProcessIdentity identity = new ProcessIdentity("", "");

    /** Tells whether the command line is another one; the line itself is not kept. */
    int commandLineHash;

    /** That of the parent when this process was first seen: the same in a fork, 0 where the parent is not observed. */
    int parentCommandLineHash;

    /** What was noted about it. */
    final Map<String, String> notes = new HashMap<>();

    /** Memory on swap when last looked. */
    long swapBytes;

    /** On how many CPUs it might run when last looked, 0 before that. */
    int cpus;

    /** The kernel's short name of the process; a change tells of an exec. */
    String shortName = "";

    /** The file that holds that name, kept open; negative when it is not. What it held when last read, byte for byte. */
    int nameFile = -1;

    byte[] name = {};

    /** When its threads were last listed: one that is new began later. */
    long scannedNs;

    /** Whether a thread has ended since: perhaps the process has. */
    boolean lostThread;

    SampledProcess(int pid, int parentPid, long startNs) {
        this.pid = pid;
        this.parentPid = parentPid;
        this.startNs = startNs;
        scannedNs = startNs;
    }

    /** Whether it runs its parent's command line, as a fork does that has not called exec. */
    boolean isFork() {
        return commandLineHash != 0 && commandLineHash == parentCommandLineHash;
    }

    /** The same, also where it ended before its command line could be read. */
    boolean isPerhapsFork() {
        return commandLineHash == 0 || isFork();
    }

    /** Adds a thread. */
    void add(SampledThread thread) {
        threads.put(thread.tid(), thread);
        threadArray = null;
    }

    /** Returns the ids of its threads, in the order in which they were found. */
    Set<Integer> threadIds() {
        return Collections.unmodifiableSet(threads.keySet());
    }

    private SampledThread[] threads() {
        SampledThread[] known = threadArray;
        if (known == null) {
            known = threads.values().toArray(SampledThread[]::new);
            threadArray = known;
        }
        return known;
    }

    /** Reads what each thread does now. Those that are gone are handed out and forgotten. */
    void read(Consumer<SampledThread> gone) {
        for (SampledThread thread : threads()) {
            if (!thread.read()) {
                threads.remove(thread.tid());
                threadArray = null;
                lostThread = true;
                gone.accept(thread);
            }
        }
    }

    /** Puts what was read into the threads' accounts. */
    void settle() {
        for (SampledThread thread : threads()) {
            thread.settle();
        }
    }

    /** Hands out all threads and forgets them. */
    void release(Consumer<SampledThread> taker) {
        threads.values().forEach(taker);
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

    /** Returns the base name of the executable behind a process, the short name where the link cannot be read. */
    static String program(Kernel kernel, int pid, String shortName) {
        String executable = kernel.readLink("/proc/" + pid + "/exe");
        if (executable == null || executable.isEmpty()) {
            return shortName;
        }
        String base = executable.substring(executable.lastIndexOf('/') + 1);
        return base.endsWith(" (deleted)") ? base.substring(0, base.length() - " (deleted)".length()) : base;
    }
}
