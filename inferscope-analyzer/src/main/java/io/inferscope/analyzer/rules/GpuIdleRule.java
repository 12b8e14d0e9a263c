package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Order;

/** Reports how long the GPU is idle inside its span, and what it waits for. */
final class GpuIdleRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = analysis.ledger();
        DeviceActivity device = analysis.headline().orElseThrow();
        Stretch judged = analysis.judged().stretch();
        long idleNs = ledger.durationNs() - device.busy().totalWithinNs(judged.startNs(), judged.endNs());
        if (ledger.share(idleNs) < leastShare(analysis)) {
            return Verdict.clean("idle for " + Units.percent(ledger.share(idleNs)) + " of its " + ledger.partName());
        }
        long knownNs = analysis.idle().totalNs(); // Without time in which operations are missing.
        Ledger.Entry cause = ledger.entries().stream()
                .map(entry -> idlePart(entry, device, judged, idleNs - knownNs))
                .max(Order.comparingLong(Ledger.Entry::ns))
                .orElseThrow();
        return Verdict.found(finding(ledger, idleNs)
                .idleTime(analysis)
                .measure("device", device.id())
                .measure("gpu", device.label())
                .measure("cause", cause.ledgerClass().label())
                .measure("part of idle", Units.percent((double) cause.ns() / Math.max(1, knownNs)))
                .measure("what", knownNs < idleNs ? "what no missing operation may have filled" : "that")
                .claim("gpu-idle", LateRankRule.isAwaited(analysis, device) ? "gpu-idle.late-rank" : "")
                .judgedPlaces(analysis, 3, b -> b.device().equals(device.id()))
                .gaps(analysis, 3, analysis::isJudged)
                .quantity(
                        "idle gaps",
                        device.busy()
                                .complementWithin(judged.startNs(), judged.endNs())
                                .count(),
                        "count")
                .advice(Advice.against(cause.ledgerClass(), analysis))
                .noGainByItself("several causes add up to it; the findings about each say what removing it saves"));
    }

    /** Returns the part of a class in which the device is idle: of a copy, the time in which its call stages it. */
    private static Ledger.Entry idlePart(Ledger.Entry entry, DeviceActivity device, Stretch judged, long missingNs) {
        long busyNs = entry.ledgerClass() == LedgerClass.UNATTRIBUTED
                ? missingNs
                : device.exposed(entry.ledgerClass()).totalWithinNs(judged.startNs(), judged.endNs());
        return new Ledger.Entry(entry.ledgerClass(), entry.ns() - busyNs, entry.estimated(), entry.boundNs());
    }
}
