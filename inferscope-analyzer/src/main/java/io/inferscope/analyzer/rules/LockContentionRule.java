package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;

/** Reports a thread that waits for a lock of another thread. Basis and threshold: docs/rules/lock-contention.md. */
final class LockContentionRule extends WaitRule {
    /** If a whole pool takes turns at a lock, the judged thread's wait is a detail of that finding. */
    LockContentionRule() {
        super(
                info("lock-contention", "The critical thread waits for a lock")
                        .refining(LockSerialisedPoolRule.ID)
                        .repeating(Finding.HANG),
                "The critical thread waits {cost} for a lock, {share} of the {part}.",
                LedgerClass.WAIT_LOCK,
                0.05);
    }
}
