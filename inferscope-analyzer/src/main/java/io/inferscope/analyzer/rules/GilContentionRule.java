package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.LedgerClass;

/** Reports a thread that waits for the interpreter's global lock. Basis and threshold: docs/rules/gil-contention.md. */
final class GilContentionRule extends WaitRule {
    GilContentionRule() {
        super(
                info("gil-contention", "The critical thread waits for the GIL"),
                "The critical thread is ready to run Python but waits {cost} for the GIL, {share} of the {part}.",
                LedgerClass.WAIT_GIL,
                0.05);
    }
}
