package io.inferscope.collectors.procfs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.inferscope.collectors.os.OperatingSystem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads {@code /proc} files that are not read at every sample. */
public final class ProcFiles {
    private static final int BUFFER_BYTES = 16 * 1024;
    private static final int ENVIRONMENT_BYTES = 256 * 1024;
    private static final int PARENT = 1; // Fields of stat, counted from the state letter on: proc(5) 4, 20 and 22.
    private static final int USER_TICKS = 11; // proc(5) 14 and 15
    private static final int SYSTEM_TICKS = 12;
    private static final int CHILDREN_USER_TICKS = 13; // proc(5) 16 and 17
    private static final int CHILDREN_SYSTEM_TICKS = 14;
    private static final int THREADS = 17;
    private static final int START_TIME = 19;

    /** USER_HZ, the unit of times in stat: 100 on every Linux this runs on (asm-generic/param.h). */
    private static final long TICK_NS = 10_000_000L;

    private final OperatingSystem system;
    private final byte[] buffer = new byte[BUFFER_BYTES];

    /**
     * The file "stat" of a process or thread.
     *
     * @param startNs CLOCK_MONOTONIC, rounded down to 10 ms
     * @param startTicks the same in ticks since boot; it distinguishes a process from a later one with the same id
     * @param cpuNs CPU time of the process, or thread, in ns, rounded likewise; a process's holds its ended threads'
     * @param childrenNs CPU time, in ns, of the children that the process has waited for, and of those that they had
     *     waited for; user and system time are each rounded down to 10 ms
     */
    public record Stat(
            String name,
            char state,
            int parentPid,
            int threads,
            long startNs,
            long startTicks,
            long cpuNs,
            long childrenNs) {}

    public ProcFiles(OperatingSystem system) {
        this.system = system;
    }

    /** Returns the stat of {@code /proc/<path>}, or a state of 'X' when it is gone. */
    public Stat stat(String path) {
        int length = read("/proc/" + path + "/stat");
        if (length <= 0) {
            return new Stat("", 'X', 0, 0, 0, 0, 0, 0);
        }
        int from = ProcText.stateIndex(buffer, length);
        long startTicks = ProcText.number(buffer, from, length, START_TIME);
        return new Stat(
                ProcText.name(buffer, length),
                (char) buffer[from],
                (int) ProcText.number(buffer, from, length, PARENT),
                (int) ProcText.number(buffer, from, length, THREADS),
                startTicks * TICK_NS - system.bootAheadNs(),
                startTicks,
                ticksNs(from, length, USER_TICKS) + ticksNs(from, length, SYSTEM_TICKS),
                ticksNs(from, length, CHILDREN_USER_TICKS) + ticksNs(from, length, CHILDREN_SYSTEM_TICKS));
    }

    private long ticksNs(int from, int length, int field) {
        return TICK_NS * ProcText.number(buffer, from, length, field);
    }

    /** Returns whether the process has a living thread of that id. */
    public boolean hasThread(int pid, int tid) {
        char state = stat(pid + "/task/" + tid).state();
        return state != 'X' && state != 'Z';
    }

    /** Adds the child processes of one thread to {@code children}; returns false if the kernel has no such file. */
    public boolean children(int pid, int tid, List<Integer> children) {
        int length = read("/proc/" + pid + "/task/" + tid + "/children");
        int index = 0;
        int child = child(length, 0);
        while (child != 0) {
            children.add(child);
            child = child(length, ++index);
        }
        return length >= 0;
    }

    private int child(int length, int index) {
        return length <= 0 ? 0 : (int) ProcText.number(buffer, 0, length, index);
    }

    /** Returns the numeric names of the folders in {@code directory}. */
    public List<Integer> ids(String directory) {
        List<Integer> ids = new ArrayList<>();
        String[] names = system.list(directory);
        for (String name : names == null ? new String[0] : names) {
            if (!name.isEmpty() && name.charAt(0) >= '0' && name.charAt(0) <= '9') {
                ids.add(Integer.parseInt(name));
            }
        }
        return ids;
    }

    /** Returns whether an environment, as it is read, holds {@code entry}; none holds an empty one. */
    public static boolean holds(String environment, String entry) {
        return !entry.isEmpty() && environment.contains(new String(entry.getBytes(UTF_8), ISO_8859_1));
    }

    /** Returns the environment that a process was started with, one character a byte, empty where it cannot be read. */
    public String environment(int pid) {
        int descriptor = system.open("/proc/" + pid + "/environ");
        if (descriptor < 0) {
            return "";
        }
        byte[] environment = new byte[ENVIRONMENT_BYTES];
        int length = system.read(descriptor, environment);
        system.close(descriptor);
        return length <= 0 ? "" : new String(environment, 0, length, ISO_8859_1);
    }

    /** Returns what is in a file, empty when it cannot be read; of a long one the first 16 KB. */
    public String text(String path) {
        int length = read(path);
        return length <= 0 ? "" : new String(buffer, 0, length, UTF_8);
    }

    /** Returns the lines of a file, none when it cannot be read; of a long one those in the first 16 KB. */
    public List<String> lines(String path) {
        return text(path).lines().toList();
    }

    /** Passes the complete lines in the first {@code maxBytes} of a long file; none if it cannot be read. */
    public void eachLine(String path, int maxBytes, Consumer<String> taker) {
        int descriptor = system.open(path);
        String rest = "";
        for (long offset = 0; descriptor >= 0 && offset < maxBytes; ) {
            int length = system.read(descriptor, offset, buffer, buffer.length);
            if (length <= 0) {
                break;
            }
            offset += length;
            String text = rest + new String(buffer, 0, length, ISO_8859_1);
            int end = text.lastIndexOf('\n') + 1;
            text.substring(0, end).lines().forEach(taker);
            rest = text.substring(end);
        }
        if (descriptor >= 0) {
            system.close(descriptor);
        }
    }

    /** Returns the number in a file, {@code otherwise} if it contains none ("max") or cannot be read. */
    long number(String path, long otherwise) {
        try {
            return Long.parseLong(text(path).trim());
        } catch (NumberFormatException none) {
            return otherwise;
        }
    }

    private int read(String path) {
        return read(system, path, buffer);
    }

    /** Reads the beginning of a file; returns the number of bytes, or {@code -errno}. */
    static int read(OperatingSystem system, String path, byte[] buffer) {
        int descriptor = system.open(path);
        if (descriptor < 0) {
            return descriptor;
        }
        int length = system.read(descriptor, buffer);
        system.close(descriptor);
        return length;
    }
}
