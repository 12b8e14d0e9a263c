package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.collectives.Collectives;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.Advice.Figure;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;

/** Reports communication kernels under no compute. */
final class CommunicationExposedRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = analysis.ledger();
        long costNs = ledger.ns(LedgerClass.GPU_COMMUNICATION);
        String device = analysis.headline().orElseThrow().id();
        List<KernelFigures> kernels = Tables.of(analysis).rows(Report.KERNELS).stream()
                .filter(k -> k.communication() && k.device().equals(device))
                .toList();
        if (costNs == 0 && kernels.isEmpty()) {
            return new Verdict.NotApplicable("no communication kernel is recorded");
        }
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(
                    "communication under no compute takes " + Units.percent(ledger.share(costNs)) + " of the span");
        }
        if (Collectives.of(analysis).isMostlyWaiting(analysis.headline().orElseThrow())) {
            return Verdict.clean("most of it is waiting for the last GPU to arrive: see late-rank");
        }
        long serialNs = onComputingStreamsNs(analysis);
        FindingBuilder finding = finding(ledger, costNs)
                .measure("serial", Units.percent((double) serialNs / costNs))
                .claim(
                        "communication-exposed",
                        ledger.share(serialNs) < leastShare(analysis) ? "" : "communication-exposed.serial",
                        gathersWeights(analysis, kernels) ? "communication-exposed.weights" : "");
        kernels.stream().limit(3).forEach(finding::kernel);
        if (serialNs > 0) {
            finding.quantity("on a stream that computes, too", serialNs, "ns");
        }
        return Verdict.found(finding.figure(Figure.SERIAL_RATIO, (double) serialNs / costNs)
                .figure(Figure.AWAITED_RATIO, awaited(analysis, kernels))
                .adviceAgainst(LedgerClass.GPU_COMMUNICATION, analysis)
                .hides(analysis, LedgerClass.GPU_COMMUNICATION));
    }

    /** Where nothing is trained, an all-reduce adds up parts of a layer's result, which the next layer needs. */
    private static double awaited(Analysis analysis, List<KernelFigures> communication) {
        if (RecordingProperty.TRAINING.holds(analysis)) {
            return 0;
        }
        return (double) ns(communication, NameRole.REDUCES::in) / Math.max(1, ns(communication, name -> true));
    }

    private static boolean gathersWeights(Analysis analysis, List<KernelFigures> communication) {
        return RecordingProperty.FSDP.holds(analysis)
                && 2 * ns(communication, NameRole.GATHERS::in) > ns(communication, name -> true);
    }

    private static long ns(List<KernelFigures> kernels, Predicate<String> names) {
        return kernels.stream()
                .filter(kernel -> names.test(kernel.name()))
                .mapToLong(KernelFigures::totalNs)
                .sum();
    }

    /** Returns the exposed communication time in the judged part on streams that also run other kernels. */
    private static long onComputingStreamsNs(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        BitSet computing = new BitSet();
        device.rows()
                .filter(row -> timeline.kind(row) == RowKind.KERNEL && !device.isCommunication(row))
                .forEach(row -> computing.set(timeline.track(row)));
        return device.times(
                        row -> device.isCommunication(row) && computing.get(timeline.track(row)),
                        analysis.judged().stretch())
                .intersect(device.exposed(LedgerClass.GPU_COMMUNICATION))
                .totalNs();
    }
}
