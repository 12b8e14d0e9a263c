package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.LedgerClass;

/**
 * Reports time for reading, writing and syncing files, blocked or on a CPU. Basis and threshold: docs/rules/file-io.md.
 */
final class FileIoRule extends WaitRule {
    FileIoRule() {
        super(
                info("file-io", "The program waits for file I/O").refining("small-files"),
                "File I/O takes {cost} of the critical thread, {share} of the {part}.",
                LedgerClass.WAIT_IO,
                0.05,
                LedgerClass.KERNEL_FILE);
    }
}
