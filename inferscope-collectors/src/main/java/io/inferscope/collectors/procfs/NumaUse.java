package io.inferscope.collectors.procfs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The NUMA nodes on which one process ran, and those of its memory. */
public final class NumaUse {
    private final Topology topology;
    private final long[] cpuNs;
    private long[] memoryBytes;

    public NumaUse(Topology topology) {
        this.topology = topology;
        cpuNs = new long[topology.nodes().size()];
        memoryBytes = new long[cpuNs.length];
    }

    /** Adds CPU time of a thread, attributed to its last CPU: an estimate, because the thread may have moved. */
    public void ran(int cpu, long ns) {
        int node = topology.indexOfCpu(cpu);
        if (node >= 0) {
            cpuNs[node] += ns;
        }
    }

    /** Begins a new reading of {@code numa_maps}. */
    public void clearMemory() {
        memoryBytes = new long[cpuNs.length];
    }

    /**
     * Takes a line of {@code /proc/PID/numa_maps} (numa(7)): the pages of one mapping by node,
     * {@code N0=12 N1=3 kernelpagesize_kB=4}.
     */
    public void addMapping(String line) {
        long pageBytes = 4096;
        long[] pages = new long[memoryBytes.length];
        for (String word : line.split(" ", -1)) {
            int equals = word.indexOf('=');
            if (word.startsWith("kernelpagesize_kB=")) {
                pageBytes = Long.parseLong(word.substring(equals + 1)) * 1024;
            } else if (word.matches("N\\d{1,5}=\\d{1,15}")) {
                int node = index(Integer.parseInt(word.substring(1, equals)));
                if (node >= 0) {
                    pages[node] += Long.parseLong(word.substring(equals + 1));
                }
            }
        }
        for (int i = 0; i < pages.length; i++) {
            memoryBytes[i] += pages[i] * pageBytes;
        }
    }

    private int index(int id) {
        for (int i = 0; i < topology.nodes().size(); i++) {
            if (topology.nodes().get(i).id() == id) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the node with more than half of the CPU time, -1 for none. */
    public int mostlyAt() {
        for (int i = 0; i < cpuNs.length; i++) {
            if (2 * cpuNs[i] > Arrays.stream(cpuNs).sum()) {
                return topology.nodes().get(i).id();
            }
        }
        return -1;
    }

    /** Returns the nodes of the CPU time and of the memory in one line; empty if neither is known. */
    public String describe() {
        List<String> parts = new ArrayList<>();
        add(parts, "ran", cpuNs);
        add(parts, "memory", memoryBytes);
        return String.join("; ", parts);
    }

    private void add(List<String> parts, String what, long[] amounts) {
        long total = Arrays.stream(amounts).sum();
        List<String> shares = new ArrayList<>();
        for (int i = 0; i < amounts.length; i++) {
            long percent = total == 0 ? 0 : Math.round(100.0 * amounts[i] / total);
            if (percent > 0) {
                shares.add("node " + topology.nodes().get(i).id() + " " + percent + " %");
            }
        }
        if (!shares.isEmpty()) {
            parts.add(what + " " + String.join(", ", shares));
        }
    }
}
