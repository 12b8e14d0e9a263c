package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;

/**
 * Reports work of the operating system's kernel, other than page faults and file I/O, that delays the program. Basis
 * and threshold: docs/rules/kernel-time.md.
 */
final class KernelTimeRule extends HostClassesRule {
    KernelTimeRule() {
        super(
                info("kernel-time", "The program waits for the operating system's kernel"),
                0.10,
                "the kernel takes",
                LedgerClass.KERNEL_PROCESS,
                LedgerClass.KERNEL_MEMORY,
                LedgerClass.KERNEL_NETWORK,
                LedgerClass.KERNEL_OTHER);
    }

    @Override
    FindingBuilder found(FindingBuilder finding, Analysis analysis, Ledger ledger) {
        finding.claim(
                "The operating system's kernel works {cost} for the critical thread, {share} of the {part}, without page faults and file I/O.");
        HostShare.places(finding, analysis, classes);
        HostShare.nativeFunctions(finding, analysis, classes);
        return finding.advice(Advice.against(largest(ledger), analysis))
                .saves(analysis, classes, "none of it is waited for");
    }
}
