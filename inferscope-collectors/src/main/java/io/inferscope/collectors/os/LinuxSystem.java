package io.inferscope.collectors.os;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Linux, through the C library. */
public final class LinuxSystem implements OperatingSystem {
    static final int ENOENT = -2;
    private static final int SCRATCH_BYTES = 16 * 1024;

    /**
     * Buffer for the kernel's results: passing an address costs nothing, whereas arrays are copied by the JVM in both
     * directions. Guarded by itself.
     */
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH_BYTES).order(ByteOrder.nativeOrder());

    private final long scratchAt = Pointer.nativeValue(Native.getDirectBufferPointer(scratch));

    private final Alarm alarm = new Alarm();

    /**
     * Makes the port.
     *
     * @throws UnsatisfiedLinkError when JNA's native part cannot be loaded
     */
    public LinuxSystem() {
        clockNs(LibC.CLOCK_BOOTTIME);
    }

    @Override
    public int open(String path) {
        int descriptor = LibC.open(path, LibC.O_RDONLY_CLOEXEC);
        if (descriptor >= 0) {
            return descriptor;
        }
        int error = -Native.getLastError();
        return error == ENOENT ? NO_SUCH_PROCESS : error;
    }

    @Override
    public int read(int descriptor, byte[] buffer) {
        return read(descriptor, 0, buffer, buffer.length);
    }

    @Override
    public int read(int descriptor, long offset, byte[] buffer, int length) {
        if (length > SCRATCH_BYTES) {
            long count = LibC.pread(descriptor, buffer, length, offset);
            return count >= 0 ? (int) count : -Native.getLastError();
        }
        synchronized (scratch) {
            int count = (int) LibC.pread(descriptor, scratchAt, length, offset);
            if (count < 0) {
                return -Native.getLastError();
            }
            scratch.get(0, buffer, 0, count);
            return count;
        }
    }

    @Override
    public void close(int descriptor) {
        LibC.close(descriptor);
    }

    @Override
    public @Nullable String readLink(String path) {
        try {
            return Files.readSymbolicLink(Path.of(path)).toString();
        } catch (IOException | RuntimeException gone) {
            return null;
        }
    }

    @Override
    public String @Nullable [] list(String directory) {
        return new File(directory).list();
    }

    @Override
    public void sleep(long ns) {
        alarm.sleep(ns);
    }

    @Override
    public void wake() {
        alarm.wake();
    }

    @Override
    public Map<Integer, Integer> unixPeers() {
        return UnixSockets.peers();
    }

    @Override
    public long monotonicNs() {
        return System.nanoTime();
    }

    /** A coarse clock advances at each tick: its resolution (clock_getres(2)) is the time between two. */
    @Override
    public long tickNs() {
        synchronized (scratch) {
            return LibC.clock_getres(LibC.CLOCK_MONOTONIC_COARSE, scratchAt) == 0 ? timespecNs() : 0;
        }
    }

    @Override
    public long bootAheadNs() {
        return clockNs(LibC.CLOCK_BOOTTIME) - System.nanoTime();
    }

    @Override
    public long threadCpuNs() {
        return clockNs(LibC.CLOCK_THREAD_CPUTIME_ID);
    }

    @Override
    public long processCpuNs() {
        return clockNs(LibC.CLOCK_PROCESS_CPUTIME_ID);
    }

    private long clockNs(int clock) {
        synchronized (scratch) {
            LibC.clock_gettime(clock, scratchAt);
            return timespecNs();
        }
    }

    private long timespecNs() {
        return scratch.getLong(0) * 1_000_000_000L + scratch.getLong(8);
    }
}
