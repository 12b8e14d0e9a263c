package io.inferscope.collectors.run;

import io.inferscope.collectors.doctor.ClusterEnvironment;
import io.inferscope.collectors.doctor.GpuNotes;
import io.inferscope.collectors.host.HostSampler;
import io.inferscope.collectors.host.RootProcess;
import io.inferscope.collectors.nvml.NvmlRecording;
import io.inferscope.collectors.os.ChildProcess;
import io.inferscope.collectors.os.Inheritance;
import io.inferscope.collectors.os.LinuxMemory;
import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.OwnProcess;
import io.inferscope.collectors.os.Terminal;
import io.inferscope.collectors.python.PythonSampler;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Runs a command under observation. One per process: it takes over the JVM's signals. */
public final class Capture {
    private static final byte[] OFF = {'0'};

    /** Name of the overhead of InferScope's process besides its sampling thread: the JVM, its compiler, writing. */
    static final String REST = "inferscope";

    private static final String SOURCE = "host";

    /** Variables that make launch calls wait for their kernels, of CUDA and of HIP. 0 or nothing turns them off. */
    private static final List<String> LAUNCH_BLOCKING =
            List.of("CUDA_LAUNCH_BLOCKING", "HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL");

    private final SignalRelay relay;
    private final Inheritance inheritance;

    private Capture(SignalRelay relay, Inheritance inheritance) {
        this.relay = relay;
        this.inheritance = inheritance;
    }

    /**
     * Takes over signals, and notes what the program must inherit. To be called first of all.
     *
     * @param home InferScope's own folder
     * @param abort called with a signal's number that arrives before the command's start or after its end
     * @throws CommandFailure with 125 if calls of the operating system do not work
     */
    public static Capture prepare(Path home, IntConsumer abort) throws CommandFailure {
        try {
            Inheritance inheritance = Inheritance.read();
            return new Capture(new SignalRelay(Terminal::now, abort, inheritance).install(home), inheritance);
        } catch (RuntimeException | LinkageError e) {
            throw new CommandFailure(CommandFailure.INFERSCOPE_FAILED, "cannot start: " + e);
        }
    }

    /**
     * Runs the command to its end.
     *
     * @throws CommandFailure when it did not start
     */
    public CaptureResult run(List<String> command, CaptureOptions options) throws CommandFailure {
        OperatingSystem system = system();
        SpoolWriter writer = openSpool(options);
        try {
            long cpuNs = system.processCpuNs();
            ProbeInjection probe = new ProbeInjection(options);
            ChildEnvironment environment = new ChildEnvironment(OwnProcess.environment());
            CudaInjection cuda = new CudaInjection(options);
            JvmRecording jvms = new JvmRecording(options);
            Path file = CommandLookup.find(command.get(0), environment.text("PATH", NativeText.charset()));
            if (InjectionSafety.hasOtherRights(file)) {
                String why = file
                        + " runs with the rights of another user or group, or with capabilities: nothing is loaded into it";
                writer.write(new SpoolRecord.Coverage("injection", why, 0, 1, 0, 2));
            } else {
                probe.prepare(environment, options);
                cuda.prepare(environment);
                jvms.prepare(environment);
            }
            long startNs = System.nanoTime();
            ChildProcess child = new CommandRunner(relay, inheritance).start(command, environment);
            HostSampler sampler = startSampler(system, writer, child, startNs, options);
            jvms.watch(sampler);
            RunNotes.write(system, command, writer::write);
            GpuNotes.write(environment.variable(GpuNotes.VISIBLE), writer::write);
            NvmlRecording nvml = NvmlRecording.start(
                    system,
                    writer,
                    options.home(),
                    environment::variable,
                    options.host().overheadRatio());
            ChildProcess.End end = child.awaitEnd();
            inheritance.giveOutputBack();
            long endNs = System.nanoTime();
            relay.ended(end);
            String endedBy = relay.endedBy();
            finish(sampler, writer, child, end, endNs, probe, options);
            jvms.finish(writer);
            nvml.stop();
            writeNodes(environment, command, writer);
            writeLaunchBlocking(environment, writer);
            if (!endedBy.isEmpty()) {
                writer.write(new SpoolRecord.Note("ended_by", endedBy, 0));
            }
            cuda.writeCoverage(writer);
            long ownCpuNs = system.processCpuNs() - cpuNs;
            long recordersNs = nvml.cpuNs() + (sampler == null ? 0 : sampler.cpuNs());
            writer.write(new SpoolRecord.Overhead(Math.max(0, ownCpuNs - recordersNs), 0, REST, 0, writer.written()));
            return new CaptureResult(end.shellCode(), endNs - startNs);
        } finally {
            writer.close();
        }
    }

