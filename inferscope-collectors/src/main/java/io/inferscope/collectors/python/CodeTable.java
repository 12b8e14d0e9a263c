package io.inferscope.collectors.python;

import io.inferscope.collectors.os.MemoryBatch;
import org.jspecify.annotations.Nullable;

/**
 * The code objects of one process by address. The memory of freed code objects is reused, so those on a stack are
 * compared with memory again: those on the stack since the previous sample after {@link #TRUSTED_NS}, others after a
 * {@value #PROVEN}th of their known lifetime, at once while that is short. So a freed code object is mistaken for alive
 * during at most that share of its lifetime.
 */
final class CodeTable {
    private static final long TRUSTED_NS = 100_000_000L;
    private static final int PROVEN = 128;

    /**
     * Beyond this number all are dropped, so that a program that creates code all the time does not fill InferScope's
     * memory.
     */
    private static final int MAX_CODES = 1 << 16;

    private final PythonProcess.Context context;
    private final int pid;
    private final PythonRuntime runtime;
    private final SourceFolder folder;
    private @Nullable CodeObject[] table = new CodeObject[1 << 8];
    private long reads;
    private int count;
    private CodeObject[] pending = new CodeObject[64];
    private int pendingCount;

    CodeTable(PythonProcess.Context context, int pid, PythonRuntime runtime) {
        this.context = context;
        this.pid = pid;
        this.runtime = runtime;
        folder = SourceFolder.of(context.system().readLink("/proc/" + pid + "/cwd"));
    }

    /**
     * Compares the known code objects on the threads' new stacks with memory, in one batch; changed ones are dropped.
     */
    void verify(ThreadStack[] threads, long nowNs) {
        MemoryBatch batch = context.batch();
        batch.clear();
        pendingCount = 0;
        for (ThreadStack thread : threads) {
            if (thread.wasRead && !thread.torn) {
                request(thread, batch, nowNs);
            }
        }
        if (pendingCount == 0 || context.memory().read(pid, batch) != 0) {
            return;
        }
        for (int i = 0; i < pendingCount; i++) {
            CodeObject code = pending[i];
            if (batch.isRead(code.range) && code.isStill(batch, batch.offset(code.range))) {
                code.verifiedNs = nowNs;
            } else {
                remove(code);
                forgetStacks(threads, code.address);
            }
            code.range = -1;
        }
    }

    private void request(ThreadStack thread, MemoryBatch batch, long nowNs) {
        int changed = thread.depth - thread.unchangedCallers();
        for (int i = 0; i < thread.depth; i++) {
            CodeObject code = table[slot(thread.codes[i])];
            if (code != null && code.range < 0 && nowNs - code.verifiedNs > trustedNs(code, i < changed)) {
                code.range = batch.add(
                        code.address + CodeObject.identityOffset(runtime.layout()),
                        CodeObject.identityBytes(runtime.layout()));
                if (code.range >= 0) {
                    append(code);
                }
            }
        }
    }

    /**
     * How long a code object is trusted. A frame that lasts over two samples keeps its code object alive; of others, a
     * long-lived one is likely to continue.
     */
    private static long trustedNs(CodeObject code, boolean isNew) {
        return isNew ? Math.min(TRUSTED_NS, (code.verifiedNs - code.knownNs) / PROVEN) : TRUSTED_NS;
    }

    private void append(CodeObject code) {
        if (pendingCount == pending.length) {
            pending = java.util.Arrays.copyOf(pending, pendingCount * 2);
        }
        pending[pendingCount++] = code;
    }

    /** Invalidates stacks that contain a changed code object, even if their addresses are equal. */
    private static void forgetStacks(ThreadStack[] threads, long address) {
        for (ThreadStack thread : threads) {
            for (int i = 0; i < thread.depth; i++) {
                if (thread.wasRead && thread.codes[i] == address) {
                    thread.forget();
                }
            }
        }
    }

    /** Returns how many code objects were read so far. The number grows when a program loads modules. */
    long reads() {
        return reads;
    }

    /** Returns the code object at an address if it was read before. */
    @Nullable
    CodeObject known(long address) {
        return table[slot(address)];
    }

    /** Returns the code object at an address, null when there is none. */
    @Nullable
    CodeObject get(long address) {
        CodeObject known = table[slot(address)];
        if (known != null) {
            return known;
        }
        try {
            CodeObject code = CodeObject.read(context.reader(), pid, runtime, folder, address);
            code.knownNs = context.system().monotonicNs();
            code.verifiedNs = code.knownNs;
            put(code);
            reads++;
            return code;
        } catch (UnreadableRuntime notCode) {
            return null;
        }
    }

    private void put(CodeObject code) {
        if (count == MAX_CODES) {
            table = new CodeObject[1 << 8];
            count = 0;
        } else if (count * 2 >= table.length) {
            rebuild(table.length * 2);
        }
        table[slot(code.address)] = code;
        count++;
    }

    private void remove(CodeObject code) {
        int at = slot(code.address);
        if (table[at] == code) {
            table[at] = null;
            count--;
            rebuild(table.length); // Open addressing: entries after a removed one must stay findable.
        }
    }

    private void rebuild(int size) {
        @Nullable CodeObject[] old = table;
        table = new CodeObject[size];
        for (CodeObject code : old) {
            if (code != null) {
                table[slot(code.address)] = code;
            }
        }
    }

    private int slot(long address) {
        int mask = table.length - 1;
        int at = (int) ((address * 0x9e37_79b9_7f4a_7c15L) >>> 32) & mask;
        for (CodeObject code = table[at]; code != null && code.address != address; code = table[at]) {
            at = (at + 1) & mask;
        }
        return at;
    }
}
