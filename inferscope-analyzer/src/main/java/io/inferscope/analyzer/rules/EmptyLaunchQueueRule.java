package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.LaunchCosts;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;

/** Reports that no kernel ever queued: the host limits the speed. */
final class EmptyLaunchQueueRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        LaunchCosts costs = LaunchCosts.of(analysis);
        if (costs.kernels() < limit(analysis, "kernels")) {
            return new Verdict.NotApplicable("too few kernels are launched one by one to judge the queue");
        }
        if (costs.mostAreReplayed()) {
            return Verdict.clean("most kernels are nodes of graphs, which queue by themselves");
        }
        double atFloor = (double) costs.atFloor() / costs.kernels();
        Ledger ledger = analysis.ledger();
        DeviceActivity device = analysis.headline().orElseThrow();
        Stretch part = analysis.judged().stretch();
        long idleNs = part.durationNs() - device.busy().totalWithinNs(part.startNs(), part.endNs());
        if (atFloor < limit(analysis, "share")) {
            return Verdict.clean(Units.percent(1 - atFloor) + " of the kernels queue before they start");
        }
        if (ledger.share(idleNs) < limit(analysis, "idle")) {
            return Verdict.clean("no kernel queues, but the GPU is busy");
        }
        String explained = BlockingLaunchesRule.explains(analysis);
        if (!explained.isEmpty()) {
            return Verdict.clean(explained);
        }
        return Verdict.found(finding(ledger, idleNs)
                .idleTime(analysis)
                .severity(Severity.INFO)
                .measure("kernels", Units.count(costs.kernels()))
                .measure("part of them", Units.percent(atFloor))
                .measure("least", Units.duration(costs.leastLatencyNs()))
                .measure("total", Units.duration(costs.latencyNs()))
                .quantity("kernels launched one by one", costs.kernels(), "count")
                .quantity("of them at the least launch latency", costs.atFloor(), "count")
                .quantity("total kernel launch and queue time", costs.latencyNs(), "ns")
                .advice(analysis)
                .noGainByItself("this finding says that the host sets the pace; others say what the host does"));
    }
}
