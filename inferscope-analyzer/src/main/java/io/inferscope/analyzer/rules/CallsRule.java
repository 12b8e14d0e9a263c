package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Timeline;
import java.util.function.IntPredicate;

/**
 * Base of the rules about host calls of one kind. Their cost is the time during the calls in which the device is idle.
 */
abstract class CallsRule extends Rule {
    private final Threshold share;
    private final String what;
    private final String claim;
    private final Threshold[] others;

    /**
     * Makes a rule that reports a cost of {@code leastShare} or more of the judged time, and has other thresholds.
     *
     * @param what a short description of the calls; {@code {limit}} is the first of the other thresholds, a time
     * @param claim {@code {count}}, {@code {what}}, {@code {cost}}, {@code {share}} and {@code {part}} are filled in
     */
    CallsRule(RuleInfo info, double leastShare, String what, String claim, Threshold... others) {
        super(info.limits(others).limits(Threshold.share(info.id(), leastShare)));
        this.what = what;
        this.claim = claim;
        this.others = others;
        this.share = Threshold.share(info.id(), leastShare);
    }

    static RuleInfo info(String id, String title) {
        return new RuleInfo(id, title, Needs.DEVICE_WORK, Needs.LAUNCHES);
    }

    abstract HostCalls calls(Analysis analysis);

    /** Returns a short description of the calls. */
    String what(Analysis analysis) {
        return what.contains("{limit}")
                ? what.replace("{limit}", Units.duration((long) analysis.threshold(others[0])))
                : what;
    }

    abstract String advice(Analysis analysis);

    /** Returns why these calls are no loss of their own, empty where they may be. */
    String explained(Analysis analysis) {
        return "";
    }

    /** Adds measures and evidence of this rule alone, before those of all such rules. */
    FindingBuilder measured(FindingBuilder finding, Analysis analysis, HostCalls calls) {
        return finding;
    }

    /** Claims what is saved without the calls: at least their time beyond that of the shortest. */
    FindingBuilder saving(FindingBuilder finding, Analysis analysis, HostCalls calls) {
        return finding.saves(analysis, calls, "none of them takes time");
    }

    /** Returns the API calls in the judged part that meet a condition on their row. */
    static HostCalls apiCalls(Analysis analysis, IntPredicate wanted) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judged().stretch();
        HostCalls calls = new HostCalls();
        for (int row : analysis.apiCalls()) {
            if (wanted.test(row) && timeline.startNs(row) < part.endNs() && timeline.endNs(row) > part.startNs()) {
                calls.add(row, timeline.startNs(row), timeline.endNs(row));
            }
        }
        return calls;
    }

    /**
     * Returns the launches of operations of the judged device that meet a condition on the operation's row and the
     * call's.
     */
    static HostCalls launches(Analysis analysis, BiIntPredicate wanted) {
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        HostCalls calls = new HostCalls();
        for (int i = 0; i < device.operationCount(); i++) {
            int call = device.launch(i);
            if (call >= 0 && wanted.test(device.row(i), call)) {
                calls.add(call, timeline.startNs(call), timeline.endNs(call));
            }
        }
        return calls;
    }

    /** A condition on an operation's row and that of the call that launched it. */
    interface BiIntPredicate {
        boolean test(int operation, int call);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        HostCalls calls = calls(analysis);
        Ledger ledger = analysis.ledger();
        long costNs = calls.totalNs(analysis.idle());
        if (calls.count() == 0) {
            return Verdict.clean("no " + what(analysis));
        }
        if (ledger.share(costNs) < analysis.threshold(share)) {
            return Verdict.clean(Units.count(calls.count()) + " " + what(analysis) + "; the GPU is idle for "
                    + ledger.shareOfPart(costNs) + " meanwhile");
        }
        String explained = explained(analysis);
        if (!explained.isEmpty()) {
            return Verdict.clean(explained);
        }
        FindingBuilder finding = measured(finding(ledger, costNs), analysis, calls)
                .measure("count", Units.count(calls.count()))
                .measure("what", what(analysis))
                .claim(claim)
                .longest(analysis, calls)
                .quantity(what(analysis), calls.count(), "count")
                .advice(advice(analysis));
        return Verdict.found(saving(finding, analysis, calls));
    }
}
