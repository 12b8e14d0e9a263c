package io.inferscope.collectors.procfs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The control group of a process: its limits, and what the kernel counts for it. Version 1 has one hierarchy per
 * controller, version 2 one for all (Documentation/admin-guide/cgroup-v1/ and cgroup-v2.rst). A limit may be set on any
 * folder above, so the tightest one counts.
 */
public final class Cgroup {
    private static final long UNLIMITED = Long.MAX_VALUE;

    /** Version 1 writes "no limit" as the largest multiple of a page: anything above 2^60 is none. */
    private static final long NO_LIMIT_FROM = 1L << 60;

    private static final long NS_PER_US = 1_000;

    private final ProcFiles files;
    private final List<String> memory;
    private final List<String> cpu;

    /**
     * Counts by the kernel; 0 if it does not count.
     *
     * @param memoryBytes memory in use
     * @param periods periods with demand for CPU time under a quota
     * @param throttledPeriods periods in which the quota was used up
     * @param throttledNs time for which its threads were throttled, summed over CPUs
     * @param oomKills processes killed for lack of memory
     * @param cpuPressureNs time in which some task waited for a CPU
     * @param memoryPressureNs time in which some task waited for memory
     */
    public record Counts(
            long memoryBytes,
            long periods,
            long throttledPeriods,
            long throttledNs,
            long oomKills,
            long cpuPressureNs,
            long memoryPressureNs) {
        public static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0);
    }

    private Cgroup(ProcFiles files, List<String> memory, List<String> cpu) {
        this.files = files;
        this.memory = memory;
        this.cpu = cpu;
    }

    /** Returns an unknown group. */
    public static Cgroup none(ProcFiles files) {
        return new Cgroup(files, List.of(), List.of());
    }

    /** Finds the group of a process. */
    public static Cgroup of(ProcFiles files, int pid) {
        Map<String, String> mounts = mounts(files.lines("/proc/self/mounts"));
        List<String> memory = List.of();
        List<String> cpu = List.of();
        for (String line : files.lines("/proc/" + pid + "/cgroup")) {
            String[] parts = line.split(":", 3); // hierarchy:controllers:path, cgroups(7)
            if (parts.length < 3) {
                continue;
            }
            List<String> controllers = List.of(parts[1].split(",", -1));
            boolean unified = parts[1].isEmpty();
            if (controllers.contains("memory") || (unified && memory.isEmpty())) {
                memory = folders(files, mounts.get(unified ? "" : "memory"), parts[2]);
            }
            if (controllers.contains("cpu") || (unified && cpu.isEmpty())) {
                cpu = folders(files, mounts.get(unified ? "" : "cpu"), parts[2]);
            }
        }
        return new Cgroup(files, memory, cpu);
    }

    /** Returns the mount points of hierarchies by controller; version 2's has the empty name. */
    private static Map<String, String> mounts(List<String> lines) {
        Map<String, String> mounts = new TreeMap<>();
        for (String line : lines) {
            String[] fields = line.split(" ", -1);
            if (fields.length > 3 && fields[2].equals("cgroup2")) {
                mounts.put("", fields[1]);
            } else if (fields.length > 3 && fields[2].equals("cgroup")) {
                for (String option : fields[3].split(",", -1)) {
                    mounts.put(option, fields[1]);
                }
            }
        }
        return mounts;
    }

    /**
     * Lists the group's folder and those above it. In a container the path may be the host's; then only the mount's
     * root exists.
     */
    private static List<String> folders(ProcFiles files, @org.jspecify.annotations.Nullable String mount, String path) {
        if (mount == null) {
            return List.of();
        }
        List<String> folders = new ArrayList<>();
        String rest = path;
        while (rest.length() > 1) {
            if (!files.text(mount + rest + "/cgroup.procs").isEmpty() || !folders.isEmpty()) {
                folders.add(mount + rest);
            }
            rest = rest.substring(0, rest.lastIndexOf('/'));
        }
        folders.add(mount);
        return folders;
    }

    /** Returns how much memory the group may use, in bytes; {@link Long#MAX_VALUE} for no limit. */
    public long memoryLimitBytes() {
        long limit = UNLIMITED;
        for (String folder : memory) {
            long here = Math.min(
                    files.number(folder + "/memory.max", UNLIMITED),
                    files.number(folder + "/memory.limit_in_bytes", UNLIMITED));
            limit = here >= NO_LIMIT_FROM ? limit : Math.min(limit, here);
        }
        return limit;
    }

    /** Returns how many CPUs' time the group may use; infinite for no limit. */
    public double cpuLimit() {
        double limit = Double.POSITIVE_INFINITY;
        for (String folder : cpu) {
            String[] quotaAndPeriod = files.text(folder + "/cpu.max").trim().split(" ", 2);
            boolean limited = quotaAndPeriod.length == 2 && !quotaAndPeriod[0].equals("max");
            double quota =
                    limited ? Double.parseDouble(quotaAndPeriod[0]) : files.number(folder + "/cpu.cfs_quota_us", -1);
            double period =
                    limited ? Double.parseDouble(quotaAndPeriod[1]) : files.number(folder + "/cpu.cfs_period_us", -1);
            limit = quota > 0 && period > 0 ? Math.min(limit, quota / period) : limit;
        }
        return limit;
    }

    /** Reads the counters now. Throttling is the maximum over the folders: that of the tightest quota. */
    public Counts counts() {
        Counts worst = Counts.NONE;
        for (String folder : cpu) {
            Map<String, Long> stat = keyed(folder + "/cpu.stat");
            long throttledNs =
                    stat.getOrDefault("throttled_usec", 0L) * NS_PER_US + stat.getOrDefault("throttled_time", 0L);
            if (throttledNs >= worst.throttledNs) {
                worst = new Counts(
                        0,
                        stat.getOrDefault("nr_periods", 0L),
                        stat.getOrDefault("nr_throttled", 0L),
                        throttledNs,
                        0,
                        0,
                        0);
            }
        }
        String group = memory.isEmpty() ? "" : memory.get(0);
        long bytes = files.number(group + "/memory.current", files.number(group + "/memory.usage_in_bytes", 0));
        long kills = keyed(group + "/memory.events").getOrDefault("oom_kill", 0L)
                + keyed(group + "/memory.oom_control").getOrDefault("oom_kill", 0L);
        return new Counts(
                bytes,
                worst.periods,
                worst.throttledPeriods,
                worst.throttledNs,
                kills,
                pressureNs("cpu", cpu),
                pressureNs("memory", memory));
    }

    /** Reads the time stalled of the group, or of the whole machine where groups have no such file. */
    private long pressureNs(String kind, List<String> folders) {
        List<String> lines = folders.isEmpty() ? List.of() : files.lines(folders.get(0) + "/" + kind + ".pressure");
        for (String line : lines.isEmpty() ? files.lines("/proc/pressure/" + kind) : lines) {
            int total = line.indexOf(" total=");
            if (line.startsWith("some ") && total > 0) {
                return Long.parseLong(line.substring(total + " total=".length()).trim()) * NS_PER_US;
            }
        }
        return 0;
    }

    private Map<String, Long> keyed(String path) {
        Map<String, Long> values = new TreeMap<>();
        for (String line : files.lines(path)) {
            String[] words = line.split(" ", 2);
            if (words.length == 2 && words[1].trim().matches("\\d{1,18}")) {
                values.put(words[0], Long.parseLong(words[1].trim()));
            }
        }
        return values;
    }
}
