package io.inferscope.timeline.spool;

/** One process, merged from all recorders that saw it. */
final class RunProcess {
    private final int pid;
    private int parentPid;
    private long startNs = Long.MAX_VALUE;
    private long knownEndNs;
    private long lastSeenNs;
    private String program = "";
    private String runtime = "";
    private boolean namedFromInside;

    RunProcess(int pid) {
        this.pid = pid;
    }

    /**
     * Merges a record of the process. The host sees the executable, a recorder inside knows the script, whose name is
     * preferred.
     */
    void merge(ProcessRecord seen, boolean fromInside) {
        startNs = Math.min(startNs, seen.startNs());
        knownEndNs = Math.max(knownEndNs, seen.endNs());
        lastSeenNs = Math.max(lastSeenNs, seen.startNs());
        parentPid = seen.parentPid() != 0 ? seen.parentPid() : parentPid;
        if (!seen.program().isEmpty() && (fromInside || !namedFromInside)) {
            program = seen.program();
            namedFromInside = fromInside;
        }
        if (!seen.runtime().isEmpty() && (fromInside || runtime.isEmpty())) {
            runtime = seen.runtime();
        }
    }

    void seen(long timeNs) {
        lastSeenNs = Math.max(lastSeenNs, timeNs);
        startNs = Math.min(startNs, timeNs);
    }

    int pid() {
        return pid;
    }

    int parentPid() {
        return parentPid;
    }

    String program() {
        return program;
    }

    String runtime() {
        return runtime;
    }

    long startNs() {
        return startNs;
    }

    /** Returns when it ended, 0 if no recorder observed the end. */
    long knownEndNs() {
        return knownEndNs;
    }

    /** Returns when it ended, or when it was last seen. */
    long endNs() {
        return knownEndNs > 0 ? knownEndNs : lastSeenNs;
    }
}
