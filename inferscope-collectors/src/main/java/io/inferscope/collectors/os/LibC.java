package io.inferscope.collectors.os;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;

/** The C library, by JNA's direct mapping. Types are those of 64-bit Linux, x86-64 and aarch64. */
final class LibC {
    static final int O_RDONLY_CLOEXEC = 0x80000;
    static final int O_CLOEXEC = 0x80000;
    static final int O_WRONLY = 0x1;
    static final int O_WRONLY_CREATE_TRUNCATE = 0x1 | 0x40 | 0x200;
    static final int F_SETFL = 4;
    static final int O_WRONLY_NONBLOCK = 0x801;
    static final int F_DUPFD_CLOEXEC = 1030;
    static final int CLOCK_PROCESS_CPUTIME_ID = 2;
    static final int CLOCK_THREAD_CPUTIME_ID = 3;
    static final int CLOCK_MONOTONIC_COARSE = 6;
    static final int CLOCK_BOOTTIME = 7;
    static final int P_PID = 1;
    static final int WEXITED = 4;
    static final int WNOWAIT = 0x0100_0000;
    static final int EINTR = 4;
    static final int PR_GET_DUMPABLE = 3;
    static final int PR_SET_DUMPABLE = 4;
    static final int PAGE_SIZE = 30; // _SC_PAGESIZE

    static {
        Native.register(LibC.class, Platform.C_LIBRARY_NAME);
    }

    private LibC() {}

    static native int open(String path, int flags);

    static native long read(int descriptor, byte[] buffer, long count);

    static native long pread(int descriptor, byte[] buffer, long count, long offset);

    static native long pread(int descriptor, long buffer, long count, long offset);

    static native long process_vm_readv(
            int pid, long local, long localCount, long remote, long remoteCount, long flags);

    static native long process_vm_writev(
            int pid, long local, long localCount, long remote, long remoteCount, long flags);

    static native int close(int descriptor);

    static native int socket(int family, int type, int protocol);

    static native long send(int socket, byte[] buffer, long count, int flags);

    static native long recv(int socket, byte[] buffer, long count, int flags);

    static native long syscall(long number, long a, long b, long c, long d, long e);

    static native long sysconf(int name);

    static native int ioctl(int descriptor, long request, long argument);

    static native Pointer mmap(Pointer address, long length, int protection, int flags, int descriptor, long offset);

    static native int munmap(Pointer address, long length);

    static native int dup2(int from, int to);

    static native int fcntl(int descriptor, int command, int argument);

    static native int clock_gettime(int clock, long timespec);

    static native int clock_getres(int clock, long timespec);

    static native int kill(int pid, int signal);

    static native Pointer signal(int number, Pointer handler);

    static native int sigaction(int number, Pointer action, Pointer old);

    static native int posix_spawn(
            int[] pid, byte[] path, Pointer fileActions, Pointer attributes, Pointer arguments, Pointer environment);

    static native int posix_spawnattr_init(Pointer attributes);

    static native int posix_spawnattr_setflags(Pointer attributes, short flags);

    static native int posix_spawnattr_setsigmask(Pointer attributes, Pointer mask);

    static native int posix_spawnattr_setsigdefault(Pointer attributes, Pointer signals);

    static native int posix_spawnattr_destroy(Pointer attributes);

    static native int posix_spawn_file_actions_init(Pointer actions);

    static native int posix_spawn_file_actions_addopen(
            Pointer actions, int descriptor, byte[] path, int flags, int mode);

    static native int posix_spawn_file_actions_addclose(Pointer actions, int descriptor);

    static native int posix_spawn_file_actions_adddup2(Pointer actions, int from, int to);

    static native int posix_spawn_file_actions_addchdir_np(Pointer actions, byte[] path);

    static native int posix_spawn_file_actions_destroy(Pointer actions);

    static native int pipe2(int[] descriptors, int flags);

    static native long pthread_self();

    static native int waitid(int kind, int id, byte[] info, int options);

    static native int wait4(int pid, int[] status, int options, long[] usage);

    static native long getxattr(byte[] path, byte[] name, Pointer value, long size);

    static native int prctl(int option, long a, long b, long c, long d);

    static native int getrlimit(int resource, long[] limits);

    static native int setrlimit(int resource, long[] limits);
}
