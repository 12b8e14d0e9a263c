package io.inferscope.collectors.os;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;

/**
 * Reads memory by {@code process_vm_readv(2)}; if that call is missing, through {@code /proc/PID/mem}. Neither stops
 * the process.
 */
public final class LinuxMemory implements ProcessMemory {
    private static final int MAX_RANGES_PER_CALL = 1024; // IOV_MAX, limits.h
    private static final int EFAULT = 14;
    private static final int ENOSYS = 38;
    private static final int EIO = 5;
    private static final int OWN_BYTES = 8;

    private long systemCalls;
    private boolean callMissing;

    long systemCalls() {
        return systemCalls;
    }

    @Override
    public int read(int pid, MemoryBatch batch) {
        int error = 0;
        while (error == 0 && batch.firstPending() < batch.count()) {
            error = callMissing ? readFile(pid, batch) : readRanges(pid, batch);
        }
        return error;
    }

    /** Reads a few bytes of InferScope's own process, which only a sandbox refuses; returns 0 or {@code -errno}. */
    public int readOwn() {
        try (Memory own = new Memory(OWN_BYTES)) {
            MemoryBatch batch = new MemoryBatch();
            batch.add(Pointer.nativeValue(own), OWN_BYTES);
            return read((int) ProcessHandle.current().pid(), batch);
        }
    }

    /** Makes one call. It stops at the first unreadable range (process_vm_readv(2)), which is settled as unread. */
    private int readRanges(int pid, MemoryBatch batch) {
        int first = batch.firstPending();
        int end = Math.min(batch.count(), first + MAX_RANGES_PER_CALL);
        int from = batch.offset(first);
        long wanted = (long) batch.offset(end - 1) + batch.length(end - 1) - from;
        systemCalls++;
        long got = LibC.process_vm_readv(
                pid, batch.localRange(from, wanted), 1, batch.rangeTable(first), (long) end - first, 0);
        if (got < 0) {
            int errno = Native.getLastError();
            if (errno == ENOSYS) {
                callMissing = true;
                return 0;
            }
            if (errno != EFAULT) {
                return -errno;
            }
            got = 0;
        }
        settle(batch, end, from, got);
        return 0;
    }

    private static void settle(MemoryBatch batch, int end, int from, long got) {
        while (batch.firstPending() < end) {
            int range = batch.firstPending();
            boolean whole = (long) batch.offset(range) + batch.length(range) - from <= got;
            batch.settle(whole);
            if (!whole) {
                return; // Later ranges were not tried.
            }
        }
    }

    private int readFile(int pid, MemoryBatch batch) {
        int descriptor = LibC.open("/proc/" + pid + "/mem", LibC.O_RDONLY_CLOEXEC);
        if (descriptor < 0) {
            int errno = Native.getLastError();
            return errno == -LinuxSystem.ENOENT ? OperatingSystem.NO_SUCH_PROCESS : -errno;
        }
        try {
            while (batch.firstPending() < batch.count()) {
                int range = batch.firstPending();
                int length = batch.length(range);
                int offset = batch.offset(range);
                systemCalls++;
                long got = LibC.pread(descriptor, batch.localData(offset), length, batch.address(range));
                int errno = got < 0 ? Native.getLastError() : 0;
                if (got == 0 || (got < 0 && errno != EIO && errno != EFAULT)) {
                    return got == 0 ? OperatingSystem.NO_SUCH_PROCESS : -errno; // The memory is gone: proc(5).
                }
                batch.settle(got == length);
            }
            return 0;
        } finally {
            LibC.close(descriptor);
        }
    }

    /** Writes bytes to a process' writable memory; returns 0 or {@code -errno}. */
    public static int write(int pid, long address, byte[] bytes) {
        try (Memory ranges = new Memory(2L * MemoryBatch.RANGE_BYTES);
                Memory from = new Memory(bytes.length)) {
            from.write(0, bytes, 0, bytes.length);
            ranges.setLong(0, Pointer.nativeValue(from));
            ranges.setLong(8, bytes.length);
            ranges.setLong(16, address);
            ranges.setLong(24, bytes.length);
            long local = Pointer.nativeValue(ranges);
            long done = LibC.process_vm_writev(pid, local, 1, local + MemoryBatch.RANGE_BYTES, 1, 0);
            return done == bytes.length ? 0 : done < 0 ? -Native.getLastError() : -EFAULT;
        }
    }

    /** Makes the next reads go through {@code /proc/PID/mem}. */
    void assumeCallMissing() {
        callMissing = true;
    }
}
