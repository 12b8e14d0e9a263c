package io.inferscope.report.console;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.OperatorFigures;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.OwnScopes;
import io.inferscope.timeline.Order;
import java.util.List;

/**
 * The operators or kernels that computed, shown if one class of the ledger has nearly all time: operators for a program
 * without device work, kernels for a recording with durations but no instants.
 */
final class ConsoleWork {
    private static final int LINES = 4;
    private static final int DURATION = 11;

    private ConsoleWork() {}

    static void write(ConsolePage page, Report report) {
        ownScopes(page, report);
        if (report.rows(Report.DEVICES).isEmpty()) {
            List<OperatorFigures> operators = report.rows(Report.OPERATORS).stream()
                    .filter(o -> o.selfNs() > 0)
                    .sorted(Order.comparingLong(OperatorFigures::selfNs)
                            .reversed()
                            .thenComparing(OperatorFigures::name))
                    .toList();
            title(page, "Operators, by their own time:", operators.size());
            operators.stream().limit(LINES).forEach(o -> line(page, o.selfNs(), o.count(), o.name()));
        } else if (report.trust().stream().anyMatch(check -> check.check().equals("instants-are-recorded"))) {
            List<KernelFigures> kernels = report.rows(Report.KERNELS);
            title(page, "Kernels and layers, by time:", kernels.size());
            kernels.stream().limit(LINES).forEach(k -> line(page, k.totalNs(), k.count(), k.name()));
        }
    }

    /** Scopes that the program sets itself, with their share of the judged part. */
    private static void ownScopes(ConsolePage page, Report report) {
        List<ScopeFigures> own = OwnScopes.of(report);
        title(page, "Own scopes, in the judged part:", own.size());
        own.stream()
                .limit(LINES)
                .forEach(scope -> line(
                        page, scope.judgedNs(), scope.count(), scope.name() + ", " + OwnScopes.share(report, scope)));
    }

    private static void title(ConsolePage page, String title, int count) {
        if (count > 0) {
            page.blank().line(count > LINES ? title.replace(":", ", " + LINES + " of " + count + ":") : title);
        }
    }

    private static void line(ConsolePage page, long ns, long count, String name) {
        String duration = Units.duration(ns);
        String lead = " ".repeat(Math.max(0, DURATION - duration.length())) + duration + "  ";
        page.fitted(ConsolePage.Tone.PLAIN, lead, name + (count > 1 ? ", " + Units.count(count) + " times" : ""));
    }
}
