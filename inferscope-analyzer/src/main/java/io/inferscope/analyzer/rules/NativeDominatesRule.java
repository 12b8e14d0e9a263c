package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import java.util.List;

/** Reports code of libraries, native or Python, that delays the program. Basis and threshold: docs/rules/native-dominates.md. */
final class NativeDominatesRule extends HostClassesRule {
    /** A part of the time that is not worth a word. */
    private static final double SMALL = 0.05;

    NativeDominatesRule() {
        super(
                info("native-dominates", "The program waits for code of libraries"),
                0.20,
                "code of libraries takes",
                LedgerClass.CPU_NATIVE,
                LedgerClass.LIBRARY_PYTHON);
    }

    @Override
    FindingBuilder found(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        long pythonNs = ledger.ns(LedgerClass.LIBRARY_PYTHON);
        long nativeNs = ledger.ns(LedgerClass.CPU_NATIVE);
        double python = (double) pythonNs / (pythonNs + nativeNs);
        String what = python < SMALL ? "Native code" : python > 1 - SMALL ? "Python code" : "Code";
        String parts = what.equals("Code") ? ": {native} in native code, {python} in Python" : "";
        finding.measure("native", Units.duration(nativeNs))
                .measure("python", Units.duration(pythonNs))
                .claim(what + " of libraries takes {cost}, {share} of the {part}" + parts + ".");
        HostShare.places(finding, analysis, classes);
        HostShare.nativeFunctions(finding, analysis, List.of(LedgerClass.CPU_NATIVE));
        return finding.advice(Advice.against(largest(ledger), analysis))
                .saves(analysis, classes, "none of it is waited for");
    }
}
