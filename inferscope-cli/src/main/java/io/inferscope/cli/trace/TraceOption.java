package io.inferscope.cli.trace;

import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.RunOutputs;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Every option of {@code trace} that has one value, declared once: its name, its help text, and its default. In the
 * file of {@code --config} its name has no dashes.
 */
enum TraceOption {
    TRACERS(Of.BATCH, "A,B", "Which tracers to run; all: every tracer of the framework", "all"),
    FRAMEWORK(Of.BOTH, "NAME", "What runs the models: huggingface or vllm", ""),
    MODE(Of.BOTH, "MODE", "eval or train: forward, or forward and backward", "eval"),
    DEVICE(Of.BOTH, "DEVICE", "cpu, cuda, cuda:N or auto, which is cuda where there is one", "auto"),
    DTYPE(Of.BOTH, "TYPE", "Type of the weights: auto (the checkpoint's own), float32, ...", "auto"),
    TENSOR_PARALLEL_SIZE(Of.BOTH, "N", "Devices over which vLLM spreads a model", "1"),
    OUTPUT_DIR(Of.BOTH, "DIR", "Where results go", RunOutputs.FOLDER.toString()),
    TIMEOUT(Of.BOTH, "TIME", "How long one tracer may take (default: 15m, vLLM 20m)", ""),
    MEMORY_LIMIT(
            Of.BOTH,
            "MB",
            "Memory of one tracer with all its processes, 0 for no limit (default: 90 %% of the machine's over the jobs)",
            ""),
    TRACER_PATH(Of.BOTH, "DIR", "A folder with tracers of your own, one Python file each", ""),
    PYTHON(Of.BOTH, "PYTHON", "The interpreter that has PyTorch", "python3"),
    JOBS(Of.BATCH, "N", "How many tracers run at once", "1"),
    RETRIES(Of.BATCH, "N", "How often a pair that failed is tried again at once", "0"),
    DOWNLOADS(Of.BATCH, "N", "How many models are downloaded at once", "4"),
    DOWNLOAD_TIMEOUT(Of.BATCH, "TIME", "How long a download may take", "1h"),
    CONTINUE_ON_FAILURE(Of.BATCH, "BOOL", "Whether the batch goes on after a failure", "true");

    /** Which commands have an option. */
    private enum Of {
        BATCH,
        BOTH
    }

    private final Of commands;
    private final String label;
    private final String description;
    private final String fallback;

    TraceOption(Of commands, String label, String description, String fallback) {
        this.commands = commands;
        this.label = label;
        this.description = description;
        this.fallback = fallback;
    }

    /** Returns those of {@code trace}. */
    static List<TraceOption> ofBatch() {
        return List.of(values());
    }

    /** Returns those of {@code trace worker}. */
    static List<TraceOption> ofWorker() {
        return Arrays.stream(values())
                .filter(option -> option.commands == Of.BOTH)
                .toList();
    }

    /** Returns its name in a file, such as {@code memory-limit}. */
    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns its name on the command line. */
    String flag() {
        return "--" + key();
    }

    /** Returns its default, empty if it has none or a computed one. */
    String fallback() {
        return fallback;
    }

    OptionSpec spec() {
        String end = fallback.isEmpty() ? "." : " (default: " + fallback + ").";
        return CommandSpecs.option(flag() + "=" + label, String.class, description + end);
    }
}
