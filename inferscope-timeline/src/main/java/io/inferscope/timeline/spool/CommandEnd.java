package io.inferscope.timeline.spool;

import java.util.OptionalInt;

/** The end of the command in the host's spool, whose first process is the command's own. */
final class CommandEnd {
    private int pid;
    private boolean ended;
    private int exitCode;

    void process(ProcessRecord seen) {
        pid = pid == 0 ? seen.pid() : pid;
        if (seen.pid() == pid && seen.endNs() != 0) {
            ended = true;
            exitCode = seen.exitCode();
        }
    }

    /** Returns the command's exit code, or minus the signal that ended it; empty if its end is unknown. */
    OptionalInt exitCode() {
        return ended ? OptionalInt.of(exitCode) : OptionalInt.empty();
    }

    /**
     * Returns whether the recording stopped before the command did. If its writer closed the file, the end is missing
     * for another reason, which is counted separately: it was dropped at the size limit, or the command was too short
     * to be observed.
     */
    boolean wasCut(SpoolHeader header) {
        return !ended && !header.closedCleanly();
    }
}
