package io.inferscope.collectors.procfs;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.timeline.WaitReason;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the kind of another process' descriptor: pipe, socket, file, driver. Its path is not kept. */
public final class DescriptorKinds {
    /** How long an answer is reused for all threads that poll the descriptor. A number is reused only after a close. */
    private static final long REMEMBERED_NS = 1_000_000_000L;

    private static final int MAX_REMEMBERED = 4096;

    /** The first of these among the polled descriptors decides the reason: rarer kinds are more specific. */
    private static final List<WaitReason> TELLING =
            List.of(WaitReason.DRIVER, WaitReason.CHILD_PROCESS, WaitReason.SOCKET, WaitReason.PIPE, WaitReason.TIMER);

    private final OperatingSystem system;
    private final Map<Long, Answer> remembered = new HashMap<>();

    private record Answer(WaitReason reason, long untilNs) {}

    public DescriptorKinds(OperatingSystem system) {
        this.system = system;
    }

    /**
     * Returns the reason of a wait in a read, write or control call on descriptor {@code number} of process {@code
     * pid}.
     */
    public WaitReason reason(int pid, long number) {
        return of(system.readLink("/proc/" + pid + "/fd/" + number));
    }

    /** Returns the reason of a wait for any of several descriptors, null if none of them shows it. */
    @Nullable
    public WaitReason polled(int pid, Iterable<Integer> numbers) {
        Set<WaitReason> kinds = EnumSet.noneOf(WaitReason.class);
        for (int number : numbers) {
            kinds.add(remembered(pid, number));
        }
        for (WaitReason reason : TELLING) {
            if (kinds.contains(reason)) {
                return reason;
            }
        }
        return null;
    }

    private WaitReason remembered(int pid, int number) {
        long key = (long) pid << 32 | number;
        long nowNs = system.monotonicNs();
        Answer known = remembered.get(key);
        if (known == null || known.untilNs - nowNs < 0) {
            if (remembered.size() >= MAX_REMEMBERED) {
                remembered.clear();
            }
            known = new Answer(reason(pid, number), nowNs + REMEMBERED_NS);
            remembered.put(key, known);
        }
        return known.reason;
    }

    private static WaitReason of(@Nullable String target) {
        if (target == null) {
            return WaitReason.UNKNOWN;
        }
        if (target.startsWith("pipe:")) {
            return WaitReason.PIPE;
        }
        if (target.startsWith("socket:")) {
            return WaitReason.SOCKET;
        }
        return target.startsWith("anon_inode:") ? anonymous(target) : device(target);
    }

    /**
     * By the names that the kernel passes to anon_inode_getfile. An eventfd is written by another thread, like a pipe.
     */
    private static WaitReason anonymous(String target) {
        return switch (target) {
            case "anon_inode:[eventpoll]" -> WaitReason.SOCKET;
            case "anon_inode:[eventfd]" -> WaitReason.PIPE;
            case "anon_inode:[timerfd]" -> WaitReason.TIMER;
            case "anon_inode:[pidfd]" -> WaitReason.CHILD_PROCESS;
            case "anon_inode:[io_uring]" -> WaitReason.FILE_IO;
            default -> WaitReason.UNKNOWN;
        };
    }

    private static WaitReason device(String target) {
        if (target.startsWith("/dev/nvidia") || target.startsWith("/dev/kfd") || target.startsWith("/dev/dri/")) {
            return WaitReason.DRIVER;
        }
        if (target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.startsWith("/dev/console")) {
            return WaitReason.UNKNOWN; // A terminal is neither file nor socket.
        }
        // FIFOs show their path too; the kernel tells them apart only by mode, which is not worth a system call here.
        return target.startsWith("/") ? WaitReason.FILE_IO : WaitReason.UNKNOWN;
    }
}
