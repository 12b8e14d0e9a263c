package io.inferscope.collectors.host;

import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;

/**
 * Why a thread is blocked.
 *
 * @param reason the reason of docs/spool-format.md
 * @param detail the system call's name, or empty
 * @param futexAddress the futex waited on, 0 for none
 * @param holderTid the thread that is waited for, of a socket the process at its other end; 0 when it is not known
 */
record WaitCause(WaitReason reason, String detail, long futexAddress, int holderTid) {
    static final WaitCause UNKNOWN = new WaitCause(WaitReason.UNKNOWN, "");
    static final WaitCause STOPPED = new WaitCause(WaitReason.UNKNOWN, WaitDetail.STOPPED.text());
    static final WaitCause PAGE_FAULT = new WaitCause(WaitReason.PAGE_FAULT, "");

    WaitCause(WaitReason reason, String detail) {
        this(reason, detail, 0, 0);
    }

    /** Returns the same cause with another thread behind it. */
    WaitCause heldBy(int tid) {
        return tid == holderTid ? this : new WaitCause(reason, detail, futexAddress, tid);
    }

    /**
     * Returns the cause of a wait that most likely ends by its timeout. Of a wait for sockets it is not known whether
     * somebody waits for the timer or for what they did not bring. Without a connection, nobody does.
     */
    WaitCause endedByTimeout() {
        if (detail.equals(WaitDetail.FOR_CONNECTION.text())) {
            return this;
        }
        return reason == WaitReason.SOCKET
                ? new WaitCause(reason, WaitDetail.ENDED_BY_TIMEOUT.text(), futexAddress, holderTid)
                : new WaitCause(WaitReason.TIMER, detail);
    }

    // Hand-written: a record's generated methods go through method handles, which took a tenth of the sampler's time.
    @Override
    public boolean equals(Object other) {
        return other instanceof WaitCause that
                && reason == that.reason
                && futexAddress == that.futexAddress
                && holderTid == that.holderTid
                && detail.equals(that.detail);
    }

    @Override
    public int hashCode() {
        return ((reason.ordinal() * 31 + detail.hashCode()) * 31 + Long.hashCode(futexAddress)) * 31 + holderTid;
    }
}
