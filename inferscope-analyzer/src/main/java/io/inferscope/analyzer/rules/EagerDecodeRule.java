package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.EngineSteps.Engine;
import io.inferscope.analyzer.rules.EngineSteps.Step;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.List;

/**
 * Base of the rules about decode steps that replay no CUDA graph: finds an engine's decode steps and the operations
 * that each launches.
 */
abstract class EagerDecodeRule extends Rule {
    static final Threshold LAUNCHES =
            new Threshold("eager-decode.launches", 100.0, "launches in a decode step from which it runs eagerly");

    private final Engine engine;
    private final String advice;

    /** Makes a rule; {@code {batch}} of the advice is the largest number of requests in a decode step. */
    EagerDecodeRule(RuleInfo info, Engine engine, String advice) {
        super(info.refining("launch-bound", "blocking-launches"));
        this.engine = engine;
        this.advice = advice;
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        List<Step> decodes =
                EngineSteps.of(analysis, engine).stream().filter(Step::decode).toList();
        if (decodes.isEmpty()) {
            return new Verdict.NotApplicable("no decode step of the engine is named in the recording");
        }
        HostCalls eager = new HostCalls();
        long[] launches = new long[decodes.size()];
        long replaying = 0;
        long batch = 0;
        Timeline timeline = analysis.timeline();
        for (int i = 0; i < launches.length; i++) {
            Step step = decodes.get(i);
            launches[i] = launches(analysis, step.row());
            replaying += launches[i] < 0 ? 1 : 0;
            batch = Math.max(batch, step.requests());
            if (launches[i] >= analysis.threshold(LAUNCHES)) {
                eager.add(step.row(), timeline.startNs(step.row()), timeline.endNs(step.row()));
            }
        }
        if (2 * eager.count() < decodes.size()) {
            return Verdict.clean(replaying + " of " + decodes.size() + " decode steps replay a graph, " + eager.count()
                    + " launch many kernels one by one");
        }
        Arrays.sort(launches);
        int longest = eager.longest();
        return Verdict.found(finding(analysis.ledger(), eager.totalNs(analysis.idle()))
                .measure("eager", Units.count(eager.count()))
                .measure("steps", Units.count(decodes.size()))
                .measure("launches", Units.count(launches[launches.length / 2]))
                .measure("batch", Units.count(batch))
                .claim(
                        "{eager} of {steps} decode steps replay no CUDA graph but launch kernel by kernel, {launches} of them per step; the GPU is idle for {cost}, {share} of its {part}, in them.")
                .quantity("launches per decode step, median", launches[launches.length / 2], "count")
                .longest(analysis, longest, timeline.durationNs(longest))
                .advice(advice)
                .captures(analysis, LaunchBoundRule.LAUNCHING, eager));
    }

    /** Returns how many operations a step launches, -1 if it launches a graph. */
    private static long launches(Analysis analysis, int step) {
        Timeline timeline = analysis.timeline();
        long launches = 0;
        int end = timeline.endRow(timeline.track(step));
        for (int row = step + 1; row < end && timeline.startNs(row) < timeline.endNs(step); row++) {
            if (timeline.kind(row) == RowKind.GRAPH_LAUNCH) {
                return -1;
            }
            launches += timeline.kind(row).isApiCall() && analysis.isLaunch(row) ? 1 : 0;
        }
        return launches;
    }
}
