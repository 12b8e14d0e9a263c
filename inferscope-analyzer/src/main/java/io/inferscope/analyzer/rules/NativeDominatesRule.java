package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;

/** Reports native code of libraries that delays the program. Basis and threshold: docs/rules/native-dominates.md. */
final class NativeDominatesRule extends HostClassesRule {
    NativeDominatesRule() {
        super(
                info("native-dominates", "The program waits for native code of libraries"),
                0.20,
                "native code of libraries takes",
                LedgerClass.CPU_NATIVE);
    }

    @Override
    FindingBuilder found(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        finding.claim("Native code of libraries takes {cost}, {share} of the {part}.");
        HostShare.places(finding, analysis, classes);
        HostShare.nativeFunctions(finding, analysis, classes);
        return finding.advice(Advice.against(LedgerClass.CPU_NATIVE, analysis))
                .saves(analysis, classes, "none of it is waited for");
    }
}
