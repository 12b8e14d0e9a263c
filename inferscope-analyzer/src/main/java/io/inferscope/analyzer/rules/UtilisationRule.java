package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Utilisation;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;

/** The rules about the GPU's utilisation over time: the buckets, and the longest stretch below half. */
final class UtilisationRule extends Rule {
    static final Threshold BUCKETS = Threshold.of("utilisation.buckets");

    private static final double HALF = 0.5;

    private static final Threshold HIGH = Threshold.of("low-utilisation.high");
    private static final Threshold MUCH_LOWER = Threshold.of("fluctuating-utilisation.low");

    static final Rule LOW = new UtilisationRule("low-utilisation");
    static final Rule FLUCTUATING = new UtilisationRule("fluctuating-utilisation");

    private UtilisationRule(String id) {
        super(id);
    }

    /** Returns what a device waited for in its largest gap of the judged part. */
    static LedgerClass causeOfLargestGap(Analysis analysis, DeviceActivity device) {
        return analysis.blameOf(device).largestGaps().stream()
                .filter(analysis::isJudged)
                .findFirst()
                .map(IdleBlame.Gap::cause)
                .orElse(LedgerClass.UNATTRIBUTED);
    }

    /** Returns why the utilisation is as it should be, empty where it is not. */
    private String cleanBecause(Analysis analysis, Utilisation utilisation) {
        double low = utilisation.percentile(5);
        double high = utilisation.percentile(95);
        boolean isHigh = high >= analysis.threshold(HIGH);
        if (this == LOW) {
            return isHigh ? "the GPU reaches a utilisation of " + Units.percent(high) : "";
        }
        return isHigh && low < analysis.threshold(MUCH_LOWER)
                ? ""
                : "its utilisation stays between " + Units.percent(low) + " and " + Units.percent(high);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Utilisation utilisation = Utilisation.of(analysis);
        if (utilisation.buckets() < analysis.threshold(BUCKETS)) {
            return new Verdict.NotApplicable(
                    "the " + analysis.ledger().partName() + " is too short to be cut into pieces");
        }
        String clean = cleanBecause(analysis, utilisation);
        if (!clean.isEmpty()) {
            return Verdict.clean(clean);
        }
        LedgerClass cause = causeOfLargestGap(analysis, analysis.headline().orElseThrow());
        Stretch longest = utilisation.longestBelow(HALF);
        return Verdict.found(finding(analysis.ledger(), utilisation.idleNsBelow(HALF))
                .idleTime(analysis)
                .measure("below", Units.count(utilisation.below(HALF)))
                .measure("all", Units.count(utilisation.buckets()))
                .measure("bucket", Units.duration(utilisation.bucket(0).durationNs()))
                .measure("low", Units.percent(utilisation.percentile(5)))
                .measure("high", Units.percent(utilisation.percentile(95)))
                .claim(info().id(), "utilisation")
                .evidence(new Evidence.Range(
                        "longest stretch below half",
                        longest.startNs(),
                        longest.endNs(),
                        "device " + analysis.headline().orElseThrow().id(),
                        ""))
                .quantity("5th percentile of the utilisation", utilisation.percentile(5), "ratio")
                .quantity("95th percentile of the utilisation", utilisation.percentile(95), "ratio")
                .advice(Advice.against(cause, analysis))
                .noGainByItself("this finding says when the GPU is idle; others say why"));
    }
}
