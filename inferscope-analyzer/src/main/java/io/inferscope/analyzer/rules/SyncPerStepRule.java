package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/** Reports steps that wait for the device more than once. Basis and threshold: docs/rules/sync-per-step.md. */
final class SyncPerStepRule extends Rule {
    private static final Threshold CALLS =
            new Threshold("sync-per-step.calls", 1.0, "synchronising calls per step, above this");
    private static final Threshold SHARE = Threshold.share("sync-per-step", 0.02);

    SyncPerStepRule() {
        super(new RuleInfo(
                        "sync-per-step", "Each step waits for the GPU several times", Needs.DEVICE_WORK, Needs.LAUNCHES)
                .refining("blocking-sync", "launch-bound")
                .limits(CALLS, SHARE));
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Steps steps = Steps.judged(analysis);
        if (steps.size() == 0) {
            return new Verdict.NotApplicable("no steps are found");
        }
        Timeline timeline = analysis.timeline();
        long perStep = steps.count(analysis, analysis.apiCalls(), row -> isOwnSync(analysis, row))
                .median();
        if (perStep <= analysis.threshold(CALLS)) {
            return Verdict.clean(perStep + " synchronising calls in a step");
        }
        HostCalls calls = CallsRule.apiCalls(analysis, row -> isOwnSync(analysis, row));
        Ledger ledger = analysis.ledger();
        long costNs = emptiedNs(analysis);
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean(perStep + " synchronising calls in a step; the GPU is idle after them for "
                    + ledger.shareOfPart(costNs));
        }
        int longest = calls.longest();
        return Verdict.found(finding(ledger, costNs)
                .measure("calls", Units.count(perStep))
                .measure("steps", Units.count(steps.size()))
                .claim(
                        "Each of {steps} steps waits for the GPU {calls} times. Each time the queue is empty afterwards: the gaps in which such a call returns take {cost}, {share} of the {part}.")
                .quantity("synchronising calls per step, median", perStep, "count")
                .longest(analysis, longest, timeline.durationNs(longest))
                .advice(Advice.against(LedgerClass.FRAMEWORK_SYNC_RETURN, analysis))
                .saves(
                        analysis,
                        allButLast(analysis, steps),
                        calls,
                        "each step waits for the GPU once",
                        "no step waits for it"));
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

    /** Returns the total length of the idle gaps in which a synchronising call returns, in ns. Each gap counts once. */
    private static long emptiedNs(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Intervals idle = analysis.idle();
        long[] starts = new long[idle.count()];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = idle.startNs(i);
        }
        boolean[] emptied = new boolean[starts.length];
        for (int row : analysis.apiCalls()) {
            if (isOwnSync(analysis, row)) {
                int found = Arrays.binarySearch(starts, timeline.endNs(row));
                int gap = found >= 0 ? found : -found - 2;
                if (gap >= 0 && timeline.endNs(row) < idle.endNs(gap)) {
                    emptied[gap] = true;
                }
            }
        }
        long total = 0;
        for (int i = 0; i < starts.length; i++) {
            total += emptied[i] ? idle.endNs(i) - starts[i] : 0;
        }
        return total;
    }
}
