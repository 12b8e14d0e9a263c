package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.procfs.NumaUse;
import io.inferscope.collectors.procfs.ProcFiles;
import io.inferscope.collectors.procfs.Topology;
import io.inferscope.scope.spool.SpoolRecord;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Records, on machines of several NUMA nodes, where processes run and where their memory lies. {@code numa_maps} takes
 * the process' memory-map lock and milliseconds, so it is read after a few seconds and then twice a minute.
 */
final class NumaWatch {
    private static final long FIRST_NS = 3_000_000_000L;
    private static final long PERIOD_NS = 30_000_000_000L;
    private static final int MAX_BYTES = 4 << 20;

    private final OperatingSystem system;
    private final ProcFiles files;
    private final Consumer<SpoolRecord> writer;
    private Topology topology = Topology.UNKNOWN;
    private final Map<Integer, NumaUse> uses = new HashMap<>();
    private final Map<Integer, Long> dueNs = new HashMap<>();

    NumaWatch(OperatingSystem system, Consumer<SpoolRecord> writer) {
        this.system = system;
        files = new ProcFiles(system);
        this.writer = writer;
    }

    /** Reads the machine's topology, and notes it if there is more than one node. */
    void begin() {
        topology = Topology.read(system);
        if (topology.isNuma()) {
            writer.accept(new SpoolRecord.Note("host.numa", topology.describe(), 0));
            List<Integer> gpus = topology.nodesOfGpus();
            for (int i = 0; i < gpus.size(); i++) {
                writer.accept(new SpoolRecord.Note("host.gpu." + i + ".node", String.valueOf(gpus.get(i)), 0));
            }
        }
    }

    /** Adds CPU time of a thread that was last seen on a CPU. */
    void ran(int pid, int cpu, long ns) {
        if (topology.isNuma()) {
            uses.computeIfAbsent(pid, p -> new NumaUse(topology)).ran(cpu, ns);
        }
    }

    /** Reads the nodes of the memory of processes that are due. */
    void read(Collection<SampledProcess> processes) {
        if (!topology.isNuma()) {
            return;
        }
        long nowNs = system.monotonicNs();
        for (SampledProcess process : processes) {
            long due = dueNs.computeIfAbsent(process.pid, p -> process.startNs + FIRST_NS);
            if (nowNs >= due) {
                dueNs.put(process.pid, nowNs + PERIOD_NS);
                NumaUse use = uses.computeIfAbsent(process.pid, p -> new NumaUse(topology));
                use.clearMemory();
                files.eachLine("/proc/" + process.pid + "/numa_maps", MAX_BYTES, use::addMapping);
            }
        }
    }

    /** Writes the note about a process at its end or at the end of the recording. */
    void finish(int pid) {
        NumaUse use = uses.remove(pid);
        dueNs.remove(pid);
        if (use != null && !use.describe().isEmpty()) {
            writer.accept(new SpoolRecord.Note("host.numa", use.describe(), pid));
            writer.accept(new SpoolRecord.Note("host.numa.node", String.valueOf(use.mostlyAt()), pid));
        }
    }
}
