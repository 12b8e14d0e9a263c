package io.inferscope.collectors.os;

import com.sun.jna.Native;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Linux, through the C library. */
public final class LinuxKernel implements Kernel {
    static final int ENOENT = -2;

    /**
     * Makes the port.
     *
     * @throws UnsatisfiedLinkError when JNA's native part cannot be loaded
     */
    public LinuxKernel() {
        LibC.clockNs(LibC.CLOCK_BOOTTIME);
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
        long count = LibC.pread(descriptor, buffer, length, offset);
        return count >= 0 ? (int) count : -Native.getLastError();
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
    public long monotonicNs() {
        return System.nanoTime();
    }

    @Override
    public long bootAheadNs() {
        return LibC.clockNs(LibC.CLOCK_BOOTTIME) - System.nanoTime();
    }

    @Override
    public long threadCpuNs() {
        return LibC.clockNs(LibC.CLOCK_THREAD_CPUTIME_ID);
    }

    @Override
    public long processCpuNs() {
        return LibC.clockNs(LibC.CLOCK_PROCESS_CPUTIME_ID);
    }
}
