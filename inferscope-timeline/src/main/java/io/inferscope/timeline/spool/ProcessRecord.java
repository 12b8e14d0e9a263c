package io.inferscope.timeline.spool;

/** A PROCESS record by one recorder. {@code endNs} 0: still running. */
record ProcessRecord(long startNs, long endNs, int pid, int parentPid, String runtime, String program, int exitCode) {}
