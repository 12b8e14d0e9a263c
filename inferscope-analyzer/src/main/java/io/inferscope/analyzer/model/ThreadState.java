package io.inferscope.analyzer.model;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;

/** A thread's state, as far as it was recorded. */
public enum ThreadState implements HasStableId {
    /** No recorder looked at the thread's state. */
    NOT_RECORDED("not recorded", LedgerClass.UNATTRIBUTED),
    /** On a CPU. */
    RUNNING("running", LedgerClass.UNATTRIBUTED),
    /** Runnable, but without a CPU. */
    RUNNABLE("runnable, no CPU free", LedgerClass.WAIT_RUN_QUEUE),
    /** Blocked for an unknown reason. */
    BLOCKED("blocked", LedgerClass.WAIT_UNKNOWN),
    /** Stopped by a signal such as SIGSTOP, or by a debugger. */
    STOPPED("stopped by a signal", LedgerClass.WAIT_STOPPED),
    FUTEX("blocked on a lock, condition or queue", LedgerClass.WAIT_UNKNOWN),
    FILE_IO("blocked on file I/O", LedgerClass.WAIT_IO),
    SOCKET("blocked on a socket", LedgerClass.WAIT_SOCKET),
    TIMER("sleeping", LedgerClass.WAIT_TIMER),
    /** Blocked on a child process. */
    CHILD_PROCESS("waiting for a child process", LedgerClass.WAIT_CHILD_PROCESS),
    DRIVER("blocked in the device driver", LedgerClass.FRAMEWORK_SYNC_RETURN),
    PIPE("blocked on a pipe", LedgerClass.WAIT_UNKNOWN),
    PAGE_FAULT("page fault", LedgerClass.WAIT_PAGE_FAULT),
    /** Blocked on a lock that another thread holds. */
    LOCK("blocked on a lock", LedgerClass.WAIT_LOCK),
    /** Waiting for the interpreter's global lock. */
    GIL("waiting for the GIL", LedgerClass.WAIT_GIL);

    private final String text;
    private final LedgerClass ledgerClass;

    ThreadState(String text, LedgerClass ledgerClass) {
        this.text = text;
        this.ledgerClass = ledgerClass;
    }

    /** Returns the state in a few words, which are its id. */
    @Override
    public String id() {
        return text;
    }

    /** Returns the class of time in this state; for a running thread its activity decides instead. */
    public LedgerClass ledgerClass() {
        return ledgerClass;
    }

    /** Returns the state of a thread that is blocked in a recorded state. */
    public static ThreadState blockedIn(Timeline timeline, int stateRow) {
        WaitReason reason = WaitReason.of(timeline, stateRow);
        return reason == WaitReason.UNKNOWN && WaitDetail.STOPPED.isOf(timeline, stateRow)
                ? STOPPED
                : blockedOn(reason);
    }

    private static ThreadState blockedOn(WaitReason reason) {
        return switch (reason) {
            case UNKNOWN -> BLOCKED;
            case FUTEX -> FUTEX;
            case FILE_IO -> FILE_IO;
            case SOCKET -> SOCKET;
            case TIMER -> TIMER;
            case CHILD_PROCESS -> CHILD_PROCESS;
            case DRIVER -> DRIVER;
            case PIPE -> PIPE;
            case PAGE_FAULT -> PAGE_FAULT;
            case LOCK -> LOCK;
            case GIL -> GIL;
        };
    }
}
