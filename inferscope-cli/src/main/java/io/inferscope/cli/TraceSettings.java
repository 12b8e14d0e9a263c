package io.inferscope.cli;

import io.inferscope.collectors.trace.Installation;
import io.inferscope.collectors.trace.MachineMemory;
import io.inferscope.collectors.trace.TraceException;
import io.inferscope.collectors.trace.TraceOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** How {@code trace} traces, in a batch or alone: the command line before the file of {@code --config}, before the default. */
final class TraceSettings {
    private static final List<String> DEVICE_FILES = List.of("/dev/nvidia0", "/dev/kfd");
    private static final List<String> DTYPES = List.of("auto", "float32", "float16", "bfloat16", "float64");
    private static final String FRAMEWORKS = "huggingface or vllm";

    private final List<OptionSpec> options = new ArrayList<>();
    private final OptionSpec framework = text("--framework", "NAME", "What runs the models: " + FRAMEWORKS + ".");
    private final OptionSpec mode =
            text("--mode", "MODE", "eval (the default) or train: forward, or forward and backward.");
    private final OptionSpec device =
            text("--device", "DEVICE", "cpu, cuda, cuda:N or auto (the default: cuda where there is one).");
    private final OptionSpec dtype =
            text("--dtype", "TYPE", "Type of the weights: auto (the checkpoint's own), float32, ...");
    private final OptionSpec tensorParallelSize =
            text("--tensor-parallel-size", "N", "Devices over which vLLM spreads a model (default: 1).");
    private final OptionSpec output = path("--output-dir", "DIR", "Where results go (default: outputs).");
    private final OptionSpec timeout =
            text("--timeout", "TIME", "How long one tracer may take (default: 15m, vLLM 20m).");
    private final OptionSpec memoryLimit = text(
            "--memory-limit",
            "MB",
            "Memory of one tracer with all its processes (default: 90 % of the machine's over the jobs; 0: none).");
    private final OptionSpec tracerPath =
            path("--tracer-path", "DIR", "A folder with tracers of your own, one Python file each.");
    private final OptionSpec python =
            text("--python", "PYTHON", "The interpreter that has PyTorch (default: python3).");
    private final OptionSpec trustRemoteCode =
            Specs.flag("--trust-remote-code", "Let models run code of their own. Off by default.");
    private final OptionSpec config = path("--config", "FILE", "Settings and environment in YAML: docs/trace.md.");

    private final CommandSpec spec;
    private @Nullable TraceConfig read;

    TraceSettings(CommandSpec spec) {
        this.spec = spec;
    }

    private OptionSpec text(String name, String label, String description) {
        return option(name, label, description, String.class);
    }

    private OptionSpec path(String name, String label, String description) {
        return option(name, label, description, Path.class);
    }

    private OptionSpec option(String name, String label, String description, Class<?> type) {
        OptionSpec option = OptionSpec.builder(name)
                .type(type)
                .paramLabel(label)
                .description(description)
                .build();
        options.add(option);
        return option;
    }

    void addTo(CommandSpec command) {
        options.forEach(command::addOption);
        command.addOption(trustRemoteCode);
    }

    /** Returns the file of settings. */
    TraceConfig config() {
        if (read == null) {
            Path file = config.getValue();
            read = file == null ? TraceConfig.NONE : TraceConfig.read(file, spec.commandLine());
        }
        return read;
    }

    /** Returns a setting: of the command line, else of the file. */
    Optional<String> value(OptionSpec option) {
        Object said = option.getValue();
        return said != null ? Optional.of(said.toString()) : config().value(option.longestName());
    }

    /** Returns a whole number of at least {@code least}. */
    int number(OptionSpec option, int fallback, int least) {
        String text = value(option).orElse(Integer.toString(fallback));
        if (!text.matches("[0-9]{1,7}") || Integer.parseInt(text) < least) {
            throw wrong(option, text, "a whole number, at least " + least);
        }
        return Integer.parseInt(text);
    }

    ParameterException wrong(OptionSpec option, String text, String expected) {
        return new ParameterException(spec.commandLine(), option.longestName() + " " + text + ": expected " + expected);
    }

    private String oneOf(OptionSpec option, String fallback, List<String> known) {
        String text = value(option).orElse(fallback);
        if (!known.contains(text)) {
            throw wrong(option, text, String.join(", ", known));
        }
        return text;
    }

    /** Returns the framework; usage demands one. */
    String framework() {
        if (value(framework).isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--framework is missing: " + FRAMEWORKS);
        }
        return oneOf(framework, "", List.of("huggingface", "vllm"));
    }

    String mode() {
        return oneOf(mode, "eval", List.of("eval", "train"));
    }

    /** Returns the tracers' own folder, absolute. */
    @Nullable
    Path tracerPath() {
        Path folder = tracerPath.getValue();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new ParameterException(spec.commandLine(), "--tracer-path " + folder + ": there is no such folder");
        }
        return folder == null ? null : folder.toAbsolutePath().normalize();
    }

    Path python() throws TraceException {
        return Installation.interpreter(value(python).orElse("python3"));
    }

    Installation installation() throws TraceException {
        return Installation.of(Home.find().toAbsolutePath(), python(), tracerPath());
    }

    /**
     * Returns all of them.
     *
     * @param jobs how many tracers share the machine's memory
     */
    TraceOptions options(int jobs, long downloadTimeoutNs) throws TraceException {
        String named = framework();
        Path folder = output.getValue();
        return new TraceOptions(
                Home.find().toAbsolutePath(),
                python(),
                (folder == null ? RunOutputs.FOLDER : folder).toAbsolutePath().normalize(),
                named,
                device(),
                oneOf(dtype, "auto", DTYPES),
                number(tensorParallelSize, 1, 1),
                tracerPath(),
                Specs.isSet(trustRemoteCode),
                timeNs(timeout, named.equals("vllm") ? "20m" : "15m"),
                downloadTimeoutNs,
                memoryLimitBytes(jobs),
                config().environment());
    }

    long timeNs(OptionSpec option, String fallback) {
        try {
            return Math.max(1, Durations.ns(value(option).orElse(fallback)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), option.longestName() + " " + e.getMessage());
        }
    }

    private String device() {
        String text = value(device).orElse("auto");
        if (text.equals("auto")) {
            return DEVICE_FILES.stream().anyMatch(file -> Files.exists(Path.of(file))) ? "cuda" : "cpu";
        }
        if (!text.matches("cpu|cuda(:[0-9]{1,3})?")) {
            throw wrong(device, text, "cpu, cuda, cuda:N or auto");
        }
        return text;
    }

    private long memoryLimitBytes(int jobs) {
        return value(memoryLimit).isPresent()
                ? (long) number(memoryLimit, 0, 0) << 20
                : MachineMemory.bytes() / 10 * 9 / jobs;
    }
}
