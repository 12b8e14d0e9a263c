package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.LedgerClass;

/** Reports a thread that waits for a lock that another one holds. Basis and threshold: docs/rules/lock-contention.md. */
final class LockContentionRule extends WaitRule {
    LockContentionRule() {
        super("lock-contention", "The critical thread waits for a lock", LedgerClass.WAIT_LOCK, 0.05);
    }

    /** Where a whole pool takes turns, the judged thread is one that waits for it. */
    @Override
    public RuleInfo info() {
        return super.info().refining(LockSerialisedPoolRule.ID);
    }

    @Override
    String claim() {
        return "The critical thread waits {cost} for a lock, {share} of the {part}.";
    }
}
