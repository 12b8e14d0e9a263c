package io.inferscope.analyzer.limits;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.diff.Comparison.Change;
import io.inferscope.analyzer.diff.Comparison.Shift;
import io.inferscope.analyzer.metrics.FigureSource;
import io.inferscope.analyzer.metrics.Metric;
import io.inferscope.analyzer.metrics.ReportFacts;
import io.inferscope.analyzer.metrics.ReportProperty;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Units;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One limit against one report, or against a comparison.
 *
 * @param limit the limit
 * @param before the report that is compared with, null for none
 * @param after the report whose figures are checked
 * @param comparison of the two, null for none
 * @param history earlier runs
 */
record LimitCheck(
        Limit limit,
        @Nullable Report before,
        Report after,
        @Nullable Comparison comparison,
        History history) {
    /** Figures that stay valid if device work is missing. Most other figures do not mean what their names say then. */
    private static final Set<String> ALWAYS_MEANT = Set.of("failed-checks", "window.duration-ns");

    private static final String ALONE = "one recording is compared with nothing: use inferscope diff";

    record Result(boolean crossed, boolean unknown, String because) {
        static Result unknown(String because) {
            return new Result(true, true, because);
        }
    }

    Result result() {
        if (limit.asked() instanceof Metric metric) {
            return limit.growth() ? growth(metric) : figure(metric);
        }
        return switch ((ReportProperty) limit.asked()) {
            case VERDICT -> verdict();
            case SEVERITY, FINDING -> ofFindings();
            case REGRESSION -> regression();
        };
    }

    private Result verdict() {
        Bound bound = after.verdict().bound();
        if (bound != Bound.WITHHELD) {
            return compared(bound.id().equals(limit.word()) ? 0 : 1, "it is " + bound.id());
        }
        return limit.word().equals(Bound.WITHHELD.id())
                ? compared(0, after.verdict().claim())
                : Result.unknown("the verdict is withheld: " + after.verdict().claim());
    }

    private Result ofFindings() {
        if (after.verdict().bound() == Bound.WITHHELD
                && new ReportFacts(after).distrust().isPresent()) {
            return Result.unknown("the verdict is withheld: " + after.verdict().claim());
        }
        return limit.asked() == ReportProperty.SEVERITY ? severity() : finding();
    }

    /** Severities are declared from severe to harmless. */
    private Result severity() {
        Optional<Finding> worst = after.findings().stream()
                .filter(finding -> finding.severity() != Severity.HEALTHY)
                .findFirst();
        if (worst.isEmpty()) {
            return new Result(false, false, "nothing is found");
        }
        Severity asked = Severity.valueOf(limit.word().toUpperCase(Locale.ROOT));
        Finding finding = worst.get();
        return compared(
                asked.compareTo(finding.severity()),
                finding.severity().id() + ": " + finding.rule() + ": " + finding.claim());
    }

    private Result finding() {
        Optional<Finding> found = after.findings().stream()
                .filter(finding -> finding.rule().equals(limit.word()))
                .findFirst();
        boolean known =
                after.outcomes().stream().anyMatch(outcome -> outcome.rule().equals(limit.word()));
        if (!known) {
            return Result.unknown("there is no rule \"" + limit.word() + "\"");
        }
        return compared(found.isPresent() ? 0 : 1, found.map(Finding::claim).orElse("it found nothing"));
    }

    private Result figure(Metric metric) {
        FigureSource facts = new ReportFacts(after);
        Optional<String> why = unknown(metric, facts);
        if (why.isPresent()) {
            return Result.unknown(why.get());
        }
        double value = metric.read(facts).orElseThrow();
        String of = metric.source()
                .ledger(facts)
                .map(ledger -> " of the " + ledger.part().id() + " of " + ledger.subject())
                .orElse("");
        String is = limit.name() + " is " + metric.unit().words(value) + of;
        if (limit.word().isEmpty()) {
            return compared(Double.compare(value, limit.value()), is);
        }
        OptionalDouble past = history.percentile(metric.name(), Integer.parseInt(limit.word()));
        return past.isPresent()
                ? compared(
                        Double.compare(value, past.getAsDouble()),
                        is + ", p" + limit.word() + " of "
                                + history.values(metric.name()).size() + " earlier runs is "
                                + metric.unit().words(past.getAsDouble()))
                : Result.unknown(
                        "it is known of " + history.values(metric.name()).size() + " earlier runs, and "
                                + History.FEWEST + " are needed: use inferscope diff --against DIR");
    }

    /** Shares grow by percentage points, everything else by a percentage of what it was. */
    private Result growth(Metric metric) {
        if (before == null) {
            return Result.unknown(ALONE);
        }
        FigureSource one = new ReportFacts(before);
        FigureSource other = new ReportFacts(after);
        Optional<String> why = unknown(metric, one)
                .map(because -> "before: " + because)
                .or(() -> unknown(metric, other).map(because -> "after: " + because));
        if (why.isPresent()) {
            return Result.unknown(why.get());
        }
        boolean share = metric.unit() == MeasureUnit.RATIO;
        double a = metric.read(one).orElseThrow();
        double b = metric.read(other).orElseThrow();
        if (!share && a == 0) {
            return Result.unknown("it was " + metric.unit().words(0) + " before");
        }
        double grown = share ? b - a : b / a - 1;
        return compared(
                Double.compare(grown, limit.value()),
                limit.name() + " changed by " + Units.change(grown) + (share ? " points" : ""));
    }

    private Result regression() {
        if (comparison == null) {
            return Result.unknown(ALONE);
        }
        if (!comparison.isJudged()) {
            return Result.unknown(comparison.conclusion().get(0));
        }
        Change pace = comparison.pace();
        Shift shift = pace.shift();
        double grown = shift == null ? pace.grownRatio() : shift.ratio() - 1;
        Result result = compared(
                Double.compare(grown, limit.value()), comparison.conclusion().get(0));
        return shift != null && !shift.isBeyondNoise() ? new Result(false, false, "within noise") : result;
    }

    /** Returns why a figure is not known; empty where it is. */
    private static Optional<String> unknown(Metric metric, FigureSource facts) {
        Optional<String> distrust = ALWAYS_MEANT.contains(metric.name()) ? Optional.empty() : facts.distrust();
        OptionalDouble value = metric.read(facts);
        return distrust.map(why -> "the verdict is withheld: " + why)
                .or(() -> value.isPresent()
                        ? Optional.empty()
                        : Optional.of(metric.source().absence(facts)));
    }

    private Result compared(int result, String because) {
        return new Result(limit.operator().holds(result), false, because);
    }
}
