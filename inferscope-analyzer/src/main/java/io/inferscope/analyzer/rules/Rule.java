package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Ledger;

/**
 * Looks for one bottleneck. Stateless: the same analysis gives the same verdict. The basis and the thresholds of a rule stand
 * in docs/rules, in the page of its id.
 */
public abstract class Rule {
    private final RuleInfo info;

    Rule(RuleInfo info) {
        this.info = info;
    }

    /** Makes the rule of the row of {@code knowledge/rules.tsv} that names its class. */
    Rule() {
        this.info = RuleInfo.of(getClass());
    }

    /** Makes the rule of a row, for a class that several rows name. */
    Rule(String id) {
        this(RuleInfo.of(id));
    }

    public final RuleInfo info() {
        return info;
    }

    /** Judges one recording, which has everything that {@link RuleInfo#needs} names. */
    public abstract Verdict evaluate(Analysis analysis);

    /** Returns the least cost that it reports, a share of the judged time. */
    final double leastShare(Analysis analysis) {
        return analysis.threshold(Threshold.of(info.id() + ".share"));
    }

    /** Starts this rule's finding, which costs {@code costNs} of a ledger. */
    final FindingBuilder finding(Ledger ledger, long costNs) {
        return FindingBuilder.of(info.id(), ledger, costNs);
    }
}
