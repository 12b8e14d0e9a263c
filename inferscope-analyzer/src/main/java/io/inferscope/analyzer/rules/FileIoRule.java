package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.LedgerClass;

/** Reports time blocked on reading, writing and syncing files. Basis and threshold: docs/rules/file-io.md. */
final class FileIoRule extends WaitRule {
    FileIoRule() {
        super("file-io", "The thread that the program waits for waits for files", LedgerClass.WAIT_IO, 0.05);
    }

    @Override
    String claim() {
        return "The thread that the program waits for is blocked on file I/O for {cost}, {share} of the {part}.";
    }
}
