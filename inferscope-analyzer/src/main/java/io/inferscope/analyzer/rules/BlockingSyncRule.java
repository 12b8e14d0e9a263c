package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Timeline;
import java.util.List;

/**
 * Reports idle time in which the host returns from waiting for the device. Basis and threshold:
 * docs/rules/blocking-sync.md.
 */
final class BlockingSyncRule extends Rule {
    private static final Threshold SHARE = Threshold.share("blocking-sync", 0.05);

    BlockingSyncRule() {
        super(new RuleInfo(
                        "blocking-sync",
                        "The GPU runs dry because the host waits for it",
                        Needs.DEVICE_WORK,
                        Needs.LAUNCHES)
                .limits(SHARE));
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Ledger ledger = analysis.ledger();
        long costNs = ledger.ns(LedgerClass.FRAMEWORK_SYNC_RETURN);
        Stretch span = analysis.judged().stretch();
        long calls = 0;
        long waitedNs = 0;
        int longest = -1;
        for (int row : analysis.apiCalls()) {
            long insideNs =
                    Math.min(timeline.endNs(row), span.endNs()) - Math.max(timeline.startNs(row), span.startNs());
            if (insideNs > 0 && analysis.isSynchronising(row)) {
                calls++;
                waitedNs += insideNs;
                longest = longest < 0 || timeline.durationNs(row) > timeline.durationNs(longest) ? row : longest;
            }
        }
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean(
                    calls + " synchronising calls; the GPU is idle under them for " + ledger.shareOfPart(costNs));
        }
        FindingBuilder finding = finding(ledger, costNs)
                .measure("calls", Long.toString(calls))
                .claim(
                        "The host waits for the GPU in {calls} synchronising calls; while it comes back, the GPU has nothing to do for {cost} ({share} of its {part}).")
                .quantity("synchronising calls", calls, "count")
                .quantity("time inside them", waitedNs, "ns");
        if (longest >= 0) {
            finding.longest(analysis, longest, timeline.durationNs(longest));
        }
        return Verdict.found(finding.judgedPlaces(analysis, 3, b -> b.cause() == LedgerClass.FRAMEWORK_SYNC_RETURN)
                .advice(Advice.against(LedgerClass.FRAMEWORK_SYNC_RETURN, analysis))
                .saves(analysis, List.of(LedgerClass.FRAMEWORK_SYNC_RETURN), "the host never waits"));
    }
}
