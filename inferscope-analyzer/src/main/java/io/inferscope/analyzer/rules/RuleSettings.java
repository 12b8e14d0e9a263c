package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Finding.Severity;
import java.util.List;
import java.util.Map;

/**
 * The user's settings of rules.
 *
 * @param thresholds the limits
 * @param disabled rules that are switched off, by id, with the place of that setting
 * @param severities severities of rules' findings, by rule id, independent of their cost; findings that report a good
 *     state keep theirs
 * @param declared rules of the users' own
 */
public record RuleSettings(
        Thresholds thresholds,
        Map<String, String> disabled,
        Map<String, Severity> severities,
        List<DeclaredRule> declared) {
    /** No user settings: the built-in limits and rules. */
    public static final RuleSettings DEFAULT = new RuleSettings(Thresholds.defaults(), Map.of(), Map.of(), List.of());

    public RuleSettings {
        disabled = Map.copyOf(disabled);
        severities = Map.copyOf(severities);
        declared = List.copyOf(declared);
    }

    /** Returns these settings with some limits set otherwise. */
    public RuleSettings with(Map<Threshold, Double> limits) {
        return new RuleSettings(thresholds.with(limits), disabled, severities, declared);
    }

    /** Returns these settings for recordings whose devices are of a model, unless they name it themselves. */
    public RuleSettings ofGpu(String model) {
        return new RuleSettings(thresholds.ofGpu(model), disabled, severities, declared);
    }

    /** Returns a verdict with the severity under these settings. */
    Verdict graded(Verdict verdict) {
        if (!(verdict instanceof Verdict.Found found) || found.finding().severity() == Severity.HEALTHY) {
            return verdict;
        }
        Severity said = severities.get(found.finding().rule());
        if (said != null) {
            return Verdict.Found.of(found.each().stream()
                    .map(one -> one.with(one.finding().withSeverity(said)))
                    .toList());
        }
        double share = found.finding().share();
        return found.byShare()
                ? found.graded(found.finding()
                        .withSeverity(
                                share >= thresholds.get(Thresholds.CRITICAL)
                                        ? Severity.CRITICAL
                                        : share >= thresholds.get(Thresholds.WARNING)
                                                ? Severity.WARNING
                                                : Severity.INFO))
                : verdict;
    }
}
