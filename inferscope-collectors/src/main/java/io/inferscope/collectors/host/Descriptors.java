package io.inferscope.collectors.host;

import io.inferscope.collectors.os.Kernel;
import io.inferscope.timeline.WaitReason;

/** Tells what a descriptor of another process is: pipe, socket, file, driver. */
final class Descriptors {
    private final Kernel kernel;

    Descriptors(Kernel kernel) {
        this.kernel = kernel;
    }

    /** Returns the reason for which a thread sleeps that reads, writes or controls descriptor {@code number} of process {@code pid}. */
    WaitReason reason(int pid, long number) {
        String target = kernel.readLink("/proc/" + pid + "/fd/" + number);
        if (target == null) {
            return WaitReason.UNKNOWN;
        }
        if (target.startsWith("pipe:")) {
            return WaitReason.PIPE;
        }
        if (target.startsWith("socket:") || target.startsWith("anon_inode:[event")) {
            return WaitReason.SOCKET;
        }
        if (target.startsWith("anon_inode:[timerfd")) {
            return WaitReason.TIMER;
        }
        return device(target);
    }

    private static WaitReason device(String target) {
        if (target.startsWith("/dev/nvidia") || target.startsWith("/dev/kfd") || target.startsWith("/dev/dri/")) {
            return WaitReason.DRIVER;
        }
        if (target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.startsWith("/dev/console")) {
            return WaitReason.UNKNOWN; // A person at a terminal is neither file nor socket.
        }
        // FIFOs show their path too; the kernel tells them apart only by mode, which is not worth a system call here.
        return target.startsWith("/") ? WaitReason.FILE_IO : WaitReason.UNKNOWN;
    }
}
