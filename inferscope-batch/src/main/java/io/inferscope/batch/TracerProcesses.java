package io.inferscope.batch;

import io.inferscope.collectors.os.OwnProcess;
import io.inferscope.collectors.os.Signals;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds all processes of a tracer by an environment variable that they inherit, whose value is the pair's folder. So it
 * also finds processes that left the process group and processes whose parent has ended.
 */
final class TracerProcesses {
    /** The variable. */
    static final String MARK = "INFERSCOPE_TRACE_PAIR";

    private static final int SIGKILL = 9;

    /**
     * How often to check whether killed processes are gone. One that is not gone by then is blocked in the kernel by a
     * device, and no signal ends it.
     */
    private static final int MOST_ROUNDS = 200;

    private static final long ROUND_MS = 20;
    private static final Path PROC = Path.of("/proc");

    private TracerProcesses() {}

    /** Sends SIGKILL to all processes with a mark; returns how many there were. */
    static int kill(String mark) {
        List<Integer> found = of(mark);
        found.forEach(pid -> Signals.send(pid, SIGKILL));
        return found.size();
    }

    /** Ends all processes with a mark, including those started while it runs, and waits until they are gone. */
    static void end(String mark) {
        try {
            for (int round = 0; round < MOST_ROUNDS && kill(mark) > 0; round++) {
                Thread.sleep(ROUND_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the ids of all processes with a mark. */
    static List<Integer> of(String mark) {
        return of(mark, new HashSet<>());
    }

    /**
     * Returns the ids of all processes with a mark. {@code strangers} is a cache of processes known to be without the
     * mark: they are skipped, since a process's initial environment never changes. New processes without the mark are
     * added to it, and ids of ended processes removed.
     */
    static List<Integer> of(String mark, Set<Integer> strangers) {
        byte[] entry = (MARK + "=" + mark).getBytes(StandardCharsets.UTF_8);
        List<Integer> found = new ArrayList<>();
        Set<Integer> others = new HashSet<>();
        String[] names = PROC.toFile().list();
        for (String name : names == null ? new String[0] : names) {
            if (name.charAt(0) > '9' || name.charAt(0) < '0') {
                continue;
            }
            int pid = Integer.parseInt(name);
            if (!strangers.contains(pid) && holds(bytes(PROC.resolve(name).resolve("environ")), entry)) {
                found.add(pid);
            } else {
                others.add(pid);
            }
        }
        strangers.clear();
        strangers.addAll(others);
        return found;
    }

    /** Returns whether one of the environment variables is {@code entry}; each ends with a zero byte. */
    private static boolean holds(byte[] variables, byte[] entry) {
        for (int start = 0; start < variables.length; start++) {
            int end = start;
            while (end < variables.length && variables[end] != 0) {
                end++;
            }
            if (Arrays.equals(variables, start, end, entry, 0, entry.length)) {
                return true;
            }
            start = end;
        }
        return false;
    }

    /** Returns the sum of the processes' private memory in bytes: resident minus shared (proc(5), statm). */
    static long memoryBytes(List<Integer> pids) {
        long pages = 0;
        for (int pid : pids) {
            byte[] statm = bytes(PROC.resolve(Integer.toString(pid)).resolve("statm"));
            String[] fields = new String(statm, StandardCharsets.US_ASCII).split(" ", -1);
            if (fields.length > 2) {
                pages += Math.max(0, Long.parseLong(fields[1]) - Long.parseLong(fields[2]));
            }
        }
        return pages * OwnProcess.pageBytes();
    }

    private static byte[] bytes(Path file) {
        try (InputStream in = new FileInputStream(file.toFile())) {
            return in.readAllBytes();
        } catch (IOException gone) {
            return new byte[0];
        }
    }
}
