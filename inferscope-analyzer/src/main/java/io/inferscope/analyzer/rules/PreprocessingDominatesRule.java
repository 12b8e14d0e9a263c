package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;

/**
 * Reports tokenization, preprocessing and serialisation that delay the program. Basis and threshold:
 * docs/rules/preprocessing-dominates.md.
 */
final class PreprocessingDominatesRule extends HostClassesRule {
    /** The part of one class from which the others are not worth a word. */
    private static final double ALL = 0.99;

    PreprocessingDominatesRule() {
        super(
                info("preprocessing-dominates", "The program waits for tokenization, preprocessing or serialisation")
                        .refining("outside-span")
                        .repeating("small-files"),
                0.15,
                "preparing inputs and results takes",
                LedgerClass.CPU_TOKENIZATION,
                LedgerClass.CPU_PREPROCESSING,
                LedgerClass.CPU_SERIALIZATION);
    }

    @Override
    FindingBuilder found(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        LedgerClass largest = largest(ledger);
        double part = (double) ledger.ns(largest) / HostShare.ns(ledger, classes);
        finding.measure("largest", largest.label())
                .measure("its part", Units.percent(part))
                .claim(
                        part >= ALL
                                ? Units.capitalised(largest.label()) + " takes {cost}, {share} of the {part}."
                                : "Preparing inputs and results takes {cost}, {share} of the {part}; {its part} of that is {largest}.");
        return HostShare.places(finding, analysis, classes)
                .advice(Advice.against(largest, analysis))
                .saves(analysis, classes, "it happens while the previous batch computes");
    }
}
