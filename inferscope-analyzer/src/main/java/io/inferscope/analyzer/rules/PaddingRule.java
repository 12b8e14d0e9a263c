package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reports batches of which much is padding. */
final class PaddingRule extends Rule {
    /** With a text without padding in this part of the batches, batches are padded to their own longest text. */
    private static final double OWN_LONGEST = 0.9;

    /** The forward passes of the judged part that read token ids. */
    private static final class Passes {
        long tokens;
        long ns;
        long count;
        int longest = -1;

        /** The padding's part of each pass: a pass over a prompt and one over a token differ in time per token. */
        double paddedNs;

        Passes(Analysis analysis, SortedMap<Long, Double> padding) {
            Timeline timeline = analysis.timeline();
            ForwardPasses.judged(analysis).forEach(row -> {
                long value = timeline.attribute(row, Attribute.COUNTED);
                if (value > 0) {
                    tokens += value;
                    ns += timeline.durationNs(row);
                    paddedNs += timeline.durationNs(row)
                            * Math.min(1, sum(padding, timeline.startNs(row), timeline.endNs(row)) / value);
                    count++;
                    longest = longest < 0 || timeline.durationNs(row) > timeline.durationNs(longest) ? row : longest;
                }
            });
        }
    }

    private static SortedMap<Long, Double> values(Analysis analysis, String counter) {
        SortedMap<Long, Double> values = new TreeMap<>();
        for (Series series : analysis.counters().named(counter)) {
            for (int i = 0; i < series.size(); i++) {
                values.merge(series.timeNs(i), series.value(i), Double::sum);
            }
        }
        return values;
    }

    private static double sum(SortedMap<Long, Double> values, long fromNs, long toNs) {
        return values.subMap(fromNs, toNs).values().stream()
                .mapToDouble(Double::doubleValue)
                .sum();
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Stretch judged = analysis.judged().stretch();
        long batches = 0;
        double masked = 0;
        for (Series series : analysis.counters().named("model.batch_tokens")) {
            Series part = series.between(judged.startNs(), judged.endNs());
            batches += part.size();
            masked += part.sum();
        }
        SortedMap<Long, Double> paddings = values(analysis, "model.batch_padding");
        Passes passes = new Passes(analysis, paddings);
        double padding = sum(paddings, judged.startNs(), judged.endNs() + 1);
        double filled = sum(values(analysis, "model.batch_filled"), judged.startNs(), judged.endNs() + 1);
        double skipped = sum(values(analysis, "model.batch_skipped"), judged.startNs(), judged.endNs() + 1);
        if (batches < limit(analysis, "batches") || passes.longest < 0) {
            return new Verdict.NotApplicable("no attention masks of batches are recorded");
        }
        double each = (masked + skipped) / Math.max(1, masked); // How many tokens one stands for whose mask was read.
        padding *= each;
        double tokens = Math.max(masked * each, (double) passes.tokens);
        Ledger ledger = HostShare.judged(analysis);
        LedgerClass compute = analysis.devices().isEmpty() ? LedgerClass.CPU_MODEL_COMPUTE : LedgerClass.GPU_COMPUTE;
        long costNs = Math.round(Math.min((double) ledger.ns(compute), passes.paddedNs * each));
        String ratio = Units.percent(padding / tokens);
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(ratio + " of the tokens that forward passes read are padding");
        }
        return Verdict.found(finding(ledger, costNs)
                .causes(List.of(compute))
                .measure("about", skipped > 0 ? "about " : "")
                .measure("padding", Units.count(Math.round(padding)))
                .measure("tokens", Units.count(Math.round(tokens)))
                .measure("ratio", ratio)
                .place("reads padded batches", analysis.where(passes.longest), passes.ns, passes.count)
                .evidence(ForwardPasses.onTokens(analysis, passes.longest))
                .advice(filled >= OWN_LONGEST * batches ? "padding.own-longest" : "padding", analysis)
                .noGain("how long a pass over shorter batches takes is not in the recording"));
    }
}
