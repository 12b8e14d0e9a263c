package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Order;
import java.util.List;

/** Base of the rules that report the total of some classes of the judged host thread's time. */
abstract class HostClassesRule extends Rule {
    /** The classes that the rule is about. */
    final List<LedgerClass> classes;

    private final Threshold share;
    private final String takes;

    /**
     * Makes a rule that reports classes which take {@code leastShare} or more of the judged time; {@code takes}:
     * subject and verb of a sentence about the share, such as "the kernel takes".
     */
    HostClassesRule(RuleInfo info, double leastShare, String takes, LedgerClass... classes) {
        super(info.limits(Threshold.share(info.id(), leastShare)));
        this.takes = takes;
        this.share = Threshold.share(info.id(), leastShare);
        this.classes = List.of(classes);
    }

    static RuleInfo info(String id, String title) {
        return new RuleInfo(id, title, Needs.HOST_ACTIVITY);
    }

    /** Completes the finding. */
    abstract FindingBuilder found(FindingBuilder finding, Analysis analysis, Ledger ledger);

    /** Returns the class that takes most. */
    LedgerClass largest(Ledger ledger) {
        return classes.stream().max(Order.comparingLong(ledger::ns)).orElseThrow();
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = HostShare.judged(analysis);
        long costNs = HostShare.ownNs(analysis, ledger, classes);
        return ledger.share(costNs) < analysis.threshold(share)
                ? Verdict.clean(takes + " " + ledger.shareOfPart(costNs))
                : Verdict.found(found(finding(ledger, costNs), analysis, ledger));
    }
}
