package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.launch.EmptiedQueue;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Timeline;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reports idle time in which the host returns from waiting for the device and launches again. Basis and threshold:
 * docs/rules/blocking-sync.md.
 */
final class BlockingSyncRule extends Rule {
    private static final Threshold SHARE = Threshold.share("blocking-sync", 0.05);

    private static final List<LedgerClass> CAUSES = Stream.concat(
                    Stream.of(LedgerClass.FRAMEWORK_SYNC_RETURN), LaunchBoundRule.LAUNCHING.stream())
            .toList();

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
        HostCalls calls = CallsRule.apiCalls(analysis, analysis::isSynchronising);
        long returnNs = ledger.ns(LedgerClass.FRAMEWORK_SYNC_RETURN);
        long launchingNs = calls.count() == 0 ? 0 : EmptiedQueue.of(analysis).ns(LaunchBoundRule.LAUNCHING);
        long costNs = returnNs + launchingNs;
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean(calls.count() + " synchronising calls; the GPU is idle under and after them for "
                    + ledger.shareOfPart(costNs));
        }
        Stretch part = analysis.judged().stretch();
        int longest = calls.longest();
        FindingBuilder finding = finding(ledger, costNs)
                .measure("calls", Units.count(calls.count()))
                .claim(
                        "In {calls} calls the host waits until the GPU has no work left; while it returns and launches again, the GPU is idle for {cost} ({share} of its {part}).")
                .quantity("synchronising calls", calls.count(), "count")
                .quantity(
                        "time inside them",
                        calls.times().clip(part.startNs(), part.endNs()).totalNs(),
                        "ns")
                .quantity("idle time in which it launches again", launchingNs, "ns");
        if (longest >= 0) {
            finding.longest(analysis, longest, timeline.durationNs(longest));
        }
        finding.judgedPlaces(analysis, 3, b -> b.cause() == LedgerClass.FRAMEWORK_SYNC_RETURN)
                .advice(Advice.against(LedgerClass.FRAMEWORK_SYNC_RETURN, analysis));
        // A replay without the calls says nothing where the next launch needs their result.
        return Verdict.found(
                launchingNs > returnNs
                        ? finding.causes(CAUSES)
                                .noGain(
                                        "how much of the launching a filled queue hides depends on when the host needs the results")
                        : finding.saves(analysis, List.of(LedgerClass.FRAMEWORK_SYNC_RETURN), "the host never waits"));
    }
}
