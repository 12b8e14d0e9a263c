package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;

/** Reports steps that wait for the device more than once. */
final class SyncPerStepRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        Steps steps = Steps.judged(analysis);
        Timeline timeline = analysis.timeline();
        long perStep = steps.count(analysis, analysis.apiCalls(), row -> isOwnSync(analysis, row))
                .median();
        if (perStep <= limit(analysis, "calls")) {
            return Verdict.clean(perStep + " synchronising calls in a step");
        }
        HostCalls calls = CallsRule.apiCalls(analysis, row -> isOwnSync(analysis, row));
        Ledger ledger = analysis.ledger();
        HostCalls others = allButLast(analysis, steps);
        long costNs = emptiedNs(analysis, others);
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(perStep + " synchronising calls in a step; the GPU is idle after all but the last for "
                    + ledger.shareOfPart(costNs));
        }
        int longest = calls.longest();
        return Verdict.found(finding(ledger, costNs)
                .measure("calls", Units.count(perStep))
                .measure("steps", Units.count(steps.size()))
                .quantity("synchronising calls per step, median", perStep, "count")
                .longest(analysis, longest, timeline.durationNs(longest))
                .advice(Advice.against(LedgerClass.FRAMEWORK_SYNC_RETURN, analysis))
                .saves(analysis, others, calls, "each step waits for the GPU once", "no step waits for it"));
    }

    /** The calls without the last one of each step, which the step needs. */
    private static HostCalls allButLast(Analysis analysis, Steps steps) {
        Timeline timeline = analysis.timeline();
        HostCalls others = new HostCalls();
        int before = -1;
        for (int row : analysis.apiCalls()) {
            if (isOwnSync(analysis, row)) {
                int step = steps.at(timeline.startNs(row));
                if (before >= 0 && step >= 0 && steps.at(timeline.startNs(before)) == step) {
                    others.add(before, timeline.startNs(before), timeline.endNs(before));
                }
                before = row;
            }
        }
        return others;
    }

    private static boolean isOwnSync(Analysis analysis, int row) {
        return analysis.isSynchronising(row) && analysis.timeline().track(row) == analysis.subjectThread();
    }

    /**
     * Returns for how long the device idles because of some waits, in ns. Without a wait, the host would do what follows
     * sooner by the length of the wait: so much of the gap in which the call returns, at most all of it.
     *
     * <pre>
     *   host   [ wait   ]--- launch          [ wait   ]--- other work --------- launch
     *   GPU    KKKKKKKK......KKKK            KKKKKKKK..........................KKKK
     *   cost           ######                        ########
     * </pre>
     */
    private static long emptiedNs(Analysis analysis, HostCalls calls) {
        Intervals idle = analysis.idle();
        long[] waitedNs = new long[idle.count()];
        calls.forEach((startNs, endNs) -> {
            int gap = BinarySearch.first(0, idle.count(), i -> idle.endNs(i) > endNs);
            if (gap < idle.count() && idle.startNs(gap) <= endNs) {
                waitedNs[gap] += endNs - startNs;
            }
        });
        long total = 0;
        for (int i = 0; i < waitedNs.length; i++) {
            total += Math.min(waitedNs[i], idle.endNs(i) - idle.startNs(i));
        }
        return total;
    }
}
