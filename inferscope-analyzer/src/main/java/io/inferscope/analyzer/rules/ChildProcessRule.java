package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.LedgerClass;

/** Reports waiting for child processes. Basis and threshold: docs/rules/child-process.md. */
final class ChildProcessRule extends WaitRule {
    ChildProcessRule() {
        super(
                info("child-process", "The program waits for processes that it starts"),
                "The program waits {cost} for processes that it started, {share} of the {part}.",
                LedgerClass.WAIT_CHILD_PROCESS,
                0.05);
    }
}
