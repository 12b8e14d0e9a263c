package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.tables.Tables;
import java.util.Arrays;
import java.util.List;

/** Reports that the model computes nearly all the time: the healthy state. */
final class DeviceBoundRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = analysis.ledger();
        boolean device = !analysis.devices().isEmpty();
        if (!device && Arrays.stream(analysis.apiCalls()).anyMatch(analysis::isLaunch)) {
            return new Verdict.NotApplicable("device work was launched, and none is recorded");
        }
        LedgerClass compute = device ? LedgerClass.GPU_COMPUTE : LedgerClass.CPU_MODEL_COMPUTE;
        long computeNs = ledger.ns(compute);
        if (ledger.share(computeNs) < analysis.threshold(Thresholds.GPU_BOUND)) {
            return Verdict.clean("compute takes " + ledger.shareOfPart(computeNs));
        }
        if (2 * ledger.durationNs() < analysis.window().durationNs()) {
            return Verdict.clean("the GPU computes most of its span, but the span is less than half of the window");
        }
        FindingBuilder finding = finding(ledger, computeNs)
                .healthy()
                .causes(List.of(compute))
                .measure("who", device ? "The GPU" : "The model");
        if (!device) {
            HostShare.places(finding, analysis, List.of(LedgerClass.CPU_MODEL_COMPUTE));
            HostShare.operators(finding, analysis);
        }
        String id = analysis.headline().map(DeviceActivity::id).orElse("");
        Tables.of(analysis).rows(Report.KERNELS).stream()
                .filter(k -> k.device().equals(id) && !k.communication())
                .limit(3)
                .forEach(finding::kernel);
        return Verdict.found(finding.advice(Advice.against(compute, analysis)));
    }
}
