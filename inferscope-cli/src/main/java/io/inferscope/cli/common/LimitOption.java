package io.inferscope.cli.common;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.limits.History;
import io.inferscope.analyzer.limits.LimitException;
import io.inferscope.analyzer.limits.Limits;
import io.inferscope.analyzer.model.Report;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** {@code --fail-on LIMITS}: exit code 1 if a report crosses a limit. */
public final class LimitOption {
    /** A limit is crossed, or cannot be checked. */
    public static final int CROSSED = 1;

    private final OptionSpec failOn = CommandSpecs.option(
            "--fail-on=LIMITS",
            String.class,
            "End with exit code 1 when one of the LIMITS is crossed: idle>20%%, copy.h2d>5ms, verdict=cpu,"
                    + " severity>=warning, ...; several with commas.");

    private @Nullable Limits limits;

    public void addTo(CommandSpec spec) {
        spec.addOption(failOn);
    }

    /** Fails before any work if the limits are invalid. */
    public void check(CommandSpec spec) {
        String text = failOn.getValue();
        try {
            limits = text == null ? null : Limits.parse(text);
        } catch (LimitException e) {
            throw new ParameterException(spec.commandLine(), "--fail-on " + e.getMessage());
        }
    }

    public boolean isSet() {
        return limits != null;
    }

    /** Prints the limits that a report crosses, one line each, and returns the exit code. */
    public int exitCode(Report report, CommandSpec spec) {
        return limits == null ? 0 : say(limits.crossedBy(report), spec);
    }

    /** Prints the limits that a report crosses where earlier runs are known, and returns the exit code. */
    public int exitCode(Report report, History history, CommandSpec spec) {
        return limits == null ? 0 : say(limits.crossedBy(report, history), spec);
    }

    /** Prints the limits that a comparison crosses, one line each, and returns the exit code. */
    public int exitCode(Comparison comparison, Report before, Report after, CommandSpec spec) {
        return limits == null ? 0 : say(limits.crossedBy(comparison, before, after), spec);
    }

    private static int say(List<String> crossed, CommandSpec spec) {
        crossed.forEach(sentence -> Log.tell(spec.commandLine().getErr(), sentence));
        return crossed.isEmpty() ? 0 : CROSSED;
    }
}
