package io.inferscope.scope;

import io.inferscope.scope.device.DeviceRecorder;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Records the GPU work of this JVM, from {@link #open} to {@link #close}: kernels, copies, synchronisation and the
 * calls that caused them.
 *
 * <pre>{@code
 * try (GpuCapture capture = GpuCapture.open()) {
 *     session.run(inputs);
 * }
 * }</pre>
 *
 * <p>The recording is a spool in {@link #folder}: in the folder of the {@code inferscope run} to which this process
 * belongs, otherwise in {@code inferscope_gpu_<pid>} below {@code INFERSCOPE_TRACE_DIR} or the working directory, which
 * {@code inferscope analyze} reads. The program needs {@code inferscope-collectors} and JavaCPP's CUDA presets on its
 * class path. No method throws an exception into the program: if nothing can be recorded, {@link #why} says what is
 * missing. Under {@code inferscope run} the CUDA agent records already, so that a capture records nothing
 * (docs/cuda-agent.md).
 */
public final class GpuCapture implements AutoCloseable {
    private static final String SOURCE = "cuda-jvm";
    private static final String AGENT = "libinferscope-agent.so";

    /** Names a library that the CUDA driver loads when it is initialised: CUPTI documentation, "CUPTI injection". */
    private static final String INJECTION = "CUDA_INJECTION64_PATH";

    private static final Path MAPPED_FILES = Path.of("/proc/self/maps");

    private static @Nullable GpuCapture current;

    private final Path folder;
    private final String why;
    private DeviceRecorder.@Nullable Recording recording;
    private @Nullable Thread closeAtExit;

    private GpuCapture(Path folder, String why, DeviceRecorder.@Nullable Recording recording) {
        this.folder = folder;
        this.why = why;
        this.recording = recording;
    }

    /** Begins to record, if that is possible; only one capture of a process records at a time. */
    public static GpuCapture open() {
        return open(folder(System.getenv(), ProcessHandle.current().pid()));
    }

    /** Begins to record into a folder, which is created if it is missing. */
    public static synchronized GpuCapture open(Path folder) {
        String obstacle;
        try {
            obstacle = current == null ? obstacle(System.getenv()) : "another capture of this process is open";
            if (obstacle.isEmpty()) {
                return start(folder);
            }
        } catch (IOException e) {
            obstacle = String.valueOf(e.getMessage());
        } catch (RuntimeException | ServiceConfigurationError | LinkageError broken) {
            obstacle = "the recorder failed: " + broken;
        }
        return new GpuCapture(folder, obstacle, null);
    }

    private static GpuCapture start(Path folder) throws IOException {
        Iterator<DeviceRecorder> recorders =
                ServiceLoader.load(DeviceRecorder.class).iterator();
        if (!recorders.hasNext()) {
            throw new IOException(
                    "no recorder is on the class path: add inferscope-collectors and org.bytedeco:cuda with its natives");
        }
        int pid = (int) ProcessHandle.current().pid();
        DeviceRecorder.Recording recording = recorders
                .next()
                .start(() -> SpoolWriter.openForDevices(folder, SOURCE, pid, SpoolWriter.maxBytesFromEnvironment()));
        GpuCapture capture = new GpuCapture(folder, "", recording);
        current = capture;
        capture.closeAtExit = new Thread(capture::stop, "inferscope-gpu-close");
        Runtime.getRuntime().addShutdownHook(capture.closeAtExit);
        return capture;
    }

    /** Returns why a capture must not record this process; empty when it may. */
    private static String obstacle(Map<String, String> environment) throws IOException {
        if (!Recorders.isOn(environment)) {
            return "InferScope is turned off";
        }
        String injected = environment.getOrDefault(INJECTION, "");
        if (injected.endsWith(AGENT)
                || (Files.isReadable(MAPPED_FILES)
                        && Files.readString(MAPPED_FILES, StandardCharsets.ISO_8859_1)
                                .contains(AGENT))) {
            return "the CUDA agent records this process already";
        }
        return injected.isEmpty()
                ? ""
                : INJECTION + " names another profiler, which receives CUPTI's records: unset it";
    }

    static Path folder(Map<String, String> environment, long pid) {
        String spools = environment.getOrDefault("INFERSCOPE_SPOOL_DIR", "");
        return !spools.isEmpty()
                ? Path.of(spools)
                : Path.of(environment.getOrDefault("INFERSCOPE_TRACE_DIR", ""), "inferscope_gpu_" + pid);
    }

    /** Returns whether device work is being recorded. */
    public boolean isRecording() {
        synchronized (GpuCapture.class) {
            return recording != null;
        }
    }

    /** Returns why nothing is recorded and what to do about it; empty when the recording was started. */
    public String why() {
        return why;
    }

    /** Returns where the recording is. */
    public Path folder() {
        return folder;
    }

    /**
     * Ends the recording: waits for the records that the device has reported so far, and stores them. A second call
     * does nothing.
     */
    @Override
    public void close() {
        Thread hook = stop();
        if (hook != null) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException exiting) {
                // The JVM is shutting down and the hook runs already; it finds nothing to do.
            }
        }
    }

    /** Ends the recording if it runs; returns the shutdown hook that would have ended it. */
    private @Nullable Thread stop() {
        synchronized (GpuCapture.class) {
            if (recording == null) {
                return null;
            }
            recording.stop();
            recording = null;
            current = null;
            return closeAtExit;
        }
    }
}
