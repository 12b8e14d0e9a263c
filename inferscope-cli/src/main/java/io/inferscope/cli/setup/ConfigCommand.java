package io.inferscope.cli.setup;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.analyzer.rules.RuleSettings;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.Setting;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.Version;
import io.inferscope.collectors.os.DeviceFiles;
import io.inferscope.report.Renderers;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/**
 * {@code inferscope config show}: prints all settings with their source. The output is YAML; its settings and
 * thresholds can be copied to a file.
 */
public final class ConfigCommand extends Command {
    /** Frameworks that the probe supports, each with its hook table. */
    static final List<List<String>> FRAMEWORKS = List.of(
            List.of("pytorch", "torch_hooks"),
            List.of("transformers", "transformers_hooks"),
            List.of("vllm", "vllm_hooks"),
            List.of("sglang", "sglang_hooks"),
            List.of("onnxruntime", "onnxruntime_hooks"));

    private final Settings settings;

    @SuppressWarnings("this-escape") // The description only keeps the reference.
    public ConfigCommand(Settings settings) {
        super("config", "Show what is set, and where it is set.");
        this.settings = settings;
        CommandSpec show = CommandSpecs.command(
                (Callable<Integer>) this::show, "show", "Print settings, limits and what this version supports.");
        spec.usageMessage().synopsisSubcommandLabel("show");
        spec.addSubcommand("show", CommandSpecs.withHelp(show));
    }

    @Override
    public Integer call() {
        throw misuse("Missing command: show");
    }

    private int show() {
        PrintWriter out = out();
        support(out);
        out.println("settings:");
        for (Setting setting : Setting.values()) {
            Settings.Value value = settings.value(setting);
            String text = value.text().isEmpty() ? "''" : value.text();
            line(out, "  " + setting.key() + ": " + text, value.origin());
        }
        thresholds(out, settings.rules());
        out.flush();
        settings.warn(err());
        return 0;
    }

    private static void support(PrintWriter out) {
        out.println("version: " + Version.text());
        out.println("platform: " + System.getProperty("os.name") + ' ' + System.getProperty("os.arch") + ", Java "
                + System.getProperty("java.version"));
        line(out, "default_trace_size_mb: " + Setting.TRACE_SIZE_MB.fallback(), "of each recorder's file");
        line(out, "default_report_format: markdown", "of run, attach and recover; analyze prints");
        out.println("report_formats: [" + String.join(", ", Renderers.formats()) + ']');
        line(
                out,
                "supported_frameworks: ["
                        + String.join(
                                ", ", FRAMEWORKS.stream().map(f -> f.get(0)).toList()) + ", jvm]",
                "known by name; any other program is seen from outside");
        out.println("gpu_support:");
        line(
                out,
                "  recorded: [cuda, nvml, torch.profiler]",
                "any CUDA program by the agent, the NVIDIA driver's counters,");
        line(out, "", "windows of PyTorch's profiler: on AMD's devices, where CUPTI cannot be used, by run --ops");
        line(
                out,
                "  proven_on_a_gpu: [cuda, nvml]",
                "on an H200; rocm with stand-ins only: docs/evidence/gpu-check.md");
        line(out, "  imported: [cuda, rocm, xla]", "Kineto, Nsight Systems, rocprofv3, ONNX Runtime, TensorRT, XLA");
        out.println("  device_files: [" + String.join(", ", DeviceFiles.gpus()) + ']');
    }

    private static void thresholds(PrintWriter out, RuleSettings rules) {
        out.println("thresholds:");
        for (Threshold threshold : Threshold.byKey().values()) {
            double value = rules.thresholds().get(threshold);
            line(
                    out,
                    "  " + threshold.key() + ": " + amount(value, threshold.unit()),
                    value == threshold.value()
                            ? "default"
                            : "set; default " + amount(threshold.value(), threshold.unit()));
        }
        if (!rules.disabled().isEmpty()) {
            out.println("disable: ["
                    + String.join(
                            ", ", rules.disabled().keySet().stream().sorted().toList()) + ']');
        }
        Stream.of(rules.declared())
                .flatMap(List::stream)
                .forEach(rule -> Log.line(out, "# rule " + rule.info().id()));
    }

    /** Returns an amount as written in a file. */
    private static String amount(double value, MeasureUnit unit) {
        return unit == MeasureUnit.RATIO
                ? trimmed(value * 100) + "%"
                : trimmed(value) + (unit == MeasureUnit.NS ? "ns" : "");
    }

    private static String trimmed(double value) {
        double rounded = Math.round(value * 1e6) / 1e6;
        return rounded == Math.rint(rounded) && Math.abs(rounded) < 1e15
                ? Long.toString((long) rounded)
                : Double.toString(rounded);
    }

    private static void line(PrintWriter out, String text, String comment) {
        Log.line(out, text + " ".repeat(Math.max(1, 44 - text.length())) + "# " + comment);
    }
}
