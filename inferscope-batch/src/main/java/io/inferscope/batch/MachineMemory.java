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
        long bytes = total();
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
        for (String line : text("/proc/vmstat").split("\n", -1)) {
            if (line.startsWith(OOM_KILLS)) {
                return Long.parseLong(line.substring(OOM_KILLS.length()).strip());
            }
        }
        return 0;
    }

    private static long total() {
        for (String line : text("/proc/meminfo").split("\n", -1)) {
            if (line.startsWith(TOTAL)) {
                return Long.parseLong(line.substring(TOTAL.length()).replaceAll("[^0-9]", ""))
                        << 10; // proc(5): in KiB.
            }
        }
        return 0;
    }

    private static String text(String file) {
        try {
            return Files.readString(Path.of(file), StandardCharsets.US_ASCII);
        } catch (IOException absent) {
            return "";
        }
    }
}
