package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Intervals;
import java.util.Arrays;

/** Reports a few idle gaps that stand out and hold most of the idle time. */
final class LongGapsRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        DeviceActivity device = analysis.headline().orElseThrow();
        Stretch part = analysis.judged().stretch();
        Intervals gaps = device.busy().complementWithin(part.startNs(), part.endNs());
        if (gaps.count() < limit(analysis, "gaps")) {
            return Verdict.clean(gaps.count() + " gaps are too few to tell which stand out");
        }
        long limitNs = limitNs(analysis, gaps);
        long[] longNs = gaps.lengthsNs().filter(ns -> ns > limitNs).toArray();
        long costNs = Arrays.stream(longNs).sum();
        Ledger ledger = analysis.ledger();
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("gaps above " + Units.duration(limitNs) + " take " + ledger.shareOfPart(costNs));
        }
        if (2 * costNs < gaps.totalNs()) {
            return Verdict.clean("most of the idle time is in gaps of up to " + Units.duration(limitNs));
        }
        LedgerClass cause = UtilisationRule.causeOfLargestGap(analysis, device);
        return Verdict.found(finding(ledger, costNs)
                .idleTime(analysis)
                .measure("count", Units.count(longNs.length))
                .measure("all", Units.count(gaps.count()))
                .measure("limit", Units.duration(limitNs))
                .measure("part of idle", Units.percent((double) costNs / gaps.totalNs()))
                .measure("cause", cause.label())
                .gaps(analysis, 5, gap -> analysis.isJudged(gap) && gap.durationNs() > limitNs)
                .quantity("long gaps", longNs.length, "count")
                .advice(Advice.against(cause, analysis))
                .noGainByItself("gaps have several causes: the findings about each say what removing it saves"));
    }

    private long limitNs(Analysis analysis, Intervals gaps) {
        long[] lengths = gaps.lengthsNs().sorted().toArray();
        long medianNs = lengths[(lengths.length - 1) / 2];
        double manyMedians = limit(analysis, "medians") * medianNs;
        return Math.round(Math.max(limit(analysis, "gap-ns"), manyMedians));
    }
}
