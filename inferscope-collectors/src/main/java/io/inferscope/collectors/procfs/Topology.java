package io.inferscope.collectors.procfs;

import io.inferscope.collectors.os.OperatingSystem;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The machine's NUMA nodes and the GPUs at them, from {@code /sys/devices/system/node} and {@code /sys/bus/pci/devices}
 * (Documentation/ABI/stable/sysfs-devices-node, testing/sysfs-bus-pci). A node may have memory without CPUs: a GPU's
 * own on Grace.
 *
 * @param nodes the nodes that are online, by id
 * @param gpus the display and 3D controllers, by address
 */
public record Topology(List<Node> nodes, List<Gpu> gpus) {
    private static final String NODES = "/sys/devices/system/node";
    private static final String DEVICES = "/sys/bus/pci/devices";
    private static final int DISPLAY_CLASS = 0x03; // PCI base class "display controller": VGA, 3D
    private static final long BYTES_PER_KB = 1024;
    private static final double BYTES_PER_GIB = 1 << 30;

    public static final Topology UNKNOWN = new Topology(List.of(), List.of());

    public record Node(int id, BitSet cpus, long memoryBytes) {}

    /** A GPU; {@code node} is -1 if the firmware does not report it. */
    record Gpu(String address, int node) {}

    /** Reads the machine's topology; without nodes where the kernel shows none. */
    public static Topology read(OperatingSystem system) {
        ProcFiles files = new ProcFiles(system);
        List<Node> nodes = new ArrayList<>();
        for (String name : names(system, NODES)) {
            if (name.matches("node\\d{1,5}")) {
                String folder = NODES + "/" + name;
                nodes.add(new Node(
                        Integer.parseInt(name.substring(4)),
                        cpus(files.text(folder + "/cpulist").trim()),
                        memoryBytes(files.lines(folder + "/meminfo"))));
            }
        }
        nodes.sort(Comparator.comparingInt(Node::id));
        return new Topology(List.copyOf(nodes), nodes.size() < 2 ? List.of() : gpus(system, files));
    }

    private static List<Gpu> gpus(OperatingSystem system, ProcFiles files) {
        List<Gpu> gpus = new ArrayList<>();
        for (String address : names(system, DEVICES)) {
            String kind = files.text(DEVICES + "/" + address + "/class").trim();
            if (kind.matches("0x[0-9a-f]{6}") && Integer.parseInt(kind.substring(2), 16) >> 16 == DISPLAY_CLASS) {
                gpus.add(new Gpu(address, (int) files.number(DEVICES + "/" + address + "/numa_node", -1)));
            }
        }
        gpus.sort(Comparator.comparing(Gpu::address));
        return List.copyOf(gpus);
    }

    private static String[] names(OperatingSystem system, String directory) {
        String[] names = system.list(directory);
        return names == null ? new String[0] : names;
    }

    /** Reads a list of CPUs such as {@code 0-7,64-71}. */
    public static BitSet cpus(String list) {
        BitSet cpus = new BitSet();
        for (String range : list.split(",", -1)) {
            String[] ends = range.trim().split("-", 2);
            if (ends[0].matches("\\d{1,6}")) {
                int first = Integer.parseInt(ends[0]);
                cpus.set(first, ends.length == 1 ? first + 1 : Integer.parseInt(ends[1]) + 1);
            }
        }
        return cpus;
    }

    private static long memoryBytes(List<String> lines) {
        for (String line : lines) { // Node 0 MemTotal:       65536000 kB
            int at = line.indexOf("MemTotal:");
            if (at > 0) {
                return Long.parseLong(line.substring(at + 9).replace("kB", "").trim()) * BYTES_PER_KB;
            }
        }
        return 0;
    }

    /** Returns the index in {@link #nodes} of the node that a CPU belongs to, -1 for none. */
    public int indexOfCpu(int cpu) {
        for (int i = 0; i < nodes.size(); i++) {
            if (nodes.get(i).cpus.get(cpu)) {
                return i;
            }
        }
        return -1;
    }

    /** Returns whether the machine has several nodes with CPUs. */
    public boolean isNuma() {
        return nodes.size() > 1;
    }

    /** Returns the nodes that the GPUs are attached to, by address of the GPU; -1 where unknown. */
    public List<Integer> nodesOfGpus() {
        return gpus.stream().map(Gpu::node).toList();
    }

    /** Returns nodes and GPUs in one line. */
    public String describe() {
        List<String> parts = new ArrayList<>();
        for (Node node : nodes) {
            String cpus = node.cpus.isEmpty() ? "no CPUs" : node.cpus.cardinality() + " CPUs";
            parts.add(String.format(
                    Locale.ROOT, "node %d: %s, %.0f GiB", node.id, cpus, node.memoryBytes / BYTES_PER_GIB));
        }
        for (Gpu gpu : gpus) {
            parts.add("GPU " + gpu.address + (gpu.node < 0 ? " at an unknown node" : " at node " + gpu.node));
        }
        return String.join("; ", parts);
    }
}
