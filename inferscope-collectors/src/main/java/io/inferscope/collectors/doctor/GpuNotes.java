package io.inferscope.collectors.doctor;

import io.inferscope.collectors.os.DeviceFiles;
import io.inferscope.scope.spool.SpoolRecord;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Notes the GPUs of the machine, and why the program cannot use them. If the program uses none, a report says so.
 * Nothing is loaded and no driver is called.
 */
public final class GpuNotes {
    /** The GPUs, as in {@code 2 x NVIDIA H100 80GB HBM3}. */
    private static final String GPUS = "host.gpus";

    /** Why no program can use them. */
    private static final String PROBLEM = "host.gpus.problem";

    /** What helps against that. */
    private static final String REMEDY = "host.gpus.remedy";

    public static final String VISIBLE = "CUDA_VISIBLE_DEVICES";

    private GpuNotes() {}

    /**
     * Writes the notes if there are GPUs that can compute. Never throws: without them a report only says less.
     *
     * @param visible the program's {@value #VISIBLE}, null when it is not set
     */
    public static void write(@Nullable String visible, Consumer<SpoolRecord> writer) {
        try {
            Map<String, String> variables = visible == null ? Map.of() : Map.of(VISIBLE, visible);
            write(new Machine(DeviceFiles.ROOT, variables, new LinuxSystemCallProbes()), writer);
        } catch (RuntimeException unreadable) {
            writer.accept(new SpoolRecord.Coverage(GPUS, "not looked for: " + unreadable, 0, 1, 0, 2));
        }
    }

    static void write(Machine machine, Consumer<SpoolRecord> writer) {
        if (!mayHaveGpu(machine)) {
            return; // Asking the driver's files and the linker costs a run some 30 ms of CPU time.
        }
        NvidiaDriver nvidia = NvidiaDriver.of(machine);
        AmdChecks amd = new AmdChecks(machine);
        String gpus = nvidia.isAnything() ? nvidia.devices() : amd.cards();
        CollectorCheck usable = nvidia.isAnything()
                ? new NvidiaChecks(machine, nvidia).usable(GPUS)
                : amd.unusable(GPUS).orElse(CollectorCheck.works(GPUS, gpus));
        if (!gpus.isEmpty()) {
            writer.accept(new SpoolRecord.Note(GPUS, gpus, 0));
            if (!usable.isThere()) {
                writer.accept(new SpoolRecord.Note(PROBLEM, usable.found(), 0));
                writer.accept(new SpoolRecord.Note(REMEDY, usable.remedy(), 0));
            }
        }
    }

    /** Returns whether a driver of NVIDIA's or AMD's has left files, or a device of NVIDIA's is on the bus. */
    private static boolean mayHaveGpu(Machine machine) {
        if (machine.exists("/proc/driver/nvidia") || machine.exists("/dev/dxg") || machine.exists("/sys/class/kfd")) {
            return true;
        }
        return machine.list(NvidiaDriver.BUS).stream()
                .map(address -> machine.text(NvidiaDriver.BUS + "/" + address + "/vendor"))
                .anyMatch(vendor -> vendor.startsWith(NvidiaDriver.NVIDIA));
    }
}
