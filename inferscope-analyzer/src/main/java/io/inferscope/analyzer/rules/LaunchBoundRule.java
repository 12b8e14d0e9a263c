package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.BlockingLaunches;
import io.inferscope.analyzer.launch.EmptiedQueue;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.launch.LaunchCosts;
import io.inferscope.analyzer.launch.TracerTime;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.RowKind;
import java.util.Arrays;
import java.util.List;

/** Reports that the GPU waits for the host to dispatch and launch. */
final class LaunchBoundRule extends Rule {
    static final List<LedgerClass> LAUNCHING =
            Arrays.stream(LedgerClass.values()).filter(LedgerClass::isLaunching).toList();

    /** Its Python, and what it does to call operators. */
    private static final List<LedgerClass> OWN_CODE =
            List.of(LedgerClass.FRAMEWORK_PYTHON, LedgerClass.FRAMEWORK_DISPATCH);

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = analysis.ledger();
        DeviceActivity device = analysis.headline().orElseThrow();
        long launchingNs = LAUNCHING.stream().mapToLong(ledger::ns).sum();
        LaunchCosts costs = LaunchCosts.of(analysis);
        if (costs.kernels() + costs.replayed() == 0) {
            return Verdict.clean("no kernel is recorded");
        }
        if (ledger.share(launchingNs) < leastShare(analysis)) {
            return Verdict.clean("the framework's dispatching and launching take " + ledger.shareOfPart(launchingNs));
        }
        HostCalls replays =
                CallsRule.apiCalls(analysis, row -> analysis.timeline().kind(row) == RowKind.GRAPH_LAUNCH);
        long replayNs = Math.min(replays.totalNs(analysis.idle()), ledger.ns(LedgerClass.FRAMEWORK_LAUNCH));
        if (2 * replayNs > launchingNs && ledger.share(replayNs) >= leastShare(analysis)) {
            return Verdict.found(inGraphLaunches(analysis, ledger, replays, replayNs));
        }
        long afterWaitsNs = EmptiedQueue.of(analysis).ns(LAUNCHING);
        long costNs = launchingNs - afterWaitsNs - replayNs;
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(Units.duration(afterWaitsNs) + " of the " + Units.duration(launchingNs)
                    + " of dispatching and launching follow waits for the GPU: see blocking-sync"
                    + (replayNs > 0 ? "; " + Units.duration(replayNs) + " are inside graph launches" : ""));
        }
        long blockingNs = BlockingLaunches.of(analysis).idleNs(LAUNCHING);
        costNs -= Math.min(costNs, blockingNs);
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(Units.duration(blockingNs) + " of the " + Units.duration(launchingNs)
                    + " of dispatching and launching are there because launches wait: see blocking-launches");
        }
        long slowNs = costs.slow().totalNs(analysis.idle());
        if (2 * slowNs > costNs && blockingNs == 0) {
            return Verdict.clean(Units.duration(slowNs) + " of the " + Units.duration(costNs)
                    + " of dispatching and launching are in a few slow calls: see slow-launch-calls");
        }
        List<LedgerClass> between = costs.kernels() == 0 ? OWN_CODE : OWN_CODE.subList(0, 1);
        long betweenNs = HostShare.ns(ledger, between);
        if (costs.mostAreReplayed() && 2 * betweenNs > costNs) {
            return Verdict.found(betweenReplays(analysis, ledger, between, betweenNs));
        }
        LaunchFigures launches = Tables.of(analysis).rows(Report.LAUNCHES).stream()
                .filter(l -> l.device().equals(device.id()))
                .findFirst()
                .orElseThrow();
        FindingBuilder finding = finding(ledger, costNs)
                .measure("kernels", Units.count(costs.kernels()))
                .measure("mean", Units.duration(costs.meanKernelNs()))
                .claim(costs.meanKernelNs() > limit(analysis, "kernel-ns") ? "launch-bound.mix" : "launch-bound")
                .judgedPlaces(analysis, 3, b -> LAUNCHING.contains(b.cause()))
                .quantity("kernels", costs.kernels(), "count")
                .quantity("mean kernel time", costs.meanKernelNs(), "ns");
        Long latencyNs = launches.medianLatencyNs();
        if (latencyNs != null) {
            finding.quantity("median launch latency", latencyNs, "ns");
        }
        finding.quantity("kernels replayed by graphs", launches.graphReplayed(), "count")
                .advice(analysis)
                .captures(analysis, LAUNCHING);
        return Verdict.found(replayNs == 0 ? finding : finding.gainAtMost(costNs));
    }

    /** Graphs launch nearly all kernels: what the framework does between them is its own work, and launches nothing. */
    private FindingBuilder betweenReplays(Analysis analysis, Ledger ledger, List<LedgerClass> between, long costNs) {
        LaunchCosts costs = LaunchCosts.of(analysis);
        return finding(ledger, costNs)
                .measure("replayed", Units.count(costs.replayed()))
                .measure("kernels", Units.count(costs.kernels()))
                .claim("launch-bound.between-replays")
                .judgedPlaces(analysis, 3, b -> between.contains(b.cause()))
                .quantity("kernels replayed by graphs", costs.replayed(), "count")
                .quantity("kernels launched one by one", costs.kernels(), "count")
                .advice("launch-bound.between-replays", analysis)
                .saves(analysis, between, "the framework's own code takes no time");
    }

    /** What CUPTI adds to a graph launch for each node that it records, about: 1 to 2 us in public reports. */
    private FindingBuilder inGraphLaunches(Analysis analysis, Ledger ledger, HostCalls replays, long costNs) {
        long callsNs = replays.times().totalNs();
        long nodes = LaunchCosts.of(analysis).replayed();
        boolean mostly = 2 * nodes * analysis.threshold(TracerTime.PER_NODE) >= callsNs;
        return finding(ledger, costNs)
                .measure("calls", Units.count(replays.count()))
                .measure("each", Units.duration(callsNs / replays.count()))
                .measure("nodes", Units.count(nodes / replays.count()))
                .measure("per node", Units.duration(callsNs / Math.max(1, nodes)))
                .measure("traced", mostly ? "most" : "a part")
                .claim("launch-bound.graphs")
                .judgedPlaces(analysis, 3, b -> b.cause() == LedgerClass.FRAMEWORK_LAUNCH)
                .quantity("graph launches", replays.count(), "count")
                .quantity("kernels replayed by graphs", nodes, "count")
                .quantity(
                        "kernels launched one by one", LaunchCosts.of(analysis).kernels(), "count")
                .advice("launch-bound.graphs", analysis)
                .noGain("what the launches cost without the tracer is not in the recording");
    }
}
