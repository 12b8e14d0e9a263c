package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Utilisation;
import io.inferscope.analyzer.model.Units;

/**
 * Reports a GPU that is busy at times and idle at others. Basis and threshold: docs/rules/fluctuating-utilisation.md.
 */
final class FluctuatingUtilisationRule extends UtilisationRule {
    private static final Threshold LOW = new Threshold(
            "fluctuating-utilisation.low", 0.10, "5th percentile of the utilisation below which it fluctuates");

    FluctuatingUtilisationRule() {
        super(
                "fluctuating-utilisation",
                "The GPU is busy at times and idle at others",
                "The GPU is busy at times and idle at others: in pieces of {bucket} its utilisation lies between {low} and {high}; "
                        + "{below} of {all} pieces are below half, with {cost} ({share} of the {part}) of idle time.",
                LowUtilisationRule.HIGH,
                LOW);
    }

    @Override
    String cleanBecause(Analysis analysis, Utilisation utilisation) {
        double low = utilisation.percentile(5);
        double high = utilisation.percentile(95);
        boolean fluctuates = high >= analysis.threshold(LowUtilisationRule.HIGH) && low < analysis.threshold(LOW);
        return fluctuates ? "" : "its utilisation stays between " + Units.percent(low) + " and " + Units.percent(high);
    }
}
