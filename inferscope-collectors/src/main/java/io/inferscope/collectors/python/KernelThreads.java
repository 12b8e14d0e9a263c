package io.inferscope.collectors.python;

import io.inferscope.collectors.os.MemoryBatch;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * Finds the kernel thread id behind a thread state. From 3.11 on, CPython stores it. Before, the thread state contains
 * the result of pthread_self: with glibc and musl the address of the thread's descriptor, which has the id at a fixed
 * offset. The offset is found on the main thread, whose id is the process id, so no table of C libraries is needed.
 */
final class KernelThreads {
    private static final int DESCRIPTOR_BYTES = 2048;

    /** Offset of the id in struct pthread of glibc 2.x (nptl/descr.h) on x86-64 and aarch64; tried first. */
    private static final int[] GLIBC_OFFSETS = {720, 208};

    private final RemoteReader reader;
    private final int pid;
    private int tidOffset = -1;

    KernelThreads(RemoteReader reader, int pid) {
        this.reader = reader;
        this.pid = pid;
    }

    /**
     * Returns the kernel thread id, in InferScope's own PID namespace, of the thread {@code nativeId}; 0 if there is
     * none.
     */
    int ofNativeId(long nativeId) {
        if (nativeId <= 0 || nativeId > Integer.MAX_VALUE) {
            return 0;
        }
        String task = "/proc/" + pid + "/task/";
        if (new File(task + nativeId).exists()) {
            return (int) nativeId;
        }
        String[] tids = new File(task).list(); // A container has its own ids: NSpid of proc(5) has both.
        for (String tid : tids == null ? new String[0] : tids) {
            if (innermostId(task + tid + "/status") == nativeId) {
                return Integer.parseInt(tid);
            }
        }
        return 0;
    }

    private static long innermostId(String status) {
        try {
            String text = new String(Files.readAllBytes(Path.of(status)), StandardCharsets.ISO_8859_1);
            int at = text.indexOf("\nNSpid:");
            if (at < 0) {
                return 0;
            }
            String ids = text.substring(at + 7, text.indexOf('\n', at + 1)).trim();
            return Long.parseLong(ids.substring(Math.max(ids.lastIndexOf('\t'), ids.lastIndexOf(' ')) + 1));
        } catch (IOException | RuntimeException gone) {
            return 0;
        }
    }

    /** Returns the kernel thread id in the descriptor at {@code pthread}; 0 if (as yet) unknown. */
    int ofPthread(long pthread) throws UnreadableRuntime {
        if (tidOffset < 0 && !calibrate(pthread)) {
            return 0;
        }
        return ofNativeId(reader.read(pid, pthread + tidOffset, 4).getInt(0));
    }

    /** Finds the offset of the id. Only the main thread's descriptor contains the process id at it. */
    private boolean calibrate(long pthread) throws UnreadableRuntime {
        Set<Integer> ids = new HashSet<>();
        String[] names = new File("/proc/" + pid + "/task").list();
        for (String name : names == null ? new String[0] : names) {
            ids.add(Integer.parseInt(name));
        }
        MemoryBatch descriptor = reader.read(pid, pthread, DESCRIPTOR_BYTES);
        for (int offset : GLIBC_OFFSETS) {
            if (isId(descriptor.getInt(offset), ids)) {
                tidOffset = offset;
                return true;
            }
        }
        for (int offset = 0; offset < DESCRIPTOR_BYTES; offset += 4) {
            if (descriptor.getInt(offset) == pid) {
                tidOffset = offset;
                return true;
            }
        }
        return false;
    }

    private boolean isId(int value, Set<Integer> ids) {
        return value > 0 && (ids.contains(value) || ofNativeId(value) != 0);
    }
}
