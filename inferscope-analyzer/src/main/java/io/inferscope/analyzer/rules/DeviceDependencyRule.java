package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ApiCalls;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Timeline;
import java.util.List;
import java.util.Set;

/** Reports idle time in which the next operation was launched already. Basis and threshold: docs/rules/device-dependency.md. */
final class DeviceDependencyRule implements Rule {
    private static final Threshold SHARE = Threshold.share("device-dependency", 0.05);

    @Override
    public RuleInfo info() {
        return new RuleInfo(
                        "device-dependency",
                        "The GPU is idle although work is launched",
                        Set.of(Needs.DEVICE_WORK, Needs.LAUNCHES))
                .limits(SHARE);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = analysis.ledger();
        long costNs = ledger.ns(LedgerClass.GPU_DEPENDENCY);
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean("the GPU waits for itself for " + Units.percent(ledger.share(costNs)) + " of the "
                    + ledger.partName());
        }
        DeviceActivity device = analysis.headline().orElseThrow();
        long replayed = 0;
        for (int i = 0; i < device.operationCount(); i++) {
            replayed += device.isReplayedLater(i) ? 1 : 0;
        }
        long waits = eventWaits(analysis);
        boolean graphs = 2 * replayed > device.operationCount();
        return Verdict.found(FindingBuilder.of("device-dependency", ledger, costNs)
                .measure("waits", Units.count(waits))
                .measure("replayed", Units.count(replayed))
                .claim(
                        "The GPU is idle for {cost}, {share} of its {part}, although the next operation is launched: it waits for an event, "
                                + "another stream or the hardware queue ({waits} event waits, {replayed} operations inside graph replays).")
                .judgedPlaces(analysis, 3, b -> b.cause() == LedgerClass.GPU_DEPENDENCY)
                .evidence(new Evidence.Quantity("event waits called", waits, "count"))
                .evidence(new Evidence.Quantity("operations inside graph replays", replayed, "count"))
                .advice(
                        graphs
                                ? "Most operations are nodes of replayed graphs, which start some microseconds after one another: fewer and larger nodes (fused kernels) help, "
                                        + "more streams in the captured part do not."
                                : waits > 0
                                        ? "Look at the event waits: `stream.wait_stream()` and `wait_event()` on work that is not needed yet, or copies on another stream that the kernels wait for."
                                        : Advice.against(LedgerClass.GPU_DEPENDENCY, analysis))
                .saves(analysis, List.of(LedgerClass.GPU_DEPENDENCY), "nothing on the device waits for anything"));
    }

    private static long eventWaits(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        long waits = 0;
        for (int row : analysis.apiCalls()) {
            waits += ApiCalls.isStreamWait(timeline.name(row)) ? 1 : 0;
        }
        return waits;
    }
}
