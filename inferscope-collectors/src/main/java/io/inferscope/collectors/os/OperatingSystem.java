package io.inferscope.collectors.os;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls of the operating system that sampling needs. Failures are return values: in {@code /proc} they are the
 * normal end of a thread.
 */
public interface OperatingSystem {
    /** {@code -errno} of a thread or process that is gone (errno.h: ESRCH, and ENOENT when opening). */
    int NO_SUCH_PROCESS = -3;

    /** {@code -errno} if reading is not permitted (errno.h: EPERM and EACCES). */
    int NOT_PERMITTED = -1;

    /** See {@link #NOT_PERMITTED}. */
    int ACCESS_DENIED = -13;

    /** Opens a file for reading; returns a descriptor, or {@code -errno}. */
    int open(String path);

    /** Reads from the start of a file that is kept open; returns the number of bytes, or {@code -errno}. */
    int read(int descriptor, byte[] buffer);

    /**
     * Reads up to {@code length} bytes from {@code offset} of a file that is kept open; returns how many, or
     * {@code -errno}.
     */
    int read(int descriptor, long offset, byte[] buffer, int length);

    void close(int descriptor);

    /** Returns where a symbolic link points, null when it cannot be read. */
    @Nullable
    String readLink(String path);

    /** Returns the names in a directory, null when it is gone. */
    String @Nullable [] list(String directory);

    /** Sleeps for {@code ns}, or until {@link #wake}. For one thread; it may wake up early without a reason. */
    void sleep(long ns);

    /** Wakes the thread that sleeps in {@link #sleep}, now or the next time. */
    void wake();

    /**
     * Returns the connected Unix sockets of InferScope's network namespace: by inode, the inode of the other end. None
     * where they cannot be listed.
     */
    default Map<Integer, Integer> unixPeers() {
        return Map.of();
    }

    /** Returns CLOCK_MONOTONIC in ns. */
    long monotonicNs();

    /**
     * Returns the time between two of the scheduler's ticks in ns, such as 4,000,000 on a kernel of 250 Hz; 0 if the
     * kernel does not say.
     */
    long tickNs();

    /** Returns how far CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC, in ns: the time the machine was suspended. */
    long bootAheadNs();

    /** Returns the CPU time of the calling thread in ns. */
    long threadCpuNs();

    /** Returns the CPU time of this whole process in ns. */
    long processCpuNs();
}
