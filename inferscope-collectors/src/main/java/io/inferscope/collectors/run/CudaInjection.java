package io.inferscope.collectors.run;

import io.inferscope.collectors.doctor.LaunchHooks;
import io.inferscope.collectors.os.NativeFolder;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Injects the CUDA agent into the command's processes: the driver loads it only when a program initialises CUDA. */
final class CudaInjection {
    /** Read by the CUDA driver and by NVTX: CUPTI documentation, "CUPTI injection"; NVTX documentation, "Injection". */
    private static final List<String> VARIABLES = List.of("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH");

    private static final String LIBRARY = "libinferscope-agent.so";

    private static final String PRELOAD = "LD_PRELOAD";

    private final Path library;
    private final Path home;
    private final GpuRecording gpu;
    private final String problem;
    private final List<String> kept = new ArrayList<>();
    private String notPreloaded = "";

    CudaInjection(CaptureOptions options) {
        home = options.home();
        library = NativeFolder.of(home).resolve(LIBRARY);
        gpu = options.gpu();
        problem = Files.isRegularFile(library) ? InjectionSafety.problem(library, home) : "";
    }

    /**
     * Sets the variables that make the driver load the agent. A variable that the user has set is kept, because it is
     * another profiler's.
     */
    void prepare(ChildEnvironment environment) {
        if (!gpu.isWanted() || !problem.isEmpty() || !Files.isRegularFile(library)) {
            return;
        }
        gpu.prepare(environment, System.nanoTime()); // CLOCK_MONOTONIC on Linux.
        if (gpu.needsHooks()) {
            preload(environment);
        }
        byte[] path = library.toAbsolutePath().toString().getBytes(NativeText.charset());
        for (String variable : VARIABLES) {
            byte[] old = environment.value(variable);
            if (old.length == 0) {
                environment.set(variable, path);
            } else if (!Arrays.equals(old, path)) {
                kept.add(variable);
            }
        }
    }

    /** Preloads the hooks of launches behind what the user preloads. */
    private void preload(ChildEnvironment environment) {
        String hooks =
                library.resolveSibling(LaunchHooks.LIBRARY).toAbsolutePath().toString();
        notPreloaded = gpu.preloads()
                ? LaunchHooks.obstacle(hooks, file -> Files.isRegularFile(Path.of(file)))
                : "--no-preload";
        if (notPreloaded.isEmpty()) {
            notPreloaded = InjectionSafety.problem(Path.of(hooks), home);
        }
        if (notPreloaded.isEmpty()) {
            byte[] old = environment.value(PRELOAD);
            String all = new String(old, NativeText.charset()) + (old.length == 0 ? "" : ":") + hooks;
            environment.set(PRELOAD, all.getBytes(NativeText.charset()));
        }
    }

    /** Writes coverage if the agent could not be injected. */
    void writeCoverage(SpoolWriter writer) {
        if (gpu.isWanted() && !problem.isEmpty()) {
            writer.write(new SpoolRecord.Coverage("cuda-agent", problem, 0, 1, 0, 2));
        }
        if (!notPreloaded.isEmpty()) {
            String why = "hooks of launches are not preloaded: " + notPreloaded;
            writer.write(new SpoolRecord.Coverage("cuda-agent:" + PRELOAD, why, 0, 1, 0, 2));
        }
        for (String variable : kept) {
            String what = variable.startsWith("NVTX") ? "NVTX ranges are" : "device work is";
            String why = variable + " named another library already and was left as it is, so " + what
                    + " not recorded; unset it to let InferScope record";
            writer.write(new SpoolRecord.Coverage("cuda-agent:" + variable, why, 0, 1, 0, 2));
        }
    }
}
