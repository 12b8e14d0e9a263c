package io.inferscope.formats.nsys;

import io.inferscope.timeline.WaitReason;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reasons of waits in calls of the OS runtime libraries, by name: the blocking functions of POSIX.1-2017 and Linux.
 * Calls that do not wait, such as mmap or ioctl, are not listed.
 */
final class OsRuntimeCalls {
    private static final Map<String, WaitReason> WAITS = new HashMap<>();

    static {
        waits(
                WaitReason.FUTEX,
                "pthread_mutex_lock pthread_mutex_timedlock pthread_mutex_clocklock pthread_cond_wait pthread_cond_timedwait"
                        + " pthread_cond_clockwait pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_timedrdlock"
                        + " pthread_rwlock_timedwrlock pthread_join pthread_timedjoin_np pthread_barrier_wait sem_wait"
                        + " sem_timedwait sem_clockwait futex sigwait sigwaitinfo sigtimedwait pause");
        waits(
                WaitReason.SOCKET,
                "poll ppoll select pselect epoll_wait epoll_pwait epoll_pwait2 recv recvfrom recvmsg recvmmsg send sendto sendmsg"
                        + " sendmmsg accept accept4 connect");
        waits(WaitReason.TIMER, "sleep usleep nanosleep clock_nanosleep");
        waits(WaitReason.CHILD_PROCESS, "wait wait3 wait4 waitpid waitid system pclose");
        waits(
                WaitReason.FILE_IO,
                "read pread pread64 readv preadv preadv2 preadv64 write pwrite pwrite64 writev pwritev pwritev2 pwritev64 open open64"
                        + " openat openat64 fopen fopen64 fread fwrite fgets fgetc getc getline getdelim fputs fflush fclose close fsync"
                        + " fdatasync sync syncfs sendfile sendfile64 copy_file_range splice flock lockf");
    }

    /** Functions that return after a character or a line. */
    private static final Set<String> LINES = Set.of("getc", "fgetc", "fgets", "getline", "getdelim");

    /** No file takes so long for one buffer; a terminal or a pipe waits for who writes. */
    private static final long LONGEST_LINE_NS = 500_000_000;

    private OsRuntimeCalls() {}

    private static void waits(WaitReason reason, String names) {
        for (String name : names.split(" ", -1)) {
            WAITS.put(name, reason);
        }
    }

    /** Returns the reason of a call's wait that took so long, null if it is not known to wait. */
    static @Nullable WaitReason waitReason(String function, long ns) {
        return ns > LONGEST_LINE_NS && LINES.contains(function) ? WaitReason.UNKNOWN : WAITS.get(function);
    }
}
