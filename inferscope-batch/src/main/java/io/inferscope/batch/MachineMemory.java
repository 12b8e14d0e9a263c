package io.inferscope.batch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The memory that this process and its children may use. */
public final class MachineMemory {
    /**
     * Files with the memory limit of the control group that is the root inside a container (cgroup-v2.rst,
     * cgroup-v1/memory.rst).
     */
    private static final List<String> LIMITS =
            List.of("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes");

    private static final String TOTAL = "MemTotal:";
    private static final String OOM_KILLS = "oom_kill ";

    private MachineMemory() {}

    /** Returns the machine's memory, or the container's limit if that is lower, in bytes; 0 when unknown. */
    public static long bytes() {
        long bytes = number("/proc/meminfo", TOTAL) << 10; // proc(5): in KiB.
        for (String file : LIMITS) {
            String limit = text(file).strip();
            if (limit.matches("[0-9]{1,18}") && Long.parseLong(limit) > 0) {
                bytes = bytes == 0 ? Long.parseLong(limit) : Math.min(bytes, Long.parseLong(limit));
            }
        }
        return bytes;
    }

    /**
     * Returns how many processes the kernel has killed for lack of memory since boot (proc(5), vmstat); 0 if unknown.
     */
    static long oomKills() {
        return number("/proc/vmstat", OOM_KILLS);
    }

    /** Returns the number on the line with a name; 0 without that line. */
    private static long number(String file, String name) {
        return text(file)
                .lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.substring(name.length()).replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0);
    }

    private static String text(String file) {
        try {
            return Files.readString(Path.of(file), StandardCharsets.US_ASCII);
        } catch (IOException absent) {
            return "";
        }
    }
}
