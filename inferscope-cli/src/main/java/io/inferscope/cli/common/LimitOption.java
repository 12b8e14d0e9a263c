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

/** {@code --fail-on LIMITS}: exit code 1 if a report crosses a limit. */
public final class LimitOption extends Options {
    /** A limit is crossed, or cannot be checked. */
    public static final int CROSSED = 1;

    private final OptionSpec failOn = option(
            "--fail-on=LIMITS",
            String.class,
            "End with exit code 1 when one of the LIMITS is crossed: idle>20%%, copy.h2d>5ms, verdict=cpu,"
                    + " severity>=warning, ...; several with commas.");

    private @Nullable Limits limits;

    public LimitOption(CommandSpec spec) {
        super(spec);
    }

    /** Fails before any work if the limits are invalid. */
    public void check() {
        String text = failOn.getValue();
        try {
            limits = text == null ? null : Limits.parse(text);
        } catch (LimitException e) {
            throw misuse("--fail-on " + e.getMessage());
        }
    }

    public boolean isSet() {
        return limits != null;
    }

    /** Prints the limits that a report crosses, one line each, and returns the exit code. */
    public int exitCode(Report report) {
        return limits == null ? 0 : say(limits.crossedBy(report));
    }

    /** Prints the limits that a report crosses where earlier runs are known, and returns the exit code. */
    public int exitCode(Report report, History history) {
        return limits == null ? 0 : say(limits.crossedBy(report, history));
    }

    /** Prints the limits that a comparison crosses, one line each, and returns the exit code. */
    public int exitCode(Comparison comparison, Report before, Report after) {
        return limits == null ? 0 : say(limits.crossedBy(comparison, before, after));
    }

    private int say(List<String> crossed) {
        crossed.forEach(sentence -> Log.tell(err(), sentence));
        return crossed.isEmpty() ? 0 : CROSSED;
    }
}
