package io.inferscope.collectors.python;

import io.inferscope.collectors.host.NativeSamples;
import io.inferscope.scope.spool.SpoolWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Stacks of threads of processes that run no Python, from native samples only. A JVM records its own stacks, which name
 * Java's methods.
 *
 * <p>Samples are stored when their source lines are known: at once where the files have none, and usually within a
 * second.
 */
final class NativeThreads {
    private static final int NONE = 0;

    /** Longest wait for lines; killing InferScope loses as much. */
    private static final long MAX_HELD_NS = 10_000_000_000L;

    private static final int MAX_HELD = 1 << 14;

    /** Longest wait for lines after the end of the recording. */
    private static final long LAST_WAIT_NS = 3_000_000_000L;

    private static final long LOOK_AGAIN_MS = 10;

    private final SpoolWriter writer;
    private final NativeStacks stacks;
    private final Map<Integer, Program> byProcess = new HashMap<>();

    /** Programs that have ended, some of whose lines are not known yet. */
    private final List<Program> ended = new ArrayList<>();

    private record Held(int tid, long timeNs, NativeStacks.Unlined stack) {}

    private final class Program {
        private final int pid;
        private final Map<Integer, StackAccount> threads = new HashMap<>();
        private final ArrayDeque<Held> held = new ArrayDeque<>();
        private long newestNs;

        Program(int pid) {
            this.pid = pid;
        }

        void add(Held sample) {
            held.add(sample);
            newestNs = Math.max(newestNs, sample.timeNs);
            stacks.askForLines(sample.stack, false);
        }

        /** Stores the samples whose lines are known, in order. Returns whether all are stored. */
        boolean store(boolean hurry) {
            while (!held.isEmpty() && (isOverdue(held.element()) || stacks.askForLines(held.element().stack, hurry))) {
                storeFirst();
            }
            return held.isEmpty();
        }

        private boolean isOverdue(Held sample) {
            return held.size() > MAX_HELD || newestNs - sample.timeNs > MAX_HELD_NS;
        }

        private void storeFirst() {
            Held sample = held.remove();
            threads.computeIfAbsent(sample.tid, tid -> new StackAccount(writer, pid, tid))
                    .add(sample.timeNs, stacks.stack(sample.stack), NONE, NONE, NONE, false);
        }

        void end() {
            while (!held.isEmpty()) {
                storeFirst();
            }
            threads.values().forEach(account -> account.end(0));
        }
    }

    NativeThreads(SpoolWriter writer, NativeStacks stacks) {
        this.writer = writer;
        this.stacks = stacks;
    }

    /** Takes the native samples of a process's threads since the previous round. */
    void sample(int pid, NativeSamples natives) {
        natives.takeNow();
        for (int i = 0; i < natives.count(); i++) {
            if (natives.pid(i) == pid && !stacks.isJvm(pid, natives.timeNs(i))) {
                byProcess
                        .computeIfAbsent(pid, Program::new)
                        .add(new Held(natives.tid(i), natives.timeNs(i), stacks.ofProgram(natives, i)));
            }
        }
        Program program = byProcess.get(pid);
        if (program != null) {
            program.store(false);
        }
        endThoseStored();
    }

    private void endThoseStored() {
        if (!ended.isEmpty()) {
            ended.removeIf(program -> {
                boolean all = program.store(true);
                if (all) {
                    program.end();
                }
                return all;
            });
        }
    }

    /** Stores what is pending of a process: it has ended, or its stacks are read otherwise from now on. */
    void end(int pid) {
        Program program = byProcess.remove(pid);
        if (program != null) {
            ended.add(program);
            endThoseStored();
        }
    }

    /** Stores everything; waits up to 3 s for source lines. */
    void finish() {
        List.copyOf(byProcess.keySet()).forEach(this::end);
        long untilNs = System.nanoTime() + LAST_WAIT_NS;
        try {
            while (!ended.isEmpty() && System.nanoTime() - untilNs < 0) {
                Thread.sleep(LOOK_AGAIN_MS);
                endThoseStored();
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        ended.forEach(Program::end);
        ended.clear();
    }
}
