package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.EngineSteps.Engine;

/** Reports SGLang decoding without CUDA graphs. Basis and threshold: docs/rules/sglang-eager-decode.md. */
final class SglangEagerDecodeRule extends EagerDecodeRule {
    private static final Threshold SHARE =
            new Threshold("sglang-eager-decode.share", 0.50, "decode passes without a CUDA graph");

    private static final String PASSES = "sglang:cuda_graph_passes_total";
    private static final String ADVICE =
            "Do not pass `--disable-cuda-graph`, and capture graphs up to the batches in use: `--cuda-graph-max-bs {batch}`. `--enable-torch-compile` helps small batches further.";

    SglangEagerDecodeRule() {
        super(
                new RuleInfo("sglang-eager-decode", "SGLang decodes without CUDA graphs").limits(LAUNCHES, SHARE),
                Engine.SGLANG,
                ADVICE);
    }

    /** Uses the engine's own counter if it is recorded, otherwise the launches of its steps. */
    @Override
    public Verdict evaluate(Analysis analysis) {
        double eager = passes(analysis, "decode_none");
        double all = eager + passes(analysis, "decode_cuda_graph");
        if (all > 0) {
            return counted(analysis, eager, all);
        }
        return analysis.devices().isEmpty()
                ? new Verdict.NotApplicable("neither " + PASSES + " nor device work is recorded")
                : super.evaluate(analysis);
    }

    private Verdict counted(Analysis analysis, double eager, double all) {
        if (eager < analysis.threshold(SHARE) * all) {
            return Verdict.clean(Units.percent(eager / all) + " of the decode passes replay no CUDA graph");
        }
        double batch = analysis.counters()
                .first("sglang:num_running_reqs")
                .map(Series::most)
                .orElse(256.0);
        return Verdict.found(finding(analysis.ledger(), 0)
                .severity(Severity.WARNING)
                .measure("eager", Units.count(Math.round(eager)))
                .measure("all", Units.count(Math.round(all)))
                .measure("batch", Long.toString(Math.round(batch)))
                .claim("{eager} of {all} decode passes replay no CUDA graph (`cuda graph: False` in SGLang's log).")
                .quantity("decode passes without a graph", eager, "count")
                .quantity("decode passes", all, "count")
                .advice(ADVICE)
                .noGain("what the passes cost is not in the counter"));
    }

    private static double passes(Analysis analysis, String mode) {
        return analysis.counters().named(PASSES).stream()
                .filter(series -> series.key().contains("mode=\"" + mode + "\""))
                .mapToDouble(Series::growth)
                .sum();
    }
}
