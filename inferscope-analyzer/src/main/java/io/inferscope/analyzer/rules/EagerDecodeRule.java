package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.EngineSteps.Engine;
import io.inferscope.analyzer.rules.EngineSteps.Step;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.List;

/**
 * The rules about decode steps that replay no CUDA graph: finds an engine's decode steps and the operations that each
 * launches.
 */
final class EagerDecodeRule extends EngineRule {
    private static final Threshold LAUNCHES = Threshold.of("eager-decode.launches");

    static final Rule VLLM = new EagerDecodeRule(Engine.VLLM);
    static final Rule SGLANG = new EagerDecodeRule(Engine.SGLANG);

    private final Engine engine;

    private EagerDecodeRule(Engine engine) {
        super(EagerDecodeRule.class, engine.name());
        this.engine = engine;
    }

    /** Uses the engine's own counter if it is recorded, otherwise the launches of its steps. */
    @Override
    public Verdict evaluate(Analysis analysis) {
        if (engine == Engine.VLLM) {
            return ofSteps(analysis);
        }
        double eager = passes(analysis, "decode_none");
        double all = eager + passes(analysis, "decode_cuda_graph");
        if (all > 0) {
            return isOnCpu(analysis)
                    ? new Verdict.NotApplicable("the model computes on the CPU, which has no CUDA graphs")
                    : counted(analysis, eager, all);
        }
        return analysis.devices().isEmpty()
                ? new Verdict.NotApplicable("neither " + names("passes")[0] + " nor device work is recorded")
                : ofSteps(analysis);
    }

    private static boolean isOnCpu(Analysis analysis) {
        return analysis.devices().isEmpty()
                && !analysis.timeline().properties().containsKey(UnusedDeviceRule.GPUS)
                && HostShare.judged(analysis).ns(LedgerClass.CPU_MODEL_COMPUTE) > 0;
    }

    private Verdict counted(Analysis analysis, double eager, double all) {
        if (eager < leastShare(analysis) * all) {
            return Verdict.clean(Units.percent(eager / all) + " of the decode passes replay no CUDA graph");
        }
        double batch = counter(analysis, "running").map(Series::most).orElse(256.0);
        return Verdict.found(finding(analysis.ledger(), 0)
                .severity(Severity.WARNING)
                .measure("eager", Units.count(Math.round(eager)))
                .measure("all", Units.count(Math.round(all)))
                .measure("batch", Long.toString(Math.round(batch)))
                .claim("eager-decode.passes")
                .quantity("decode passes without a graph", eager, "count")
                .quantity("decode passes", all, "count")
                .advice(analysis)
                .noGain("what the passes cost is not in the counter"));
    }

    private double passes(Analysis analysis, String mode) {
        return analysis.counters().named(names("passes")[0]).stream()
                .filter(series -> series.key().contains("mode=\"" + mode + "\""))
                .mapToDouble(Series::growth)
                .sum();
    }

    private Verdict ofSteps(Analysis analysis) {
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
                .claim("eager-decode")
                .quantity("launches per decode step, median", launches[launches.length / 2], "count")
                .longest(analysis, longest, timeline.durationNs(longest))
                .advice(analysis)
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
