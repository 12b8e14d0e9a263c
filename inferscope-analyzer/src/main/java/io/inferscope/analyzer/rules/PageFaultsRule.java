package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.LedgerClass;

/** Reports time in page faults. Basis and threshold: docs/rules/page-faults.md. */
final class PageFaultsRule extends WaitRule {
    PageFaultsRule() {
        super(
                info("page-faults", "The program waits for pages of memory"),
                "Page faults take {cost} of the critical thread, {share} of the {part}.",
                LedgerClass.WAIT_PAGE_FAULT,
                0.05,
                LedgerClass.KERNEL_PAGE_FAULT);
    }
}
