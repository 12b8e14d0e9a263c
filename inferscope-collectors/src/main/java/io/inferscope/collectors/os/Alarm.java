package io.inferscope.collectors.os;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread sleep until a timeout or until another thread wakes it, by one futex(2) call. Parking in the JVM also
 * uses a mutex and a condition variable, whose calls are costly for a thread that wakes up a hundred times a second.
 */
final class Alarm {
    private static final long FUTEX_X86 = 202; // arch/x86/entry/syscalls/syscall_64.tbl
    private static final long FUTEX_ARM = 98; // include/uapi/asm-generic/unistd.h
    private static final long WAIT_PRIVATE = 128; // linux/futex.h; the time is relative, on CLOCK_MONOTONIC
    private static final long WAKE_PRIVATE = 129;
    private static final int ENOSYS = 38;
    private static final int EPERM = 1;
    private static final int WORD = 16; // After the struct timespec.
    private static final long SECOND_NS = 1_000_000_000L;

    private final long number = System.getProperty("os.arch", "").equals("aarch64") ? FUTEX_ARM : FUTEX_X86;
    private final ByteBuffer memory =
            ByteBuffer.allocateDirect(WORD + Integer.BYTES).order(ByteOrder.nativeOrder());
    private final long address = Pointer.nativeValue(Native.getDirectBufferPointer(memory));
    private volatile boolean refused;
    private volatile @Nullable Thread parked;

    /** Sleeps for {@code ns}, or until {@link #wake} is or was called. */
    void sleep(long ns) {
        memory.putLong(0, ns / SECOND_NS).putLong(8, ns % SECOND_NS);
        if (!refused && LibC.syscall(number, address + WORD, WAIT_PRIVATE, 0, address, 0) < 0) {
            int error = Native.getLastError();
            refused = error == ENOSYS || error == EPERM; // Some sandboxes allow few calls.
        }
        if (refused) {
            parked = Thread.currentThread();
            if (memory.getInt(WORD) == 0) {
                LockSupport.parkNanos(ns);
            }
        }
        memory.putInt(WORD, 0);
    }

    /** Wakes the thread that sleeps, or keeps the next one from sleeping. */
    void wake() {
        memory.putInt(WORD, 1); // The kernel compares it with 0 before it lets a thread sleep.
        VarHandle.fullFence();
        LibC.syscall(number, address + WORD, WAKE_PRIVATE, 1, 0, 0);
        LockSupport.unpark(parked);
    }
}
