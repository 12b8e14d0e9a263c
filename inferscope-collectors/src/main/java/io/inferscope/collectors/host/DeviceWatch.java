package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.procfs.ProcFiles;
import io.inferscope.scope.spool.SpoolRecord;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Notes which processes use a GPU: those that have its driver's device file mapped. If no other recorder records the
 * GPU, the note shows that the program is not CPU-only.
 */
final class DeviceWatch {
    /** Ages of a process at its first checks; later checks are every {@link #PERIOD_NS}. */
    private static final long[] FIRST_NS = {500_000_000L, 2_000_000_000L, 5_000_000_000L, 15_000_000_000L};

    private static final long PERIOD_NS = 30_000_000_000L;
    private static final int MAX_BYTES = 16 << 20;

    /**
     * Device nodes: /dev/nvidia0 of NVIDIA's driver, /dev/kfd of AMD's compute driver, render nodes of both its and
     * Intel's.
     */
    private static final Pattern DEVICE = Pattern.compile(" /dev/(nvidia\\d+|nvidia-uvm|kfd|dri/renderD\\d+)$");

    private final OperatingSystem system;
    private final ProcFiles files;
    private final Consumer<SpoolRecord> writer;
    private final Map<Integer, Watched> processes = new HashMap<>();

    private static final class Watched {
        private int looks;
        private long dueNs;
        private boolean found;
    }

    DeviceWatch(OperatingSystem system, Consumer<SpoolRecord> writer) {
        this.system = system;
        this.writer = writer;
        files = new ProcFiles(system);
    }

    /** Checks the processes that are due. */
    void read(Collection<SampledProcess> observed) {
        long nowNs = system.monotonicNs();
        for (SampledProcess process : observed) {
            Watched watched = processes.computeIfAbsent(process.pid, pid -> new Watched());
            if (!watched.found && nowNs >= watched.dueNs && nowNs - process.startNs >= FIRST_NS[0]) {
                look(process.pid, watched);
                watched.looks++;
                boolean young = watched.looks < FIRST_NS.length;
                watched.dueNs = Math.max(
                        nowNs + FIRST_NS[0], young ? process.startNs + FIRST_NS[watched.looks] : nowNs + PERIOD_NS);
            }
        }
    }

    private void look(int pid, Watched watched) {
        files.eachLine("/proc/" + pid + "/maps", MAX_BYTES, line -> {
            Matcher device = DEVICE.matcher(line);
            if (!watched.found && device.find()) {
                watched.found = true;
                writer.accept(new SpoolRecord.Note("device", "/dev/" + device.group(1), pid));
            }
        });
    }

    /** Forgets a process that has ended. */
    void finish(int pid) {
        processes.remove(pid);
    }
}
