package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.procfs.ProcFiles;

/**
 * The process that an observation starts from.
 *
 * @param pid its id
 * @param parentPid its parent's id
 * @param startNs when the observation of it begins, CLOCK_MONOTONIC
 * @param mark an environment entry that all descendants inherit, empty for none
 * @param running whether it was running before: what it and its descendants did until {@code startNs} is then no part
 *     of the record
 */
public record RootProcess(int pid, int parentPid, long startNs, String mark, boolean running) {
    /**
     * Returns whether the observation starts after {@code beganNs}, CLOCK_MONOTONIC; never that of a process that was
     * started for it.
     */
    boolean startsAfter(long beganNs) {
        return running && beganNs <= startNs;
    }

    /** Returns a process that InferScope has just started. */
    public static RootProcess started(int pid, long startNs, String mark) {
        return new RootProcess(pid, (int) ProcessHandle.current().pid(), startNs, mark, false);
    }

    /** Returns a process that runs already, to be observed from now on. */
    public static RootProcess running(OperatingSystem system, int pid) {
        int parentPid = new ProcFiles(system).stat(Integer.toString(pid)).parentPid();
        return new RootProcess(pid, parentPid, system.monotonicNs(), "", true);
    }
}
