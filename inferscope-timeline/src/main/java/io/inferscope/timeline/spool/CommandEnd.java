package io.inferscope.timeline.spool;

/** Whether the host's spool tells how the command ended. Its first process is the command's own. */
final class CommandEnd {
    private int pid;
    private boolean ended;

    void process(ProcessSeen seen) {
        pid = pid == 0 ? seen.pid() : pid;
        ended |= seen.pid() == pid && seen.endNs() != 0;
    }

    /**
     * Returns whether the recording stopped before the command did. Where its writer came to its end, the end is missing for another
     * reason, which is counted by itself: it was dropped at the cap, or the command was too short to be seen.
     */
    boolean wasCut(SpoolHeader header) {
        return !ended && !header.closedCleanly();
    }
}
