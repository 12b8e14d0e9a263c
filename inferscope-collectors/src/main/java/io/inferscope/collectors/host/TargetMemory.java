package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a few bytes of an observed process' memory through {@code /proc/PID/mem}, which is kept open. The process is
 * not stopped, so what is read may be half old, half new: callers check that it is plausible. Used by the sampling
 * thread alone.
 */
final class TargetMemory {
    private final OperatingSystem system;
    private final Map<Integer, Integer> descriptors = new HashMap<>();

    TargetMemory(OperatingSystem system) {
        this.system = system;
    }

    /** Returns {@code length} bytes from {@code address} on, little-endian; null where they cannot be read. */
    @Nullable
    ByteBuffer read(int pid, long address, int length) {
        int descriptor = descriptors.computeIfAbsent(pid, this::open);
        if (descriptor < 0 || address <= 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        int count = system.read(descriptor, address, bytes, length);
        if (count == 0) { // The program was replaced (exec): the file still refers to the old one.
            close(pid);
            descriptor = descriptors.computeIfAbsent(pid, this::open);
            count = descriptor < 0 ? descriptor : system.read(descriptor, address, bytes, length);
        }
        return count == length ? ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN) : null;
    }

    private int open(int pid) {
        return system.open("/proc/" + pid + "/mem");
    }

    /** Lets go of a process. */
    void close(int pid) {
        Integer descriptor = descriptors.remove(pid);
        if (descriptor != null && descriptor >= 0) {
            system.close(descriptor);
        }
    }
}
