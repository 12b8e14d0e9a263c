package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.tables.Tables;

/** Reports a program's own code that is not Python. Basis and threshold: docs/rules/code-dominates.md. */
final class CodeDominatesRule extends HostClassesRule {
    CodeDominatesRule() {
        super(
                info("code-dominates", "The program waits for code of its own that is not Python"),
                0.20,
                "the program's own code takes",
                LedgerClass.CPU_CODE);
    }

    @Override
    FindingBuilder found(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        finding.claim("The program's own code takes {cost}, {share} of the {part}.");
        Tables.of(analysis)
                .sampledOfSubject(finding.part())
                .narrowestOfHalf(LedgerClass.CPU_CODE)
                .ifPresent(place -> finding.place("with what it calls", place.function(), place.ns(), place.samples()));
        HostShare.places(finding, analysis, classes);
        return finding.advice(Advice.against(LedgerClass.CPU_CODE, analysis))
                .saves(analysis, classes, "none of it is waited for");
    }
}
