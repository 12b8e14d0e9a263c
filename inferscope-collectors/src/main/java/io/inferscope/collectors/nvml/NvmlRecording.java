package io.inferscope.collectors.nvml;

import io.inferscope.collectors.doctor.Libraries;
import io.inferscope.collectors.doctor.LinuxSystemCallProbes;
import io.inferscope.collectors.doctor.Machine;
import io.inferscope.collectors.nvml.NvmlSampler.View;
import io.inferscope.collectors.os.DeviceFiles;
import io.inferscope.collectors.os.NativeFolder;
import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Records the driver's counters during a recording. Without NVIDIA's driver it does nothing and loads nothing. */
public final class NvmlRecording {
    /** Names a libnvidia-ml.so.1 in an unusual place. */
    private static final String LIBRARY = "INFERSCOPE_NVML";

    private final @Nullable NvmlSampler sampler;

    private NvmlRecording(@Nullable NvmlSampler sampler) {
        this.sampler = sampler;
    }

    /**
     * Starts reading if there is a driver. Failures are written to the spool, never thrown.
     *
     * @param writer where counters go; the caller closes it after {@link #stop}
     * @param home InferScope's own folder, which contains {@code native/}
     * @param environment the program's variables, null for one that is not set
     * @param overheadRatio the whole overhead budget, as a share of one core
     */
    public static NvmlRecording start(
            OperatingSystem system, SpoolWriter writer, Path home, Variables environment, double overheadRatio) {
        try {
            String library = library();
            if (library.isEmpty()) {
                return new NvmlRecording(null);
            }
            String order = environment.get("CUDA_DEVICE_ORDER");
            View view = new View(environment.get("CUDA_VISIBLE_DEVICES"), order == null ? "" : order);
            NvmlSampler.Opener opener = () -> JavaCppNvml.open(NativeFolder.of(home), Path.of(library));
            return new NvmlRecording(new NvmlSampler(system, writer::write, opener, view, overheadRatio));
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            writer.write(new SpoolRecord.Coverage("nvml", "not started: " + e, 0, 1, 0, 2));
            return new NvmlRecording(null);
        }
    }

    /** The variables of a program. */
    public interface Variables {
        /** Returns a value, null when it is not set. */
        @Nullable
        String get(String name);
    }

    private static String library() {
        String named = System.getenv().getOrDefault(LIBRARY, "");
        if (!named.isEmpty()) {
            return named;
        }
        return DeviceFiles.hasNvidiaDriver()
                ? Libraries.find(
                        new Machine(Path.of("/"), System.getenv(), new LinuxSystemCallProbes()), "libnvidia-ml.so.1")
                : "";
    }

    /** Ends the reading and writes its overhead. */
    public void stop() {
        if (sampler != null) {
            sampler.stop();
        }
    }

    /** Returns the CPU time that reading took, in ns. Complete after {@link #stop}. */
    public long cpuNs() {
        return sampler == null ? 0 : sampler.cpuNs();
    }
}
