package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.LedgerClass;

/** Reports time slept on purpose, such as in a polling loop. Basis and threshold: docs/rules/sleeping.md. */
final class SleepingRule extends WaitRule {
    static final String ID = "sleeping";
    static final Threshold SHARE = Threshold.share(ID, 0.10);

    /** A sleep inside an event loop's task is reported by BlockedEventLoopRule, with its own advice. */
    SleepingRule() {
        super(
                info(ID, "The critical thread sleeps").repeating(BlockedEventLoopRule.ID),
                "The critical thread sleeps {cost}, {share} of the {part}.",
                LedgerClass.WAIT_TIMER,
                SHARE.value());
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Verdict verdict = super.evaluate(analysis);
        return verdict instanceof Verdict.Found && ExhaustedPoolRule.isFedBy(analysis, analysis.subjectThread())
                ? Verdict.clean("the thread feeds a pool that cannot keep up: its sleep holds nothing up")
                : verdict;
    }
}
