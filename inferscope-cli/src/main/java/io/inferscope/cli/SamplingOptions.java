package io.inferscope.cli;

import io.inferscope.collectors.host.HostOptions;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The options of every command that observes a program: what that may cost. */
final class SamplingOptions {
    private final OptionSpec overhead = OptionSpec.builder("--overhead")
            .type(String.class)
            .defaultValue("3%")
            .paramLabel("P%")
            .description("CPU time InferScope may take while it observes, of one core; sampling adapts (default: 3%%).")
            .build();

    void addTo(CommandSpec spec) {
        spec.addOption(overhead);
    }

    /** Returns how to sample; refuses a share that is none with the parser's own exception. */
    HostOptions host(CommandSpec spec) {
        try {
            return new HostOptions(HostOptions.overheadRatio(overhead.getValue()), false);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--overhead: " + e.getMessage(), e);
        }
    }
}