    /**
     * Runs the command to its end and records nothing.
     *
     * @return its exit code as a shell gives it
     * @throws CommandFailure when it did not start
     */
    public int runUnobserved(List<String> command) throws CommandFailure {
        // The setting may be in a file, which scopes in the program do not read.
        return run(command, environment -> environment.set("INFERSCOPE_ENABLED", OFF));
    }

    /**
     * Runs the command to its end and records the shapes of its tensors, nothing else.
     *
     * @return its exit code as a shell gives it
     * @throws CommandFailure when it did not start
     */
    public int runForShapes(List<String> command, ShapeRecording shapes) throws CommandFailure {
        return run(command, shapes::prepare);
    }

    private int run(List<String> command, Consumer<ChildEnvironment> preparation) throws CommandFailure {
        ChildEnvironment environment = new ChildEnvironment(OwnProcess.environment());
        preparation.accept(environment);
        ChildProcess child = new CommandRunner(relay, inheritance).start(command, environment);
        ChildProcess.End end = child.awaitEnd();
        inheritance.giveOutputBack();
        relay.ended(end);
        child.reap();
        return end.shellCode();
    }

    private static OperatingSystem system() throws CommandFailure {
        try {
            return new LinuxSystem();
        } catch (RuntimeException | LinkageError e) {
            throw new CommandFailure(CommandFailure.INFERSCOPE_FAILED, "cannot reach the C library: " + e);
        }
    }

    private static SpoolWriter openSpool(CaptureOptions options) throws CommandFailure {
        try {
            return SpoolWriter.open(options.spoolDirectory(), SOURCE, 0, options.maxSpoolBytes());
        } catch (IOException e) {
            throw new CommandFailure(
                    CommandFailure.INFERSCOPE_FAILED, "cannot write to " + options.spoolDirectory() + ": " + e);
        }
    }

    /** Writes a note if the command is part of a job on several nodes, of which only this one is observed. */
    private static void writeNodes(ChildEnvironment environment, List<String> command, SpoolWriter writer) {
        ClusterEnvironment cluster =
                ClusterEnvironment.of(name -> environment.text(name, NativeText.charset()), command);
        if (cluster.isCluster()) {
            writer.write(new SpoolRecord.Coverage("nodes", cluster.describe(), 1, cluster.nodes() - 1, 0, 2));
        }
    }

    private static void writeLaunchBlocking(ChildEnvironment environment, SpoolWriter writer) {
        for (String name : LAUNCH_BLOCKING) {
            String value = environment.variable(name);
            if (value != null && !value.isBlank() && !value.strip().equals("0")) {
                writer.write(new SpoolRecord.Note("launch_blocking", name, 0));
                return;
            }
        }
    }

    private static @Nullable HostSampler startSampler(
            OperatingSystem system, SpoolWriter writer, ChildProcess child, long startNs, CaptureOptions options) {
        try {
            String mark = "INFERSCOPE_SPOOL_DIR=" + options.spoolDirectory().toAbsolutePath();
            PythonSampler stacks = new PythonSampler(system, new LinuxMemory(), writer);
            return new HostSampler(
                    system, writer, RootProcess.started(child.pid(), startNs, mark), options.host(), stacks);
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) { // Of threads.
            writer.write(new SpoolRecord.Coverage(SOURCE, "the sampler did not start: " + e, 0, 1, 0, 2));
            return null;
        }
    }

    private static void finish(
            @Nullable HostSampler sampler,
            SpoolWriter writer,
            ChildProcess child,
            ChildProcess.End end,
            long endNs,
            ProbeInjection probe,
            CaptureOptions options) {
        try {
            if (sampler != null) {
                sampler.stop(endNs, end.bySignal() ? -end.code() : end.code());
            }
            long treeCpuNs = child.reap();
            if (sampler != null) {
                sampler.writeCoverage(treeCpuNs);
                probe.writeCoverage(sampler.seen(), options.spoolDirectory(), writer);
            }
        } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
            writer.write(new SpoolRecord.Coverage(SOURCE, "finishing failed: " + e, 0, 1, 0, 2));
        }
    }
}
