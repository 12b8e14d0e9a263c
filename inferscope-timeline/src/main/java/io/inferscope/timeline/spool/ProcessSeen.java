package io.inferscope.timeline.spool;

/** A PROCESS record: what one recorder knew of a process. An {@code endNs} of 0 means it was still running. */
record ProcessSeen(long startNs, long endNs, int pid, int parentPid, String runtime, String program, int exitCode) {}
