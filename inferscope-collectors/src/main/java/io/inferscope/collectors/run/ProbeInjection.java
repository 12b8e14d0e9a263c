package io.inferscope.collectors.run;

import io.inferscope.collectors.host.HostSampler.SeenProcess;
import io.inferscope.collectors.os.DeviceFiles;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import io.inferscope.timeline.spool.SpoolSummary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Injects the Python probe into the command's interpreters, and afterwards reports the interpreters without it. */
final class ProbeInjection {
    private static final Pattern INTERPRETER = Pattern.compile("python(\\d+(\\.\\d+)*)?[a-z]*|pypy(\\d+(\\.\\d+)*)?");
    private static final String PYPY = "pypy";
    private static final String PROBE = "python-probe";
    private static final String OPERATORS = "INFERSCOPE_OPS";
    private static final int MAX_NAMED = 5;

    private final Path library;
    private final boolean wanted;
    private final boolean present;
    private final String problem;

    ProbeInjection(CaptureOptions options) {
        library = options.home().resolve("python");
        wanted = options.probe();
        present = Files.isDirectory(library.resolve("bootstrap"));
        problem = Stream.of("bootstrap/sitecustomize.py", "inferscope/_probe.py")
                .map(file -> InjectionSafety.problem(library.resolve(file), options.home()))
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Sets the variables that all recorders read, and those that make an interpreter load the probe. */
    void prepare(ChildEnvironment environment, CaptureOptions options) {
        environment.set("INFERSCOPE_SPOOL_DIR", bytes(options.spoolDirectory()));
        environment.set(
                "INFERSCOPE_SPOOL_MAX_BYTES",
                Long.toString(options.maxSpoolBytes()).getBytes(NativeText.charset()));
        if (wanted && present && problem.isEmpty()) {
            environment.prepend("PYTHONPATH", bytes(library));
            environment.prepend("PYTHONPATH", bytes(library.resolve("bootstrap")));
            prepareOperators(environment, options);
            if (options.host().windowNs() > 0) {
                environment.set(
                        "INFERSCOPE_TWICE",
                        Long.toString(options.host().periodNs()).getBytes(StandardCharsets.US_ASCII));
            }
        }
        ShapeRecording shapes = options.shapes();
        if (shapes != null) {
            shapes.prepare(environment);
        }
    }

    /**
     * Prepares windows of PyTorch's profiler, which record kernels on AMD devices, and on NVIDIA's if the CUDA agent
     * cannot; the probe decides in the program. The profiler prints each start on the program's standard error unless
     * its log level is changed, which is done if windows are expected.
     */
    private static void prepareOperators(ChildEnvironment environment, CaptureOptions options) {
        String set = environment.text(OPERATORS, StandardCharsets.US_ASCII);
        String asked = options.ops().isEmpty() ? set : options.ops();
        boolean amd = DeviceFiles.hasAmdDriver();
        boolean nvidia = options.gpu().isWanted() && DeviceFiles.hasNvidiaDriver();
        if (asked.isEmpty() && !amd && !nvidia) {
            return;
        }
        environment.set(OPERATORS, (asked.isEmpty() ? "auto" : asked).getBytes(StandardCharsets.US_ASCII));
        if ((!asked.isEmpty() || amd) && environment.value("KINETO_LOG_LEVEL").length == 0) {
            environment.set("KINETO_LOG_LEVEL", "99".getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static byte[] bytes(Path path) {
        return path.toAbsolutePath().toString().getBytes(NativeText.charset());
    }

    /** Writes which interpreters sent no boot record. */
    void writeCoverage(List<SeenProcess> processes, Path spoolDirectory, SpoolWriter writer) throws IOException {
        List<SeenProcess> interpreters = processes.stream()
                .filter(process -> INTERPRETER.matcher(process.program()).matches())
                .toList();
        if (interpreters.isEmpty()) {
            return;
        }
        if (!wanted || !present || !problem.isEmpty()) {
            String why = !wanted
                    ? "turned off by --no-probe"
                    : present ? problem : "the probe is not installed in " + library.getFileName() + "/";
            writer.write(new SpoolRecord.Coverage("probe", why, 0, interpreters.size(), 0, 2));
            return;
        }
        Set<Integer> booted = new HashSet<>();
        for (SpoolSummary spool : SpoolSummary.of(spoolDirectory)) {
            if (spool.source().equals(PROBE)) {
                booted.add(spool.pid());
            }
        }
        for (SeenProcess process : processes) { // Parents come first.
            if (booted.contains(process.forkedFrom())) {
                booted.add(process.pid()); // It has the probe, but no file because there was nothing to record.
            }
        }
        List<SeenProcess> silent = interpreters.stream()
                .filter(process -> !booted.contains(process.pid()))
                .toList();
        write(
                silent.stream()
                        .filter(process -> !process.program().startsWith(PYPY))
                        .toList(),
                "sent no boot record: -I, -E, -S, a cleared environment, no room on the disk, or a very short life",
                writer);
        write(
                silent.stream()
                        .filter(process -> process.program().startsWith(PYPY))
                        .toList(),
                "under PyPy, which the probe does not support: run the program with CPython",
                writer);
    }

    private static void write(List<SeenProcess> silent, String why, SpoolWriter writer) throws IOException {
        if (!silent.isEmpty()) {
            String named = silent.stream()
                    .limit(MAX_NAMED)
                    .map(process -> "pid " + process.pid() + " (" + process.program() + ")")
                    .collect(Collectors.joining(", "));
            String rest = silent.size() > MAX_NAMED ? " and " + (silent.size() - MAX_NAMED) + " more" : "";
            writer.write(new SpoolRecord.Coverage("probe", named + rest + ' ' + why, 0, silent.size(), 0, 2));
        }
    }
}
