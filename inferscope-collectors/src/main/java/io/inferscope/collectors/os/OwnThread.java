package io.inferscope.collectors.os;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The ids of the calling thread.
 *
 * @param pthread its pthread id
 * @param tid its kernel thread id
 */
public record OwnThread(long pthread, int tid) {
    private static final long SCHED_SETATTR_X86 = 314; // arch/x86/entry/syscalls/syscall_64.tbl
    private static final long SCHED_GETATTR_X86 = 315;
    private static final long SCHED_SETATTR_ARM = 274; // include/uapi/asm-generic/unistd.h
    private static final long SCHED_GETATTR_ARM = 275;
    private static final int SCHED_OTHER = 0;
    private static final long SHORTEST_TURN_NS = 100_000; // The kernel's own limit.

    // struct sched_attr of sched_setattr(2)
    private static final int SCHED_ATTR_BYTES = 48;
    private static final int POLICY = 4;
    private static final int FLAGS = 8;
    private static final int RUNTIME = 24;

    private static final Path THREAD_SELF = Path.of("/proc/thread-self");

    /**
     * Returns the calling thread.
     *
     * @throws IOException if {@code /proc} does not show them
     */
    public static OwnThread current() throws IOException {
        Path link = Files.readSymbolicLink(THREAD_SELF); // <pid>/task/<tid>, proc(5)
        return new OwnThread(
                LibC.pthread_self(), Integer.parseInt(link.getFileName().toString()));
    }

    /**
     * Asks the scheduler to let the calling thread run soon after it wakes up, where other threads use all CPUs: its
     * turns may be short in return. Ordinary users may do so, too (sched(7); Linux 6.12, without effect before).
     */
    public static void runSoonAfterWaking() {
        boolean arm = System.getProperty("os.arch", "").equals("aarch64");
        ByteBuffer attributes = ByteBuffer.allocateDirect(SCHED_ATTR_BYTES).order(ByteOrder.nativeOrder());
        long address = Pointer.nativeValue(Native.getDirectBufferPointer(attributes));
        if (LibC.syscall(arm ? SCHED_GETATTR_ARM : SCHED_GETATTR_X86, 0, address, SCHED_ATTR_BYTES, 0, 0) == 0
                && attributes.getInt(POLICY) == SCHED_OTHER) {
            attributes.putInt(0, SCHED_ATTR_BYTES).putLong(FLAGS, 0).putLong(RUNTIME, SHORTEST_TURN_NS);
            LibC.syscall(arm ? SCHED_SETATTR_ARM : SCHED_SETATTR_X86, 0, address, 0, 0, 0);
        }
    }
}
