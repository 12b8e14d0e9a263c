package io.inferscope.collectors.procfs;

import io.inferscope.timeline.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * The reason of a thread's wait, by the system call it sleeps in. Numbers: the kernel's
 * arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h (aarch64).
 */
public final class SystemCalls {
    /** The meaning of a call's arguments for the wait. */
    public enum Arguments {
        /** Nothing. */
        SILENT,
        /** The first one is a descriptor. */
        DESCRIPTOR,
        /** The first one is the descriptor of a socket. */
        SOCKET,
        /** Address and number of {@code struct pollfd}. */
        POLL,
        /** Number of bits, and addresses of three sets of them. */
        SELECT,
        /** The first one is an epoll descriptor. */
        EPOLL,
        /** futex(2): address, operation, value. */
        FUTEX,
        /** futex_wait(2): address, value. */
        FUTEX_WAIT,
        /** futex_waitv(2): address of the first {@code struct futex_waitv}. */
        FUTEX_VECTOR
    }

    /** One blocking call, with the reason that applies if its arguments show no better one. */
    public record Call(String name, WaitReason reason, Arguments arguments) {}

    private static final int NONE = -1;

    private static final int MAX_NUMBER = 512;

    private final @Nullable Call[] calls = new Call[MAX_NUMBER];
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
    public static SystemCalls of(String architecture) {
        return new SystemCalls(architecture.equals("aarch64"));
    }

    /** Returns a call, null if it is not known to block. */
    @Nullable
    public Call call(int number) {
        return number >= 0 && number < MAX_NUMBER ? calls[number] : null;
    }

    private void add(int x86, int aarch64, String name, WaitReason reason) {
        add(x86, aarch64, name, reason, Arguments.SILENT);
    }

    private void add(int x86, int aarch64, String name, WaitReason reason, Arguments arguments) {
        int number = arm ? aarch64 : x86;
        if (number != NONE) {
            calls[number] = new Call(name, reason, arguments);
        }
    }

    private void locks() {
        add(202, 98, "futex", WaitReason.FUTEX, Arguments.FUTEX);
        add(449, 449, "futex_waitv", WaitReason.FUTEX, Arguments.FUTEX_VECTOR);
        add(455, 455, "futex_wait", WaitReason.FUTEX, Arguments.FUTEX_WAIT);
        add(220, 192, "semtimedop", WaitReason.FUTEX);
        add(65, 193, "semop", WaitReason.FUTEX);
        add(73, 32, "flock", WaitReason.LOCK);
        add(72, 25, "fcntl", WaitReason.LOCK); // Blocks for a record lock only.
    }

    private void timersAndChildren() {
        add(35, 101, "nanosleep", WaitReason.TIMER);
        add(230, 115, "clock_nanosleep", WaitReason.TIMER);
        add(128, 137, "rt_sigtimedwait", WaitReason.TIMER);
        add(34, NONE, "pause", WaitReason.TIMER);
        add(61, 260, "wait4", WaitReason.CHILD_PROCESS);
        add(247, 95, "waitid", WaitReason.CHILD_PROCESS);
        add(58, NONE, "vfork", WaitReason.CHILD_PROCESS);
        add(56, 220, "clone", WaitReason.CHILD_PROCESS); // Blocks with CLONE_VFORK only.
        add(435, 435, "clone3", WaitReason.CHILD_PROCESS);
    }

    private void polling() {
        add(7, NONE, "poll", WaitReason.SOCKET, Arguments.POLL);
        add(271, 73, "ppoll", WaitReason.SOCKET, Arguments.POLL);
        add(23, NONE, "select", WaitReason.SOCKET, Arguments.SELECT);
        add(270, 72, "pselect6", WaitReason.SOCKET, Arguments.SELECT);
        add(232, NONE, "epoll_wait", WaitReason.SOCKET, Arguments.EPOLL);
        add(281, 22, "epoll_pwait", WaitReason.SOCKET, Arguments.EPOLL);
        add(441, 441, "epoll_pwait2", WaitReason.SOCKET, Arguments.EPOLL);
    }

    private void sockets() {
        add(42, 203, "connect", WaitReason.SOCKET);
        add(43, 202, "accept", WaitReason.SOCKET, Arguments.SOCKET);
        add(288, 242, "accept4", WaitReason.SOCKET, Arguments.SOCKET);
        add(44, 206, "sendto", WaitReason.SOCKET, Arguments.SOCKET);
        add(45, 207, "recvfrom", WaitReason.SOCKET, Arguments.SOCKET);
        add(46, 211, "sendmsg", WaitReason.SOCKET, Arguments.SOCKET);
        add(47, 212, "recvmsg", WaitReason.SOCKET, Arguments.SOCKET);
        add(299, 243, "recvmmsg", WaitReason.SOCKET, Arguments.SOCKET);
        add(307, 269, "sendmmsg", WaitReason.SOCKET, Arguments.SOCKET);
    }

    private void descriptors() {
        add(0, 63, "read", WaitReason.UNKNOWN, Arguments.DESCRIPTOR);
        add(1, 64, "write", WaitReason.UNKNOWN, Arguments.DESCRIPTOR);
        add(17, 67, "pread64", WaitReason.UNKNOWN, Arguments.DESCRIPTOR);
        add(18, 68, "pwrite64", WaitReason.UNKNOWN, Arguments.DESCRIPTOR);
        add(19, 65, "readv", WaitReason.UNKNOWN, Arguments.DESCRIPTOR);
        add(20, 66, "writev", WaitReason.UNKNOWN, Arguments.DESCRIPTOR);
        add(16, 29, "ioctl", WaitReason.UNKNOWN, Arguments.DESCRIPTOR);
        add(40, 71, "sendfile", WaitReason.UNKNOWN, Arguments.DESCRIPTOR);
        add(275, 76, "splice", WaitReason.UNKNOWN, Arguments.DESCRIPTOR);
        add(295, 69, "preadv", WaitReason.UNKNOWN, Arguments.DESCRIPTOR);
        add(296, 70, "pwritev", WaitReason.UNKNOWN, Arguments.DESCRIPTOR);
    }

    private void storage() {
        add(162, 81, "sync", WaitReason.FILE_IO);
        add(306, 267, "syncfs", WaitReason.FILE_IO);
        add(4, NONE, "stat", WaitReason.FILE_IO);
        add(262, 79, "newfstatat", WaitReason.FILE_IO);
        add(217, 61, "getdents64", WaitReason.FILE_IO);
        add(87, NONE, "unlink", WaitReason.FILE_IO);
        add(263, 35, "unlinkat", WaitReason.FILE_IO);
        add(82, NONE, "rename", WaitReason.FILE_IO);
        add(326, 285, "copy_file_range", WaitReason.FILE_IO);
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
