package io.inferscope.collectors.host;

import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import java.nio.ByteBuffer;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Recognises the object that a futex belongs to, and the awaited thread. To the kernel a futex is a single word; the
 * way threads wait on it shows the object:
 *
 * <pre>
 *   an interpreter's own lock    recognised by {@link InterpreterLocks}
 *   pthread_mutex_t              FUTEX_WAIT for 2 ("locked, with waiters"); the owner's thread id is 8 bytes on
 *   pthread_mutex_t, PI          FUTEX_LOCK_PI; the word itself is the owner's thread id
 *   pthread_join                 waits for the word to change from the joined thread's id (set_tid_address(2))
 * </pre>
 *
 * Conditions, semaphores (Python's own locks up to 3.12) and barriers have no owner. Layout: glibc 2.17 to 2.42,
 * sysdeps/nptl/bits/struct_mutex.h of x86-64 and aarch64; lock word values: lowlevellock.h. musl's mutex has its owner
 * in the futex word, and waits for the word with bit 31 set.
 *
 * @param alive whether a process has a thread
 */
record Futexes(TargetMemory memory, InterpreterLocks interpreters, BiPredicate<Integer, Integer> alive) {
    private static final int COMMAND = 0x7f; // linux/futex.h: without PRIVATE and CLOCK_REALTIME
    private static final int PRIVATE = 0x80;
    private static final int WAIT = 0;
    private static final int LOCK_PI = 6;
    private static final int WAIT_BITSET = 9;
    private static final int LOCK_PI2 = 13;
    private static final int CONTENDED = 2;
    private static final int TID_MASK = 0x3fff_ffff; // FUTEX_TID_MASK
    private static final int MUTEX_BYTES = 12;
    private static final int OWNER = 8;

    /**
     * A thread's wait in futex(2): its first three arguments.
     *
     * @param isTimed whether it may end by a timeout
     */
    record Wait(int pid, int tid, long address, int operation, int value, boolean isTimed) {
        private boolean isEndedByOwnProcess() {
            int command = operation & COMMAND;
            return !isTimed && (operation & PRIVATE) != 0 && (command == WAIT || command == WAIT_BITSET);
        }
    }

    /** Returns the cause of a futex wait in a call of the given name. */
    WaitCause cause(Wait wait, String call) {
        if (wait.address <= 0) {
            return new WaitCause(WaitReason.FUTEX, call);
        }
        if (interpreters.isGil(wait.pid, wait.address)) {
            return new WaitCause(WaitReason.GIL, call, wait.address, other(wait, interpreters.gilHolder(wait.pid)));
        }
        int owner = owner(wait);
        if (owner != 0) {
            return new WaitCause(WaitReason.LOCK, call, wait.address, owner);
        }
        String detail = wait.isEndedByOwnProcess() ? WaitDetail.ENDED_BY_OWN_PROCESS.text() : call;
        return new WaitCause(WaitReason.FUTEX, detail, wait.address, joined(wait));
    }

    /**
     * Returns the current cause of a thread that has been waiting since the last reading: the lock's holder may have
     * changed.
     */
    WaitCause again(Wait wait, WaitCause before) {
        return switch (before.reason()) {
            case GIL -> before.heldBy(other(wait, interpreters.gilHolder(wait.pid)));
            case LOCK -> before.heldBy(owner(wait));
            default -> before;
        };
    }

    private int owner(Wait wait) {
        int command = wait.operation & COMMAND;
        boolean inheriting = command == LOCK_PI || command == LOCK_PI2;
        boolean plain = (command == WAIT || command == WAIT_BITSET) && wait.value == CONTENDED;
        if (!inheriting && !plain) {
            return 0;
        }
        ByteBuffer mutex = memory.read(wait.pid, wait.address, MUTEX_BYTES);
        if (mutex == null || mutex.getInt(0) == 0) {
            return 0;
        }
        return living(wait, inheriting ? mutex.getInt(0) & TID_MASK : mutex.getInt(OWNER));
    }

    /** Returns the thread whose end is awaited, 0 if the wait is not a join. */
    private int joined(Wait wait) {
        @Nullable ByteBuffer word = wait.value > 1 ? memory.read(wait.pid, wait.address, Integer.BYTES) : null;
        return word == null || word.getInt(0) != wait.value ? 0 : living(wait, wait.value);
    }

    private int living(Wait wait, int tid) {
        return tid > 1 && tid != wait.tid && alive.test(wait.pid, tid) ? tid : 0;
    }

    private static int other(Wait wait, int tid) {
        return tid == wait.tid ? 0 : tid;
    }
}
