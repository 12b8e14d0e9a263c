package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.List;

/** Reports memory of a process that keeps growing after its start. */
final class MemoryGrowthRule extends Rule {
    private static final String COUNTER = "host.rss_bytes";

    /** The judged time is cut into so many parts of equal length; memory must have grown in each. */
    private static final int PARTS = 3;

    /** Least growth in each part, relative to the growth at an even pace. */
    private static final double LEAST_OF_EVEN = 0.25;

    /** A load that takes this part of the window belongs to the start of a program; lazily loaded modules take less. */
    private static final double LOADS = 0.01;

    @Override
    public Verdict evaluate(Analysis analysis) {
        List<Series> all = analysis.counters().named(COUNTER);
        long loadedNs = all.isEmpty() || analysis.judgesSteadyState() ? 0 : loadedNs(analysis);
        List<Series> judged = all.stream()
                .map(series -> afterStart(analysis, series, loadedNs))
                .filter(s -> s.size() > 0
                        && s.size() >= limit(analysis, "samples")
                        && s.spanNs() >= limit(analysis, "span-ns"))
                .toList();
        if (judged.isEmpty()) {
            return new Verdict.NotApplicable("no process' memory is recorded for long enough after its start");
        }
        for (Series series : judged) {
            double grownBytes = series.last() - series.first();
            boolean much =
                    grownBytes >= limit(analysis, "bytes") && grownBytes >= limit(analysis, "share") * series.last();
            if (much && growsThroughout(series, grownBytes)) {
                return Verdict.found(finding(analysis, series, grownBytes));
            }
        }
        return Verdict.clean("memory does not keep growing in the " + part(analysis));
    }

    private static String part(Analysis analysis) {
        return analysis.judgesSteadyState() ? "steady state" : "part of the recording that follows its start";
    }

    /**
     * Returns the series after the start-up. Without a steady state, that is after the last load and after the first
     * half.
     */
    private static Series afterStart(Analysis analysis, Series series, long loadedNs) {
        if (analysis.judgesSteadyState()) {
            Stretch steady = analysis.judged().stretch();
            return series.between(steady.startNs(), steady.endNs());
        }
        long halfNs = series.timeNs(0) + series.spanNs() / 2;
        return series.between(Math.max(halfNs, loadedNs), Long.MAX_VALUE);
    }

    private static long loadedNs(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        double leastNs = LOADS * analysis.window().durationNs();
        return Arrays.stream(analysis.rows(RowKind.ANNOTATION))
                .filter(row -> timeline.durationNs(row) >= leastNs)
                .filter(row -> analysis.classify(row) == LedgerClass.FRAMEWORK_COMPILE_LOAD)
                .mapToLong(timeline::endNs)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    private static boolean growsThroughout(Series series, double grownBytes) {
        double before = series.first();
        for (int part = 1; part <= PARTS; part++) {
            double reached = series.at(series.timeNs(0) + series.spanNs() * part / PARTS);
            if (reached - before < LEAST_OF_EVEN * grownBytes / PARTS) {
                return false;
            }
            before = reached;
        }
        return true;
    }

    private FindingBuilder finding(Analysis analysis, Series series, double grownBytes) {
        Timeline timeline = analysis.timeline();
        String process = series.process() < 0
                ? "a process"
                : "process " + timeline.tracks().get(series.process()).name();
        double seconds = series.spanNs() / 1e9;
        return finding(HostShare.judged(analysis), 0)
                .severity(Severity.INFO)
                .measure("process", process)
                .measure("grown", Units.bytes(grownBytes))
                .measure("time", Units.duration(series.spanNs()))
                .measure("judged", part(analysis))
                .measure("now", Units.bytes(series.last()))
                .measure("rate", Units.bytes(grownBytes / Math.max(1e-9, seconds) * 60))
                .quantity("memory at the end", series.last(), "bytes")
                .quantity("grown in that time", grownBytes, "bytes")
                .advice(analysis)
                .noGain("it costs no time until memory is short");
    }
}
