package io.inferscope.report.common;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One sentence on the overhead of InferScope's own recorders. Recorders' CPU times do not overlap: their sum is the
 * whole.
 */
public final class RecordingCost {
    /** The recorder that is part of every run of InferScope, and of no other profiler's trace. */
    private static final String HOST = "host";

    /** Least duration for shares. For shorter programs, the fixed cost of starting to record dominates. */
    private static final long LEAST_NS = 1_000_000_000;

    /** Name of the overhead of InferScope's process besides its sampling thread: its JVM and writing. */
    private static final String PROCESS = "inferscope";

    private RecordingCost() {}

    /** Returns the sentence; empty for recordings of other profilers. */
    public static String sentence(Report report) {
        List<RecorderOverhead> all = report.overheads();
        if (all.stream().noneMatch(overhead -> overhead.recorder().equals(HOST))) {
            return "";
        }
        long cpuNs = all.stream().mapToLong(RecorderOverhead::cpuNs).sum();
        long heldUpNs = all.stream().mapToLong(RecorderOverhead::heldUpNs).sum();
        long programNs = report.rows(Report.THREADS).stream()
                .filter(thread -> !thread.isRecorders())
                .mapToLong(ThreadFigures::recordedCpuNs)
                .sum();
        List<String> shares = new ArrayList<>();
        boolean part = report.recordedNs() > report.window().durationNs(); // When recorders worked is not known.
        boolean steady = report.recordedNs() >= LEAST_NS;
        if (steady) {
            shares.add(ofACore(all, cpuNs, report.recordedNs()));
        }
        if (steady && !part && programNs > 0) {
            shares.add(Units.percent((double) cpuNs / programNs) + " of the program's " + Units.duration(programNs));
        }
        Map<String, Long> byRecorder = new LinkedHashMap<>(); // Each process has a probe of its own.
        all.forEach(overhead -> byRecorder.merge(overhead.recorder(), overhead.cpuNs(), Long::sum));
        String parts = String.join(
                ", ",
                byRecorder.entrySet().stream()
                        .map(recorder -> recorder.getKey() + " " + Units.duration(recorder.getValue()))
                        .toList());
        return "recording took " + Units.duration(cpuNs) + " of CPU time"
                + (part ? " in all " + Units.duration(report.recordedNs()) + " of the run" : "")
                + (shares.isEmpty() ? "" : ": " + String.join(", ", shares)) + " (" + parts
                + "); it delayed the program by "
                + (heldUpNs == 0 ? "no measurable time" : Units.duration(heldUpNs));
    }

    /**
     * If InferScope's JVM took most of it, which has a fixed cost for its start, the remaining overhead is shown too.
     */
    private static String ofACore(List<RecorderOverhead> all, long cpuNs, long durationNs) {
        long processNs = all.stream()
                .filter(overhead -> overhead.recorder().equals(PROCESS))
                .mapToLong(RecorderOverhead::cpuNs)
                .sum();
        String share = Units.percent((double) cpuNs / durationNs) + " of a core";
        return 2 * processNs < cpuNs || processNs == 0
                ? share
                : share + " (" + Units.percent((double) (cpuNs - processNs) / durationNs)
                        + " without InferScope's JVM, whose start-up is fixed)";
    }
}
