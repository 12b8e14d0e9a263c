package io.inferscope.collectors.run;

import io.inferscope.collectors.host.HostSampler.SeenProcess;
import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Writes coverage for the parts of a process that cannot be observed from outside, with the remedy.
 *
 * @param recorded the process whose GPU work was recorded, 0 for none
 * @param probed whether the process records itself as well, by the Python probe
 */
record ObservationGaps(OperatingSystem system, SpoolWriter writer, int recorded, boolean probed) {
    /** The drivers' user-mode libraries, by the start of their file name. */
    private static final Map<String, String> DRIVERS = Map.of("libcuda.so", "CUDA", "libamdhip64.so", "HIP");

    void write(List<SeenProcess> processes, long durationNs) {
        if (!probed) {
            String why = String.format(Locale.ROOT, "attached for %.1f s: ", durationNs / 1e9)
                    + (recorded == 0 ? "spans, copies, kernels and requests" : "spans and requests")
                    + " are not seen from outside; `inferscope run` records them";
            writer.write(new SpoolRecord.Coverage("probe", why, 0, 0, 0, 0));
        }
        if (recorded != 0) {
            String late = "the agent was loaded into pid " + recorded + " while it ran: " + GpuAttachment.UNSEEN;
            writer.write(new SpoolRecord.Coverage("cuda-agent:attached", late, 0, 0, recorded, 0));
        }
        List<String> users = new ArrayList<>();
        for (SeenProcess process : processes) {
            String driver = driver(process.pid());
            if (!driver.isEmpty() && process.pid() != recorded) {
                users.add("pid " + process.pid() + " (" + process.program() + ") uses " + driver);
            }
        }
        if (!users.isEmpty()) {
            String device = String.join(", ", users) + ": when the GPU works is not recorded, only what the host does";
            writer.write(new SpoolRecord.Coverage("device", device, 0, users.size(), 0, 2));
        }
    }

    /** Returns the device API whose driver a process has loaded, empty for none. */
    private String driver(int pid) {
        if (system.readLink("/proc/" + pid + "/exe") == null) {
            return "";
        }
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/maps"))) {
            return lines.map(line -> line.substring(line.lastIndexOf('/') + 1))
                    .flatMap(file -> DRIVERS.entrySet().stream()
                            .filter(driver -> file.startsWith(driver.getKey()))
                            .map(Map.Entry::getValue))
                    .findFirst()
                    .orElse("");
        } catch (IOException | RuntimeException gone) {
            return "";
        }
    }
}
