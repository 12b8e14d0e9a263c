package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Set;

/** Reports host-to-device copies that no kernel hides. Basis and threshold: docs/rules/exposed-h2d.md. */
final class ExposedHostToDeviceRule implements Rule {
    @Override
    public RuleInfo info() {
        return new RuleInfo("exposed-h2d", "Host-to-device copies the GPU waits for", Set.of(Needs.DEVICE_WORK));
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = analysis.ledger();
        long costNs = ledger.ns(LedgerClass.COPY_H2D);
        if (ledger.share(costNs) < analysis.threshold("exposed-h2d.share")) {
            return Verdict.clean("host-to-device copies under no kernel take " + Units.percent(ledger.share(costNs))
                    + " of the span");
        }
        List<CopyFigures> copies = CopyEvidence.of(analysis, "H2D");
        long count = copies.stream().mapToLong(CopyFigures::count).sum();
        long sizeBytes =
                copies.stream().mapToLong(c -> Math.max(0, c.sizeBytes())).sum();
        return Verdict.found(FindingBuilder.of("exposed-h2d", ledger, costNs)
                .measure("count", Long.toString(count))
                .measure("size", Units.bytes(sizeBytes))
                .claim(
                        "The GPU waits {cost} ({share} of its {part}) for host-to-device copies that no kernel hides: {count} copies, {size}.")
                .evidence(CopyEvidence.longest(analysis, "H2D", null))
                .evidence(new Evidence.Quantity("host-to-device copies", count, "count"))
                .evidence(new Evidence.Quantity("bytes copied to the device", sizeBytes, "bytes"))
                .advice(
                        "Hide the copies: `pin_memory=True` and `.to(device, non_blocking=True)` on another stream while the previous batch computes; "
                                + "batch small copies into one; keep weights and caches on the device.")
                .savesAtMost(costNs, "every copy runs under a kernel"));
    }
}
