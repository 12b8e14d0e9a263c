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
        this.info = RuleInfo.of(getClass().getSimpleName());
    }

    /** Makes the rule of an id, or of a class and a case of it, for a class that several rows name. */
    Rule(String row) {
        this(RuleInfo.of(row));
    }

    public final RuleInfo info() {
        return info;
    }

    /** Judges one recording, which has everything that {@link RuleInfo#needs} names. */
    public abstract Verdict evaluate(Analysis analysis);

    /** Returns the least cost that it reports, a share of the judged time. */
    final double leastShare(Analysis analysis) {
        return limit(analysis, "share");
    }

    /** Returns a limit of this rule alone. */
    final double limit(Analysis analysis, String name) {
        return analysis.threshold(Threshold.of(row(name)));
    }

    /** Returns the verdict whose reason is the claim for a case of this rule. */
    final Verdict notApplicable(String name) {
        return new Verdict.NotApplicable(FindingBuilder.text(row(name)));
    }

    /** Returns the row of limits, claims or advice for a case of this rule. */
    final String row(String name) {
        return info.id() + '.' + name;
    }

    /** Starts this rule's finding, which costs {@code costNs} of a ledger. */
    final FindingBuilder finding(Ledger ledger, long costNs) {
        return FindingBuilder.of(info.id(), ledger, costNs);
    }
}
