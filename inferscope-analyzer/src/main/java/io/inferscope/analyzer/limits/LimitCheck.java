package io.inferscope.analyzer.limits;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.diff.Comparison.Change;
import io.inferscope.analyzer.diff.Comparison.Shift;
import io.inferscope.analyzer.limits.Metric.Kind;
import io.inferscope.analyzer.limits.Reading.Known;
import io.inferscope.analyzer.limits.Reading.Unknown;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Units;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One limit against one report, or against a comparison.
 *
 * @param limit the limit
 * @param before the report that is compared with, null for none
 * @param after the report whose figures are meant
 * @param comparison of the two, null for none
 */
record LimitCheck(
        Limit limit,
        @Nullable Report before,
        Report after,
        @Nullable Comparison comparison) {
    /** What a check comes to. */
    record Result(boolean crossed, boolean unknown, String because) {
        static Result unknown(String because) {
            return new Result(true, true, because);
        }
    }

    Result result() {
        return switch (limit.metric().kind()) {
            case WORD -> word();
            case GROWTH -> regression();
            case SHARE, TIME, COUNT -> limit.growth() ? growth() : figure();
        };
    }

    private Result word() {
        boolean ofVerdict = limit.metric().name().equals(Metric.VERDICT);
        if (ofVerdict && limit.word().equals(Bound.WITHHELD.id())) {
            return compared(
                    after.verdict().bound() == Bound.WITHHELD ? 0 : 1,
                    after.verdict().claim());
        }
        if (after.verdict().bound() == Bound.WITHHELD
                && (ofVerdict || Metric.distrust(after).isPresent())) {
            return Result.unknown("the verdict is withheld: " + after.verdict().claim());
        }
        if (ofVerdict) {
            Bound bound = after.verdict().bound();
            return compared(bound.id().equals(limit.word()) ? 0 : 1, "it is " + bound.id());
        }
        return limit.metric().name().equals(Metric.SEVERITY) ? severity() : finding();
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

    private Result figure() {
        Reading reading = read(after);
        if (reading instanceof Unknown unknown) {
            return Result.unknown(unknown.because());
        }
        double value = ((Known) reading).value();
        Ledger ledger = ledger(after).orElseThrow();
        boolean share = limit.metric().kind() == Kind.SHARE;
        double compared = share && limit.relative() ? ledger.share((long) value) : value;
        String of = share ? " of the " + ledger.part() + " of " + ledger.subject() : "";
        return compared(
                Double.compare(compared, limit.value()),
                limit.metric().name() + " is " + written(compared, share && limit.relative()) + of);
    }

    private String written(double value, boolean ratio) {
        return ratio
                ? Units.percent(value)
                : limit.metric().kind() == Kind.COUNT ? Units.count((long) value) : Units.duration(Math.round(value));
    }

    /** Shares grow by percentage points, times by a percentage of what they were. */
    private Result growth() {
        if (before == null) {
            return Result.unknown("one recording is compared with nothing: use inferscope diff");
        }
        Reading one = read(before);
        Reading other = read(after);
        if (one instanceof Unknown unknown) {
            return Result.unknown("before: " + unknown.because());
        }
        if (other instanceof Unknown unknown) {
            return Result.unknown("after: " + unknown.because());
        }
        boolean share = limit.metric().kind() == Kind.SHARE;
        double a = ((Known) one).value();
        double b = ((Known) other).value();
        if (!share && a == 0) {
            return Result.unknown("it took no time before");
        }
        double grown = share
                ? ledger(after).orElseThrow().share((long) b)
                        - ledger(before).orElseThrow().share((long) a)
                : b / a - 1;
        return compared(
                Double.compare(grown, limit.value()),
                limit.metric().name() + " changed by " + (grown > 0 ? "+" : "") + Units.percent(grown)
                        + (share ? " points" : ""));
    }

    private Result regression() {
        if (comparison == null) {
            return Result.unknown("one recording is compared with nothing: use inferscope diff");
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

    /** Where device work is missing, hardly a figure means what its name says. */
    private Reading read(Report report) {
        boolean trusted =
                limit.metric().kind() == Kind.COUNT || limit.metric().name().equals("wall");
        Optional<String> distrust = trusted ? Optional.empty() : Metric.distrust(report);
        if (distrust.isPresent()) {
            return new Unknown("the verdict is withheld: " + distrust.get());
        }
        return ledger(report)
                .map(ledger -> limit.metric().reader().read(report, ledger))
                .orElse(new Unknown("there is no " + limit.part()));
    }

    /** Returns the ledger that the limit is about. */
    private Optional<Ledger> ledger(Report report) {
        return report.ledgers().stream()
                .filter(ledger -> limit.part().isEmpty()
                        || (ledger.part().equals(limit.part())
                                && ledger.subject().equals(report.judged().subject())))
                .findFirst();
    }

    private Result compared(int result, String because) {
        return new Result(limit.operator().holds(result), false, because);
    }
}
