package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.launch.BlockingLaunches;
import io.inferscope.analyzer.launch.EmptiedQueue;
import io.inferscope.analyzer.launch.LaunchCosts;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.RowKind;
import java.util.List;

/** Reports that the GPU waits for the host to dispatch and launch. Basis and threshold: docs/rules/launch-bound.md. */
final class LaunchBoundRule extends Rule {
    private static final Threshold KERNEL_NS = new Threshold(
            "launch-bound.kernel-ns", 20_000.0, "mean kernel duration up to which the finding calls kernels too small");
    private static final Threshold SHARE = Threshold.share("launch-bound", 0.10);

    static final List<LedgerClass> LAUNCHING = List.of(
            LedgerClass.FRAMEWORK_DISPATCH,
            LedgerClass.FRAMEWORK_PYTHON,
            LedgerClass.FRAMEWORK_LAUNCH,
            LedgerClass.FRAMEWORK_LAUNCH_LATENCY);

    private static final String CLAIM = "{kernels} kernels of {mean} on average are too small for the host: "
            + "the GPU waits {cost} ({share} of its {part}) while the framework dispatches operators and launches kernels.";

    private static final String CLAIM_OF_MIX =
            "The GPU waits {cost} ({share} of its {part}) while the framework dispatches "
                    + "operators and launches kernels, although its {kernels} kernels take {mean} on average.";

    LaunchBoundRule() {
        super(new RuleInfo(
                        "launch-bound",
                        "The GPU waits for the host to launch kernels",
                        Needs.DEVICE_WORK,
                        Needs.LAUNCHES)
                .limits(KERNEL_NS, SHARE));
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = analysis.ledger();
        DeviceActivity device = analysis.headline().orElseThrow();
        long launchingNs = LAUNCHING.stream().mapToLong(ledger::exactNs).sum();
        long kernels = 0;
        long kernelNs = 0;
        for (int i = 0; i < device.operationCount(); i++) {
            if (analysis.timeline().kind(device.row(i)) == RowKind.KERNEL) {
                kernels++;
                kernelNs += analysis.timeline().durationNs(device.row(i));
            }
        }
        if (kernels == 0) {
            return Verdict.clean("no kernel is recorded");
        }
        long meanNs = kernelNs / kernels;
        if (ledger.share(launchingNs) < analysis.threshold(SHARE)) {
            return Verdict.clean("the framework's dispatching and launching take " + ledger.shareOfPart(launchingNs));
        }
        long afterWaitsNs = EmptiedQueue.of(analysis).ns(LAUNCHING);
        long costNs = launchingNs - afterWaitsNs;
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean(Units.duration(afterWaitsNs) + " of the " + Units.duration(launchingNs)
                    + " of dispatching and launching follow waits for the GPU: see blocking-sync");
        }
        long blockingNs = BlockingLaunches.of(analysis).idleNs(LAUNCHING);
        costNs -= Math.min(costNs, blockingNs);
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean(Units.duration(blockingNs) + " of the " + Units.duration(launchingNs)
                    + " of dispatching and launching are there because launches wait: see blocking-launches");
        }
        long slowNs = LaunchCosts.of(analysis).slow().totalNs(analysis.idle());
        if (2 * slowNs > costNs && blockingNs == 0) {
            return Verdict.clean(Units.duration(slowNs) + " of the " + Units.duration(costNs)
                    + " of dispatching and launching are in a few slow calls: see slow-launch-calls");
        }
        LaunchFigures launches = Tables.of(analysis).launches().stream()
                .filter(l -> l.device().equals(device.id()))
                .findFirst()
                .orElseThrow();
        FindingBuilder finding = finding(ledger, costNs)
                .measure("kernels", Units.count(kernels))
                .measure("mean", Units.duration(meanNs))
                .claim(meanNs > analysis.threshold(KERNEL_NS) ? CLAIM_OF_MIX : CLAIM)
                .judgedPlaces(analysis, 3, b -> LAUNCHING.contains(b.cause()))
                .quantity("kernels", kernels, "count")
                .quantity("mean kernel time", meanNs, "ns");
        Long latencyNs = launches.medianLatencyNs();
        if (latencyNs != null) {
            finding.quantity("median launch latency", latencyNs, "ns");
        }
        return Verdict.found(finding.quantity("kernels replayed by graphs", launches.graphReplayed(), "count")
                .advice(Advice.launchLess(analysis))
                .captures(analysis, LAUNCHING));
    }
}
