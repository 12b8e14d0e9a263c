package io.inferscope.collectors.host;

import io.inferscope.collectors.os.Kernel;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One process under observation. */
final class SampledProcess implements ObservedThreads {
    final int pid;
    final int parentPid;
    final long startNs;
    final Map<Integer, SampledThread> threads = new LinkedHashMap<>();

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

    /** When its threads were last listed: one that is new began later. */
    long scannedNs;

    SampledProcess(int pid, int parentPid, long startNs) {
        this.pid = pid;
        this.parentPid = parentPid;
        this.startNs = startNs;
        scannedNs = startNs;
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
