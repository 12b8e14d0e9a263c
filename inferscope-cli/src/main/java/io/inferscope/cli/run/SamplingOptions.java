package io.inferscope.cli.run;

import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Options;
import io.inferscope.collectors.host.HostOptions;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Options of all commands that observe a program: sampling rate, overhead and perf events. */
final class SamplingOptions extends Options {
    private static final double GPU_RATIO = 0.10;

    private final OptionSpec rate = option(
            "--sample-rate=HZ",
            int.class,
            "Samples a second, 1 to 1000 (default: 100, or fewer within --overhead). Without --overhead, this rate is kept at any cost.");

    private final OptionSpec overhead = option(
            "--overhead=P%",
            String.class,
            "3%",
            "CPU time InferScope may take while it observes, of one core; sampling adapts (default: 3%%)."
                    + " With run --gpu-detail auto also how much longer recording may make launches (default there: 10%%).");

    private final OptionSpec window = option(
            "--sample-window=TIME/TIME",
            String.class,
            "Sample only at the start of each period, such as 2s/3s, so that the report says how much longer sampling makes steps."
                    + " Fewer samples explain the rest.");

    private final OptionSpec perf = flag(
            "--perf",
            "Record every context switch, and count cycles and cache misses, where the system permits perf events.");

    private final OptionSpec beneath = add(
            CommandSpecs.flagThatIsSet(
                    "--native",
                    "Sample native functions, libraries and the system's kernel beneath Python, where the system permits perf events (default)."));

    SamplingOptions(CommandSpec spec) {
        super(spec);
    }

    /** Returns the sampling options; refuses an invalid share or rate with the parser's exception. */
    HostOptions host() {
        Integer asked = rate.getValue();
        boolean bounded = asked == null || spec.commandLine().getParseResult().hasMatchedOption(overhead);
        double ratio = bounded ? named("--overhead", () -> HostOptions.overheadRatio(overhead.getValue())) : 1;
        long[] lengths = windows(window);
        int hz = asked == null ? HostOptions.DEFAULT_RATE_HZ : asked;
        return named(
                "--sample-rate", () -> new HostOptions(ratio, hz, isSet(perf), isSet(beneath), lengths[0], lengths[1]));
    }

    /** Returns how much longer recording device work may make launches. */
    double gpuRatio() {
        boolean asked = spec.commandLine().getParseResult().hasMatchedOption(overhead);
        return asked ? named("--overhead", () -> HostOptions.overheadRatio(overhead.getValue())) : GPU_RATIO;
    }

    private <T> T named(String option, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw misuse(option + ": " + e.getMessage());
        }
    }
}
