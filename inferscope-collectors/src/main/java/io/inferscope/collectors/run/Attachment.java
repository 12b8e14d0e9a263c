package io.inferscope.collectors.run;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.inferscope.collectors.doctor.GpuNotes;
import io.inferscope.collectors.host.HostSampler;
import io.inferscope.collectors.host.RootProcess;
import io.inferscope.collectors.jvm.FlightRecordings;
import io.inferscope.collectors.jvm.RecordingPlan;
import io.inferscope.collectors.nvml.NvmlRecording;
import io.inferscope.collectors.os.LinuxMemory;
import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.OwnProcess;
import io.inferscope.collectors.python.PythonSampler;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Observes a running process and its descendants from outside: nothing is injected, and no process is stopped. JVMs are
 * asked to record themselves, unless that is turned off ({@link FlightRecordings}). If the user requests GPU work, the
 * CUDA agent is injected into the process ({@link #withGpu}).
 */
public final class Attachment {
    /** Additional time after which a JVM's recording ends by itself. */
    private static final long GRACE_S = 10;

    /** Longest recording of a JVM if no duration was given. */
    private static final long LONGEST_S = 86_400;

    private final OperatingSystem system;
    private final int pid;
    private final CountDownLatch stop = new CountDownLatch(1);
    private @Nullable GpuAttachment gpu;

    private Attachment(OperatingSystem system, int pid) {
        this.system = system;
        this.pid = pid;
    }

    /**
     * Prepares to observe a process.
     *
     * @throws AttachFailure when there is no such process, or it may not be observed
     */
    public static Attachment to(int pid) throws AttachFailure {
        try {
            OperatingSystem system = new LinuxSystem();
            new TargetAccess(system, pid).check();
            return new Attachment(system, pid);
        } catch (RuntimeException | LinkageError e) {
            throw new AttachFailure(AttachFailure.NOT_ALLOWED, "cannot reach the C library: " + e);
        }
    }

    /**
     * Returns the words of the process' command line; or the name of its executable if it cannot be read. Use it to
     * name the program only and do not store it: arguments may contain secrets.
     */
    public List<String> command() {
        List<String> words =
                List.of(StatusFile.text(system, "/proc/" + pid + "/cmdline").split("\0", -1));
        return words.get(0).isEmpty()
                ? List.of(StatusFile.of(system, Integer.toString(pid)).text("Name"))
                : words;
    }

    /**
     * Requests the recording of GPU work, which injects code into the process. The process is not changed before {@link
     * #record}.
     *
     * @param home InferScope's own folder
     * @return a sentence for the user on the coming change
     * @throws AttachFailure if that is not possible
     */
    public String withGpu(Path home) throws AttachFailure {
        String injected = variable("CUDA_INJECTION64_PATH");
        GpuAttachment way = GpuAttachment.to(system, pid, home, injected == null ? "" : injected);
        gpu = way;
        return way.plan();
    }

    /** Ends the recording early; to be called from any thread. */
    public void stop() {
        stop.countDown();
    }

    /**
     * Records until the time is over, the process and its descendants have ended, or {@link #stop} is called.
     *
     * @param durationNs the longest duration, 0 for no limit
     * @param options where to
     * @throws AttachFailure if the spool cannot be written, or requested GPU work cannot be recorded
     */
    public CaptureResult record(long durationNs, CaptureOptions options) throws AttachFailure {
        OwnProcess.raiseDescriptorLimit();
        long cpuNs = system.processCpuNs();
        long startNs = System.nanoTime();
        GpuAttachment device = gpu;
        try (SpoolWriter writer = open(options);
                device) {
            if (device != null) {
                device.begin(options.spoolDirectory(), options.maxSpoolBytes());
            }
            writer.write(new SpoolRecord.Note("capture", "attach", 0));
            RunNotes.write(system, pid, writer::write);
            PythonSampler stacks = new PythonSampler(system, new LinuxMemory(), writer);
            HostSampler sampler =
                    new HostSampler(system, writer, RootProcess.running(system, pid), options.host(), stacks);
            FlightRecordings recordings = options.jfr() != JfrMode.OFF
                    ? new FlightRecordings(sampler.processes(), plan(durationNs, options))
                    : null;
            GpuNotes.write(variable(GpuNotes.VISIBLE), writer::write);
            NvmlRecording nvml = NvmlRecording.start(
                    system,
                    writer,
                    options.home(),
                    this::variable,
                    options.host().overheadRatio());
            sampler.processes().whenOver(this::stop);
            await(durationNs == 0 ? Long.MAX_VALUE : durationNs - (System.nanoTime() - startNs));
            long endNs = System.nanoTime();
            sampler.stop(endNs, 0);
            if (device != null) {
                device.close();
            }
            if (recordings != null) {
                recordings.stop(writer);
            }
            nvml.stop();
            sampler.writeCoverage(0);
            new ObservationGaps(system, writer, device == null ? 0 : pid, isProbed(options.spoolDirectory()))
                    .write(sampler.seen(), endNs - startNs);
            long ownCpuNs = system.processCpuNs() - cpuNs;
            writer.write(new SpoolRecord.Overhead(
                    Math.max(0, ownCpuNs - sampler.cpuNs() - nvml.cpuNs()), 0, Capture.REST, 0, writer.written()));
            return new CaptureResult(0, endNs - startNs);
        }
    }

    /** Returns whether the Python probe of the process writes into the spool folder, as it does for {@code explain()}. */
    private static boolean isProbed(Path spools) {
        String[] files = spools.toFile().list((folder, name) -> name.endsWith("-python-probe.spool"));
        return files != null && files.length > 0;
    }

    /**
     * Returns a variable of the environment that the process was started with, null when it is not set; nothing else of
     * it is kept.
     */
    private @Nullable String variable(String name) {
        String start = name + "=";
        try {
            String all = Files.readString(Path.of("/proc/" + pid + "/environ"), ISO_8859_1);
            for (String entry : all.split("\0", -1)) {
                if (entry.startsWith(start)) {
                    return entry.substring(start.length());
                }
            }
        } catch (IOException | RuntimeException unreadable) {
            // Treated as not set.
        }
        return null;
    }

    /** Returns a plan whose recordings end by themselves if InferScope is killed. */
    private static RecordingPlan plan(long durationNs, CaptureOptions options) {
        long seconds = durationNs == 0 ? LONGEST_S : durationNs / 1_000_000_000L + GRACE_S;
        return new RecordingPlan(options.spoolDirectory(), options.maxSpoolBytes(), seconds, false);
    }

    private static SpoolWriter open(CaptureOptions options) throws AttachFailure {
        try {
            return SpoolWriter.open(options.spoolDirectory(), "host", 0, options.maxSpoolBytes());
        } catch (IOException e) {
            throw new AttachFailure(
                    AttachFailure.NOT_ALLOWED,
                    String.format(Locale.ROOT, "cannot write to %s: %s", options.spoolDirectory(), e));
        }
    }

    private void await(long leftNs) {
        try {
            stop.await(leftNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
    }
}
