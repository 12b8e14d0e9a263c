package io.inferscope.cli.run;

import io.inferscope.cli.common.Specs;
import io.inferscope.collectors.host.HostOptions;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The options of every command that observes a program: how often it looks, what that may cost, and whether perf events are wanted. */
final class SamplingOptions {
    private final OptionSpec overhead = OptionSpec.builder("--overhead")
            .type(String.class)
            .defaultValue("3%")
            .paramLabel("P%")
            .description("CPU time InferScope may take while it observes, of one core; sampling adapts (default: 3%%).")
            .build();

    private final OptionSpec rate = OptionSpec.builder("--sample-rate")
            .type(int.class)
            .paramLabel("HZ")
            .description(
                    "Samples a second, 1 to 1000 (default: 100, or fewer within --overhead). Without --overhead, this rate is kept at any cost.")
            .build();

    private final OptionSpec perf = Specs.flag(
            "--perf",
            "Record every context switch and what runs beneath Python, and count cycles and cache misses, where the system permits perf events.");

    private final OptionSpec beneath = Specs.flag(
            "--native",
            "Sample what runs beneath Python: native functions, libraries and the kernel, where the system permits perf events.");

    void addTo(CommandSpec spec) {
        spec.addOption(rate);
        spec.addOption(overhead).addOption(perf).addOption(beneath);
    }

    /** Returns how to sample; refuses a share or a rate that is none with the parser's own exception. */
    HostOptions host(CommandSpec spec) {
        Integer asked = rate.getValue();
        boolean bounded = asked == null || spec.commandLine().getParseResult().hasMatchedOption(overhead);
        double ratio = bounded ? named("--overhead", spec, () -> HostOptions.overheadRatio(overhead.getValue())) : 1;
        int hz = asked == null ? HostOptions.DEFAULT_RATE_HZ : asked;
        return named(
                "--sample-rate",
                spec,
                () -> new HostOptions(ratio, hz, Specs.isSet(perf), Specs.isSet(perf) || Specs.isSet(beneath)));
    }

    private static <T> T named(String option, CommandSpec spec, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
        }
    }
}
