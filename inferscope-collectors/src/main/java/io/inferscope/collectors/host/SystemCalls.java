package io.inferscope.collectors.host;

import io.inferscope.timeline.WaitReason;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a thread waits for, by the system call it sleeps in. Numbers: the kernel's arch/x86/entry/syscalls/syscall_64.tbl and
 * include/uapi/asm-generic/unistd.h (aarch64).
 */
final class SystemCalls {
    /** One blocking call; a reason of null means that its first argument, a descriptor, decides. */
    record Call(String name, @Nullable WaitReason reason) {}

    private static final int NONE = -1;

    private final Map<Integer, Call> calls = new HashMap<>();
    private final boolean arm;

    private SystemCalls(boolean arm) {
        this.arm = arm;
        locks();
        timersAndChildren();
        polling();
        sockets();
        descriptors();
        storage();
    }

    /** Returns the table of an architecture as {@code os.arch} names it. */
    static SystemCalls of(String architecture) {
        return new SystemCalls(architecture.equals("aarch64"));
    }

    /** Returns what is known of a call, null when it is none that blocks for a known reason. */
    @Nullable
    Call call(int number) {
        return calls.get(number);
    }

    private void add(int x86, int aarch64, String name, @Nullable WaitReason reason) {
        int number = arm ? aarch64 : x86;
        if (number != NONE) {
            calls.put(number, new Call(name, reason));
        }
    }

    private void locks() {
        add(202, 98, "futex", WaitReason.FUTEX);
        add(449, 449, "futex_waitv", WaitReason.FUTEX);
        add(455, 455, "futex_wait", WaitReason.FUTEX);
        add(220, 192, "semtimedop", WaitReason.FUTEX);
        add(65, 193, "semop", WaitReason.FUTEX);
        add(73, 32, "flock", WaitReason.FUTEX);
    }

    private void timersAndChildren() {
        add(35, 101, "nanosleep", WaitReason.TIMER);
        add(230, 115, "clock_nanosleep", WaitReason.TIMER);
        add(34, NONE, "pause", WaitReason.TIMER);
        add(61, 260, "wait4", WaitReason.CHILD_PROCESS);
        add(247, 95, "waitid", WaitReason.CHILD_PROCESS);
        add(58, NONE, "vfork", WaitReason.CHILD_PROCESS);
    }

    private void polling() {
        add(7, NONE, "poll", WaitReason.SOCKET);
        add(271, 73, "ppoll", WaitReason.SOCKET);
        add(23, NONE, "select", WaitReason.SOCKET);
        add(270, 72, "pselect6", WaitReason.SOCKET);
        add(232, NONE, "epoll_wait", WaitReason.SOCKET);
        add(281, 22, "epoll_pwait", WaitReason.SOCKET);
        add(441, 441, "epoll_pwait2", WaitReason.SOCKET);
    }

    private void sockets() {
        add(42, 203, "connect", WaitReason.SOCKET);
        add(43, 202, "accept", WaitReason.SOCKET);
        add(288, 242, "accept4", WaitReason.SOCKET);
        add(44, 206, "sendto", WaitReason.SOCKET);
        add(45, 207, "recvfrom", WaitReason.SOCKET);
        add(46, 211, "sendmsg", WaitReason.SOCKET);
        add(47, 212, "recvmsg", WaitReason.SOCKET);
        add(299, 243, "recvmmsg", WaitReason.SOCKET);
        add(307, 269, "sendmmsg", WaitReason.SOCKET);
    }

    private void descriptors() {
        add(0, 63, "read", null);
        add(1, 64, "write", null);
        add(17, 67, "pread64", null);
        add(18, 68, "pwrite64", null);
        add(19, 65, "readv", null);
        add(20, 66, "writev", null);
        add(16, 29, "ioctl", null);
        add(40, 71, "sendfile", null);
    }

    private void storage() {
        add(74, 82, "fsync", WaitReason.FILE_IO);
        add(75, 83, "fdatasync", WaitReason.FILE_IO);
        add(277, 84, "sync_file_range", WaitReason.FILE_IO);
        add(26, 227, "msync", WaitReason.FILE_IO);
        add(2, NONE, "open", WaitReason.FILE_IO);
        add(257, 56, "openat", WaitReason.FILE_IO);
        add(208, 4, "io_getevents", WaitReason.FILE_IO);
        add(426, 426, "io_uring_enter", WaitReason.FILE_IO);
        add(285, 47, "fallocate", WaitReason.FILE_IO);
        add(187, 213, "readahead", WaitReason.FILE_IO);
    }
}
