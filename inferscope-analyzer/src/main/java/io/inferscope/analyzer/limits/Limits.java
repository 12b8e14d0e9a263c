package io.inferscope.analyzer.limits;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.model.Report;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Limits for CI: each is a comparison that must not hold. A limit whose figure is not known counts as crossed, since a
 * check that cannot be made has not passed; {@code idle?>20%} lets it pass. docs/fail-on.md is the manual.
 */
public final class Limits {
    private final List<Limit> limits;

    private Limits(List<Limit> limits) {
        this.limits = limits;
    }

    /**
     * Returns the limits of an expression such as {@code idle>20%,regression>5%}.
     *
     * @throws LimitException when it is not understood
     */
    public static Limits parse(String text) {
        return new Limits(List.copyOf(LimitParser.parse(text)));
    }

    /**
     * Returns one sentence per limit that a report crosses, in the order of the limits; none when it keeps them all.
     */
    public List<String> crossedBy(Report report) {
        return crossedBy(report, History.NONE);
    }

    /** Returns the same where earlier runs are known. */
    public List<String> crossedBy(Report report, History history) {
        return crossed(null, report, null, history);
    }

    /** Returns the same for a comparison: figures are those of the recording after. */
    public List<String> crossedBy(Comparison comparison, Report before, Report after) {
        return crossed(before, after, comparison, History.NONE);
    }

    private List<String> crossed(
            @Nullable Report before, Report after, @Nullable Comparison comparison, History history) {
        List<String> sentences = new ArrayList<>();
        for (Limit limit : limits) {
            LimitCheck.Result result = new LimitCheck(limit, before, after, comparison, history).result();
            if (result.crossed() && !(result.unknown() && limit.onlyWhereKnown())) {
                sentences.add((result.unknown() ? "limit cannot be checked: " : "limit crossed: ") + limit.text() + ": "
                        + result.because()
                        + (result.unknown() ? " (\"" + limit.name() + "?\" lets that pass)" : ""));
            }
        }
        return sentences;
    }
}
