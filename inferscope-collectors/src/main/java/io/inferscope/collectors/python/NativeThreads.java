package io.inferscope.collectors.python;

import io.inferscope.collectors.host.NativeSamples;
import io.inferscope.scope.spool.SpoolWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Stacks of threads of processes that run no Python, from native samples only. A JVM records its own stacks, which name Java's methods.
 */
final class NativeThreads {
    private static final int NONE = 0;

    private final SpoolWriter writer;
    private final NativeStacks stacks;
    private final Map<Integer, Map<Integer, StackAccount>> byProcess = new HashMap<>();

    NativeThreads(SpoolWriter writer, NativeStacks stacks) {
        this.writer = writer;
        this.stacks = stacks;
    }

    /** Takes the native samples of a process's threads since the previous round. */
    void sample(int pid, NativeSamples natives) {
        for (int i = 0; i < natives.count(); i++) {
            if (natives.pid(i) == pid && !stacks.isJvm(natives, i)) {
                int tid = natives.tid(i);
                int stack = stacks.upon(NONE, natives, i);
                byProcess
                        .computeIfAbsent(pid, p -> new HashMap<>())
                        .computeIfAbsent(tid, t -> new StackAccount(writer, pid, tid))
                        .add(natives.timeNs(i), stack, NONE, NONE, false);
            }
        }
    }

    /** Stores what is pending of a process: it has ended, or its stacks are read otherwise from now on. */
    void end(int pid) {
        Map<Integer, StackAccount> threads = byProcess.remove(pid);
        if (threads != null) {
            threads.values().forEach(account -> account.end(0));
        }
    }

    void finish() {
        List.copyOf(byProcess.keySet()).forEach(this::end);
    }
}
