package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;

/** Looks for one bottleneck. Stateless: the same analysis gives the same verdict. */
public interface Rule {
    RuleInfo info();

    /** Judges one recording, which has everything that {@link RuleInfo#needs} names. */
    Verdict evaluate(Analysis analysis);
}
