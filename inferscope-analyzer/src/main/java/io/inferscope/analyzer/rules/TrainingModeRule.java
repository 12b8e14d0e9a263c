package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Reports passes that run as for training, where nothing is trained. */
final class TrainingModeRule extends Rule {
    private static final Threshold PASSES = Threshold.of("training-mode.passes.share");

    /** The operator that calls those by which dropout draws. */
    private static final String DROPOUT = "dropout";

    /** The classes that recording a graph makes longer. */
    private static final List<LedgerClass> LONGER =
            List.of(LedgerClass.FRAMEWORK_DISPATCH, LedgerClass.FRAMEWORK_ALLOCATION, LedgerClass.FRAMEWORK_LAUNCH);

    /** Fewer are those of a parameter that is changed, or of one operator. */
    private static final long LEAST_NODES = 20;

    /** What the passes of the judged part do that only training needs. */
    private record Passes(
            long all, long withGraph, long graphNodes, long withDropout, long withBatchNorm, int longest) {
        static Passes of(Analysis analysis) {
            return analysis.once(Passes.class, Passes::look);
        }

        private static Passes look(Analysis analysis) {
            Timeline timeline = analysis.timeline();
            int[] rows = ForwardPasses.judged(analysis).toArray();
            int longest = Arrays.stream(rows)
                    .boxed()
                    .max(Order.comparingLong(timeline::durationNs))
                    .orElse(-1);
            return new Passes(
                    rows.length,
                    counted(analysis, "model.graph_passes"),
                    timeline.number(TimelineInfo.GRAPH_NODES, 0),
                    counted(analysis, "model.dropout_passes") + draws(analysis) + kernels(analysis, NameRole.DROPOUT),
                    counted(analysis, "model.batch_norm_passes") + kernels(analysis, NameRole.BATCH_NORM),
                    longest);
        }

        /** Returns how many kernels have such names; 0 where kernels of a backward pass or an optimizer run. */
        private static long kernels(Analysis analysis, NameRole names) {
            long some = judged(analysis, RowKind.KERNEL, names::in).count();
            NamePredicate training = new NamePredicate(analysis.timeline(), NameRole.GRADIENTS::in);
            boolean trains =
                    some > 0 && Arrays.stream(analysis.rows(RowKind.KERNEL)).anyMatch(training::testRow);
            return trains ? 0 : some;
        }

        /** Returns the rows of a kind that have such names and begin in the judged part. */
        private static IntStream judged(Analysis analysis, RowKind kind, Predicate<String> wanted) {
            Timeline timeline = analysis.timeline();
            Stretch part = analysis.judged().stretch();
            NamePredicate names = new NamePredicate(timeline, wanted);
            return Arrays.stream(analysis.rows(kind))
                    .filter(row -> part.holds(timeline.startNs(row)) && names.testRow(row));
        }

        private static long counted(Analysis analysis, String counter) {
            Stretch part = analysis.judged().stretch();
            return analysis.counters().named(counter).stream()
                    .mapToLong(series ->
                            series.between(part.startNs(), part.endNs()).size())
                    .sum();
        }

        /** Returns how often dropout draws, in recordings of operators. */
        private static long draws(Analysis analysis) {
            Timeline timeline = analysis.timeline();
            return judged(analysis, RowKind.OPERATOR, NameRole.DRAWS::in)
                    .map(row -> timeline.enclosing(row, RowKind.OPERATOR))
                    .filter(caller -> caller >= 0 && timeline.name(caller).contains(DROPOUT))
                    .count();
        }
    }

    /** Returns whether passes record a graph for gradients that nothing computes. */
    static boolean recordsGraph(Analysis analysis) {
        return isWithGraph(analysis, Passes.of(analysis))
                && !RecordingProperty.TRAINING.holds(analysis)
                && !computesGradients(analysis);
    }

    private static boolean computesGradients(Analysis analysis) {
        return analysis.counters().named("model.backward_passes").stream().anyMatch(series -> series.size() > 0);
    }

    private static boolean isWithGraph(Analysis analysis, Passes passes) {
        return isMost(analysis, passes.withGraph, passes) || passes.graphNodes >= LEAST_NODES;
    }

    private static boolean isMost(Analysis analysis, long some, Passes passes) {
        return some > 0 && some >= analysis.threshold(PASSES) * passes.all;
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Passes passes = Passes.of(analysis);
        if (passes.all == 0 && !analysis.has(RowKind.OPERATOR) && !analysis.has(RowKind.KERNEL)) {
            return notApplicable("unrecorded");
        }
        if (RecordingProperty.TRAINING.holds(analysis) || computesGradients(analysis)) {
            return Verdict.clean("gradients are computed: this is training");
        }
        boolean graph = isWithGraph(analysis, passes);
        boolean dropout = isMost(analysis, passes.withDropout, passes);
        boolean batchNorm = isMost(analysis, passes.withBatchNorm, passes);
        if (!graph && !dropout && !batchNorm) {
            return Verdict.clean("of " + Units.count(passes.all) + " forward passes, " + Units.count(passes.withGraph)
                    + " record a graph for gradients, and " + Units.count(passes.withDropout) + " draw for dropout");
        }
        Ledger ledger = HostShare.judged(analysis);
        boolean costs = ledger.share(HostShare.ns(ledger, LONGER)) >= limit(analysis, "overhead.share");
        FindingBuilder finding = finding(ledger, 0)
                .severity(dropout || batchNorm || (graph && costs) ? Severity.WARNING : Severity.INFO)
                .measure("all", Units.count(passes.all))
                .measure("graph", Units.count(passes.withGraph))
                .measure("nodes", Units.count(passes.graphNodes))
                .measure("longer", ledger.shareOfPart(HostShare.ns(ledger, LONGER)))
                .claim(
                        !graph ? "" : passes.withGraph > 0 ? "training-mode.passes" : "training-mode.operators",
                        graph && costs ? "training-mode.longer" : "",
                        dropout ? "training-mode.dropout" : "",
                        batchNorm ? "training-mode.batch-norm" : "")
                .advice(topic(graph, dropout || batchNorm), analysis);
        if (passes.graphNodes >= LEAST_NODES) {
            finding.quantity("nodes recorded", passes.graphNodes, "count");
        }
        if (passes.all == 0 && (dropout || batchNorm)) {
            finding.quantity("kernels and draws of training mode", passes.withDropout + passes.withBatchNorm, "count");
        }
        if (passes.longest >= 0) {
            finding.longest(analysis, passes.longest, analysis.timeline().durationNs(passes.longest));
        }
        return Verdict.found(finding.noGain("only a run without shows what it costs"));
    }

    private static String topic(boolean graph, boolean training) {
        return graph && training ? "training-mode" : graph ? "training-mode.graph" : "training-mode.eval";
    }
}
