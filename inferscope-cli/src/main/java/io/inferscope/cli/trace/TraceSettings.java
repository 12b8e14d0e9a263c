package io.inferscope.cli.trace;

import io.inferscope.batch.BatchOptions;
import io.inferscope.batch.Installation;
import io.inferscope.batch.MachineMemory;
import io.inferscope.batch.TraceException;
import io.inferscope.batch.TraceOptions;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.DurationText;
import io.inferscope.cli.common.InstallFolder;
import io.inferscope.cli.common.Options;
import io.inferscope.cli.common.Setting;
import io.inferscope.collectors.os.DeviceFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Settings of {@code trace}, in a batch or alone: from the command line, otherwise the file of {@code --config},
 * otherwise the default.
 */
final class TraceSettings extends Options {
    private static final List<String> DTYPES = List.of("auto", "float32", "float16", "bfloat16", "float64");
    private static final List<String> FRAMEWORKS = List.of("huggingface", "vllm");

    private final OptionSpec trustRemoteCode =
            CommandSpecs.flag("--trust-remote-code", "Let models run code of their own. Off by default.");
    private final OptionSpec config =
            CommandSpecs.option("--config=FILE", Path.class, "Settings and environment in YAML: docs/trace.md.");

    private @Nullable TraceConfig read;

    TraceSettings(CommandSpec spec, List<TraceOption> options) {
        super(spec);
        options.forEach(option -> spec.addOption(option.spec()));
        spec.addOption(trustRemoteCode).addOption(config);
    }

    private TraceConfig config() {
        if (read == null) {
            Path file = config.getValue();
            read = file == null ? TraceConfig.NONE : TraceConfig.read(file, spec.commandLine());
        }
        return read;
    }

    /** Returns the value from the command line, otherwise from the file. */
    private Optional<String> said(TraceOption option) {
        OptionSpec typed = spec.findOption(option.flag());
        String value = typed == null ? null : typed.getValue();
        return value == null ? config().value(option) : Optional.of(value);
    }

    String text(TraceOption option) {
        return said(option).orElse(option.fallback());
    }

    private int number(TraceOption option, int least) {
        String text = text(option);
        if (!text.matches("[0-9]{1,7}") || Integer.parseInt(text) < least) {
            throw wrong(option, "a whole number, at least " + least);
        }
        return Integer.parseInt(text);
    }

    private ParameterException wrong(TraceOption option, String expected) {
        return misuse(option.flag() + " " + text(option) + ": expected " + expected);
    }

    private String oneOf(TraceOption option, List<String> known) {
        String text = text(option);
        if (!known.contains(text)) {
            throw wrong(option, String.join(", ", known));
        }
        return text;
    }

    /** Returns the framework, which is required. */
    String framework() {
        if (said(TraceOption.FRAMEWORK).isEmpty()) {
            throw misuse("--framework is missing: " + String.join(" or ", FRAMEWORKS));
        }
        return oneOf(TraceOption.FRAMEWORK, FRAMEWORKS);
    }

    String mode() {
        return oneOf(TraceOption.MODE, List.of("eval", "train"));
    }

    private @Nullable Path tracerPath() {
        Optional<Path> folder = said(TraceOption.TRACER_PATH).map(Path::of);
        if (folder.isPresent() && !Files.isDirectory(folder.get())) {
            throw misuse("--tracer-path " + folder.get() + ": there is no such folder");
        }
        return folder.map(path -> path.toAbsolutePath().normalize()).orElse(null);
    }

    private Path python() throws TraceException {
        return Installation.interpreter(text(TraceOption.PYTHON));
    }

    Installation installation() throws TraceException {
        return Installation.of(InstallFolder.find().toAbsolutePath(), python(), tracerPath());
    }

    /** Returns how to go through a batch. */
    BatchOptions batch(boolean force) {
        String goOn = text(TraceOption.CONTINUE_ON_FAILURE);
        if (!Setting.ENABLED.accepts(goOn)) {
            throw wrong(TraceOption.CONTINUE_ON_FAILURE, "true or false");
        }
        return new BatchOptions(
                number(TraceOption.JOBS, 1),
                number(TraceOption.DOWNLOADS, 1),
                force,
                number(TraceOption.RETRIES, 0),
                Setting.isOn(goOn));
    }

    /**
     * Returns the tracing options.
     *
     * @param jobs number of tracers that share the machine's memory
     */
    TraceOptions options(int jobs) throws TraceException {
        String framework = framework();
        return new TraceOptions(
                InstallFolder.find().toAbsolutePath(),
                python(),
                Path.of(text(TraceOption.OUTPUT_DIR)).toAbsolutePath().normalize(),
                framework,
                device(),
                oneOf(TraceOption.DTYPE, DTYPES),
                number(TraceOption.TENSOR_PARALLEL_SIZE, 1),
                tracerPath(),
                isSet(trustRemoteCode),
                timeNs(TraceOption.TIMEOUT, framework.equals("vllm") ? "20m" : "15m"),
                timeNs(TraceOption.DOWNLOAD_TIMEOUT, TraceOption.DOWNLOAD_TIMEOUT.fallback()),
                memoryLimitBytes(jobs),
                config().environment());
    }

    private long timeNs(TraceOption option, String fallback) {
        try {
            return Math.max(1, DurationText.ns(said(option).orElse(fallback)));
        } catch (IllegalArgumentException e) {
            throw misuse(option.flag() + " " + e.getMessage());
        }
    }

    private String device() {
        String text = text(TraceOption.DEVICE);
        if (text.equals("auto")) {
            return DeviceFiles.gpus().isEmpty() ? "cpu" : "cuda";
        }
        if (!text.matches("cpu|cuda(:[0-9]{1,3})?")) {
            throw wrong(TraceOption.DEVICE, "cpu, cuda, cuda:N or auto");
        }
        return text;
    }

    private long memoryLimitBytes(int jobs) {
        return said(TraceOption.MEMORY_LIMIT).isPresent()
                ? (long) number(TraceOption.MEMORY_LIMIT, 0) << 20
                : MachineMemory.bytes() / 10 * 9 / jobs;
    }
}
