package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.AdviceTable.Figure;

/** Reports programs delayed by returning results. Basis and threshold: docs/rules/output-bound.md. */
final class OutputBoundRule extends HostClassesRule {
    OutputBoundRule() {
        super(
                info("output-bound", "Returning results holds the program up")
                        .refining("preprocessing-dominates", "exposed-d2h")
                        .repeating("preprocessing-dominates", "exposed-d2h"),
                0.05,
                "detokenising, serialising and copying results take",
                LedgerClass.CPU_SERIALIZATION,
                LedgerClass.COPY_D2H);
    }

    @Override
    FindingBuilder found(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        long writtenNs = ledger.ns(LedgerClass.CPU_SERIALIZATION);
        long copiedNs = ledger.ns(LedgerClass.COPY_D2H);
        finding.measure("serialisation", Units.duration(writtenNs))
                .measure("copies", Units.duration(copiedNs))
                .claim(
                        "Results hold the program up for {cost}, {share} of the {part}: {serialisation} in detokenising and serialising, {copies} in copies to the host that nothing hides.")
                .quantity("detokenising and serialising", writtenNs, "ns")
                .quantity("copies to the host", copiedNs, "ns");
        return HostShare.places(finding, analysis, classes)
                .causes(classes.stream().filter(one -> ledger.ns(one) > 0).toList())
                .figure(Figure.COPIED_RATIO, (double) copiedNs / Math.max(1, writtenNs + copiedNs))
                .adviceAgainst(LedgerClass.CPU_SERIALIZATION, analysis)
                .saves(analysis, classes, "results leave while the next ones are computed");
    }
}
