package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.LedgerClass;

/** Reports time in page faults. Basis and threshold: docs/rules/page-faults.md. */
final class PageFaultsRule extends WaitRule {
    PageFaultsRule() {
        super(
                "page-faults",
                "Pages of memory are waited for",
                LedgerClass.WAIT_PAGE_FAULT,
                0.05,
                LedgerClass.KERNEL_PAGE_FAULT);
    }

    @Override
    String claim() {
        return "Page faults take {cost} of the thread that the program waits for, {share} of the {part}.";
    }
}
