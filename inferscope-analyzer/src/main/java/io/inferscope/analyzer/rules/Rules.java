package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Every rule, and how they are run. */
public final class Rules {
    /** The rules, in the order in which they are listed. */
    public static final List<Rule> ALL = List.of(
            new GpuIdleRule(),
            new OutsideSpanRule(),
            new LaunchBoundRule(),
            new ExposedHostToDeviceRule(),
            new PageableCopiesRule(),
            new BlockingSyncRule(),
            new PreprocessingDominatesRule(),
            new PythonDominatesRule(),
            new CommunicationExposedRule(),
            new WaitingForRequestsRule(),
            new DeviceBoundRule());

    private Rules() {}

    /** Returns what every rule says. */
    public static Map<RuleInfo, Verdict> evaluate(Analysis analysis) {
        Map<RuleInfo, Verdict> verdicts = new LinkedHashMap<>();
        for (Rule rule : ALL) {
            verdicts.put(rule.info(), evaluate(rule, analysis));
        }
        return verdicts;
    }

    private static Verdict evaluate(Rule rule, Analysis analysis) {
        for (Needs need : Needs.values()) {
            if (rule.info().needs().contains(need) && !need.isMetBy(analysis)) {
                return new Verdict.NotApplicable(need.absence());
            }
        }
        return rule.evaluate(analysis);
    }
}
