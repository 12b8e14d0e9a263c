package io.inferscope.report.common;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Order;
import java.util.List;

/** The scopes that a program sets itself, in the judged part. A scope may lie inside another one. */
public final class OwnScopes {
    private OwnScopes() {}

    /** Returns them, with most time first. */
    public static List<ScopeFigures> of(Report report) {
        return report.rows(Report.SCOPES).stream()
                .filter(scope -> scope.own() && scope.judgedNs() > 0)
                .sorted(Order.comparingLong(ScopeFigures::judgedNs).reversed().thenComparing(ScopeFigures::name))
                .toList();
    }

    /** Returns the share of a scope in percent: of the time of all threads that are judged. */
    public static String share(Report report, ScopeFigures scope) {
        boolean summed =
                report.rows(Report.DEVICES).isEmpty() && !report.ledgers().isEmpty();
        long wholeNs = summed
                ? report.ledgers().get(0).durationNs()
                : report.judged().stretch().durationNs();
        return Units.percent((double) scope.judgedNs() / Math.max(1, wholeNs));
    }
}
