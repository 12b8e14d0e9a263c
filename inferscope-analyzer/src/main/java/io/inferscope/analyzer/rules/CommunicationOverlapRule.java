package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.collectives.Collectives;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Intervals;

/** Reports communication that overlaps too little with compute. */
final class CommunicationOverlapRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        DeviceActivity device = analysis.headline().orElseThrow();
        Intervals communication =
                device.times(device::isCommunication, analysis.judged().stretch());
        if (communication.isEmpty()) {
            return new Verdict.NotApplicable("no communication kernel is recorded");
        }
        Ledger ledger = analysis.ledger();
        long allNs = communication.totalNs();
        long hiddenNs = communication.intersect(device.compute()).totalNs();
        double overlap = (double) hiddenNs / allNs;
        if (ledger.share(allNs) < limit(analysis, "share")) {
            return Verdict.clean("communication takes " + ledger.shareOfPart(allNs));
        }
        if (overlap >= limit(analysis, "hidden")) {
            return Verdict.clean(Units.percent(overlap) + " of the communication is hidden under compute");
        }
        if (Collectives.of(analysis).isMostlyWaiting(device)) {
            return Verdict.clean("most of it is waiting for the last GPU to arrive: see late-rank");
        }
        return Verdict.found(finding(ledger, allNs - hiddenNs)
                .measure("all", Units.duration(allNs))
                .measure("overlap", Units.percent(overlap))
                .quantity("communication", allNs, "ns")
                .quantity("hidden under compute", hiddenNs, "ns")
                .advice(analysis)
                .hides(analysis, LedgerClass.GPU_COMMUNICATION));
    }
}
