package io.inferscope.collectors.os;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A process in this process' group that does nothing: a signal that ends it was sent to the group, not to this process
 * alone. No field of a signal says to whom else it was sent.
 *
 * <p>It is younger than this process, and Linux signals the youngest member of a group first
 * ({@code __kill_pgrp_info} walks a list whose head is the last process that joined), so it has usually got a signal
 * of the group before this process hears of it. A sender that signals this process first and then its group, as
 * timeout(1) does, needs {@link #PATIENCE_NS}.
 */
public final class GroupWitness {
    /** The longest time between the two signals of such a sender, on a busy machine. */
    public static final long PATIENCE_NS = 100_000_000L;

    /** It reads until this process ends, because only this process has the other end of the pipe. */
    private static final List<String> COMMAND =
            List.of("/bin/sh", "-c", "ulimit -c 0; read end # waits for signals to the process group of inferscope");

    /** KILL, SEGV, SYS: signals by which the system would end each further one, too. */
    private static final Set<Integer> FINAL = Set.of(9, 11, 31);

    private final Map<Integer, Long> seenNs = new HashMap<>();

    private GroupWitness() {}

    /** Starts it. Where the system refuses, no signal counts as one of the group. */
    public static GroupWitness start() {
        GroupWitness witness = new GroupWitness();
        Thread thread = new Thread(witness::watch, "group-witness");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError none) {
            // Of threads: the program runs already, and goes on without.
        }
        return witness;
    }

    /**
     * Returns whether the group got a signal that this process got at {@code arrivedNs}, of {@link System#nanoTime}.
     * Waits until {@link #PATIENCE_NS} after that if nothing is known before.
     */
    public synchronized boolean saw(int signal, long arrivedNs) {
        while (true) {
            Long seen = seenNs.get(signal);
            if (seen != null && Math.abs(seen - arrivedNs) <= PATIENCE_NS) {
                return true;
            }
            long leftNs = arrivedNs + PATIENCE_NS - System.nanoTime();
            if (leftNs <= 0) {
                return false;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, leftNs);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }

    private void watch() {
        try (Pipe pipe = new Pipe()) {
            boolean goesOn = true;
            while (goesOn) {
                ChildProcess process = spawn(pipe);
                ChildProcess.End end = process.awaitEnd();
                process.reap();
                goesOn = end.bySignal() && !FINAL.contains(end.code());
                if (goesOn) {
                    note(end.code());
                }
            }
        } catch (SpawnException | RuntimeException | LinkageError | OutOfMemoryError none) {
            // Then a signal to the group reaches the program twice.
        }
    }

    private synchronized void note(int signal) {
        seenNs.put(signal, System.nanoTime());
        notifyAll();
    }

    private static ChildProcess spawn(Pipe pipe) throws SpawnException {
        List<byte[]> words = COMMAND.stream()
                .map(word -> word.getBytes(StandardCharsets.US_ASCII))
                .toList();
        return ChildProcess.spawnSilent(words, pipe.readEnd());
    }
}
