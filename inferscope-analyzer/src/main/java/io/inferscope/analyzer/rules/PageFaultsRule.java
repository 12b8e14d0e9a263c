package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.LedgerClass;

/** Reports time in page faults. Basis and threshold: docs/rules/page-faults.md. */
final class PageFaultsRule extends WaitRule {
    PageFaultsRule() {
        super(
                "page-faults",
                "The thread that the program waits for waits for pages",
                LedgerClass.WAIT_PAGE_FAULT,
                0.05);
    }

    @Override
    String claim() {
        return "The thread that the program waits for stands still {cost} in page faults, {share} of the {part}.";
    }
}
