package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Timeline;
import java.util.List;
import java.util.Set;

/** Reports memory of a process that keeps growing after its start. Basis and threshold: docs/rules/memory-growth.md. */
final class MemoryGrowthRule implements Rule {
    private static final String COUNTER = "host.rss_bytes";

    /** The second half of a recording is cut into so many parts, in each of which memory must have grown. */
    private static final int PARTS = 4;

    @Override
    public RuleInfo info() {
        return new RuleInfo("memory-growth", "A process' memory keeps growing", Set.of(Needs.HOST_ACTIVITY));
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        List<Series> recorded = analysis.counters().named(COUNTER).stream()
                .filter(s -> s.size() >= analysis.threshold("memory-growth.samples")
                        && s.spanNs() >= analysis.threshold("memory-growth.span-ns"))
                .toList();
        if (recorded.isEmpty()) {
            return new Verdict.NotApplicable("no process' memory is recorded for long enough");
        }
        for (Series series : recorded) {
            double grownBytes = series.last() - series.value(series.size() / 2);
            boolean much = grownBytes >= analysis.threshold("memory-growth.bytes")
                    && grownBytes >= analysis.threshold("memory-growth.share") * series.last();
            if (much && growsThroughout(series)) {
                return Verdict.found(finding(analysis, series, grownBytes));
            }
        }
        return Verdict.clean("memory does not grow in the second half of the recording");
    }

    private static boolean growsThroughout(Series series) {
        int half = series.size() / 2;
        for (int part = 0; part < PARTS; part++) {
            int from = half + (series.size() - 1 - half) * part / PARTS;
            int to = half + (series.size() - 1 - half) * (part + 1) / PARTS;
            if (series.value(to) <= series.value(from)) {
                return false;
            }
        }
        return true;
    }

    private static FindingBuilder finding(Analysis analysis, Series series, double grownBytes) {
        Timeline timeline = analysis.timeline();
        String process = series.process() < 0
                ? "a process"
                : "process " + timeline.tracks().get(series.process()).name();
        double seconds = (series.timeNs(series.size() - 1) - series.timeNs(series.size() / 2)) / 1e9;
        return FindingBuilder.of("memory-growth", HostShare.window(analysis), 0)
                .severity(Severity.INFO)
                .measure("process", process)
                .measure("grown", Units.bytes(grownBytes))
                .measure("now", Units.bytes(series.last()))
                .measure("rate", Units.bytes(grownBytes / Math.max(1e-9, seconds) * 60))
                .claim(
                        "The memory of {process} keeps growing: by {grown} in the second half of the recording, to {now}. At this rate it takes {rate} more each minute.")
                .evidence(new Evidence.Quantity("memory at the end", series.last(), "bytes"))
                .evidence(new Evidence.Quantity("grown in the second half", grownBytes, "bytes"))
                .advice(
                        "Look for what is kept per request or step: lists of tensors or outputs (`.detach()`, `torch.inference_mode()`), caches without a limit, futures that nobody collects. "
                                + "`tracemalloc` names the lines.")
                .noGain("it costs no time until memory is short");
    }
}
