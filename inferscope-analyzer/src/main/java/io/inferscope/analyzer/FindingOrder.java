package io.inferscope.analyzer;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.rules.RuleInfo;
import io.inferscope.analyzer.rules.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The order in which a report lists its findings. */
final class FindingOrder {
    /** Parts whose durations differ by less are the same, but for their ends. */
    private static final double SAME_PART = 0.1;

    private FindingOrder() {}

    /**
     * Sorts findings: a standstill first, then the most severe, then largest saving. Savings are compared in time or,
     * if the steady state is judged, as shares of each finding's part, because the cost of a start says little about
     * serving; notes on the judged part come before others. A finding without a gain may save its cost, half of it if what helps leaves an unknown
     * part, and nothing if it is a sum of other findings: then it comes after them. Among notes, details of another finding come last, because they report the same loss again. A sum that
     * another finding mostly explains comes right after it, although it may be more severe: the other one says what to
     * change. A place outside of the judged part that took longer than that whole part comes before all but a
     * standstill: the user waited most for it.
     *
     * @param judged the ledger of the judged part
     * @param byShare whether savings are compared as shares
     */
    static List<Finding> sorted(Map<RuleInfo, Verdict> verdicts, Ledger judged, boolean byShare) {
        Map<String, Verdict.Found> found = new LinkedHashMap<>();
        verdicts.forEach((info, verdict) -> {
            if (verdict instanceof Verdict.Found loss) {
                found.put(info.id(), loss);
            }
        });
        Set<String> details = verdicts.keySet().stream()
                .filter(info -> !Collections.disjoint(info.refines(), found.keySet()))
                .map(RuleInfo::id)
                .collect(Collectors.toSet());
        ToDoubleFunction<Verdict.Found> cost =
                one -> byShare ? one.finding().share() : one.finding().costNs();
        List<Verdict.Found> sorted = found.values().stream()
                .flatMap(one -> one.each().stream())
                .sorted((a, b) -> {
                    int order = Boolean.compare(isHang(b), isHang(a));
                    order = order != 0 ? order : Boolean.compare(isLongest(b, judged), isLongest(a, judged));
                    order = order != 0
                            ? order
                            : a.finding().severity().compareTo(b.finding().severity());
                    order = order != 0 ? order : Boolean.compare(isDetail(a, details), isDetail(b, details));
                    order = order != 0 || !byShare ? order : Boolean.compare(isBeside(a, judged), isBeside(b, judged));
                    order = order != 0
                            ? order
                            : Double.compare(
                                    cost.applyAsDouble(b) * b.savedOfCost(), cost.applyAsDouble(a) * a.savedOfCost());
                    order = order != 0 ? order : Double.compare(cost.applyAsDouble(b), cost.applyAsDouble(a));
                    return order != 0
                            ? order
                            : a.finding().rule().compareTo(b.finding().rule());
                })
                .toList();
        return withSumsBehindTheirCauses(sorted, verdicts.keySet()).stream()
                .map(Verdict.Found::finding)
                .toList();
    }

    private static List<Verdict.Found> withSumsBehindTheirCauses(List<Verdict.Found> sorted, Set<RuleInfo> rules) {
        Map<String, RuleInfo> byId = new HashMap<>();
        for (RuleInfo info : rules) {
            byId.put(info.id(), info);
        }
        List<Verdict.Found> order = new ArrayList<>(sorted);
        for (Verdict.Found sum : sorted) {
            RuleInfo info = byId.get(sum.finding().rule());
            if (info != null && sum.savedOfCost() == 0) {
                int at = position(order, info.id());
                int last = order.size() - 1;
                while (last > at && !explains(order.get(last), byId, sum, info)) {
                    last--;
                }
                order.add(last, order.remove(at));
            }
        }
        return order;
    }

    /** By rule, of which a sum has one finding: a record's own comparison is linked at its first call, which is slow. */
    private static int position(List<Verdict.Found> order, String rule) {
        int at = 0;
        while (!order.get(at).finding().rule().equals(rule)) {
            at++;
        }
        return at;
    }

    /** Returns whether a finding explains at least half of what a sum reports, and is no note. */
    private static boolean explains(Verdict.Found cause, Map<String, RuleInfo> byId, Verdict.Found sum, RuleInfo info) {
        RuleInfo other = byId.get(cause.finding().rule());
        return other != null
                && info.repeats(other)
                && cause.savedOfCost() > 0
                && cause.finding().severity() != Severity.INFO
                && isOfSamePart(cause.finding(), sum.finding())
                && 2 * cause.finding().costNs() >= sum.finding().costNs();
    }

    private static boolean isHang(Verdict.Found one) {
        return one.finding().rule().equals(Finding.HANG) && one.finding().severity() != Severity.INFO;
    }

    private static boolean isLongest(Verdict.Found one, Ledger judged) {
        Finding finding = one.finding();
        return finding.rule().equals(Finding.PLACE)
                && !finding.of().equals(judged.what())
                && finding.costNs() > judged.durationNs();
    }

    private static boolean isDetail(Verdict.Found one, Set<String> details) {
        return one.finding().severity() == Severity.INFO
                && details.contains(one.finding().rule());
    }

    /** Returns whether a note is about more than the judged part, such as on the start. */
    private static boolean isBeside(Verdict.Found one, Ledger judged) {
        return one.finding().severity() == Severity.INFO && !one.finding().of().equals(judged.what());
    }

    /** A cause of the host is often of the window, and idle time of the device's span, which is nearly all of it. */
    private static boolean isOfSamePart(Finding one, Finding other) {
        double part = one.costNs() / one.share();
        double otherPart = other.costNs() / other.share();
        return one.of().equals(other.of()) || Math.abs(part - otherPart) <= SAME_PART * Math.max(part, otherPart);
    }
}
