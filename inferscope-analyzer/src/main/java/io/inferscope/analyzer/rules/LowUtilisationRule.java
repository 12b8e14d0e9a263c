package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Utilisation;
import io.inferscope.analyzer.model.Units;

/** Reports a GPU that is hardly ever busy. Basis and threshold: docs/rules/low-utilisation.md. */
final class LowUtilisationRule extends UtilisationRule {
    static final Threshold HIGH = new Threshold(
            "low-utilisation.high", 0.70, "95th percentile of the utilisation below which the GPU is starved");

    LowUtilisationRule() {
        super(
                "low-utilisation",
                "The GPU is starved from beginning to end",
                "The GPU is starved from beginning to end: in pieces of {bucket} its utilisation hardly ever exceeds {high}; "
                        + "{below} of {all} pieces are below half, with {cost} ({share} of the {part}) of idle time.",
                HIGH);
    }

    @Override
    String cleanBecause(Analysis analysis, Utilisation utilisation) {
        double high = utilisation.percentile(95);
        return high < analysis.threshold(HIGH) ? "" : "the GPU reaches a utilisation of " + Units.percent(high);
    }
}
