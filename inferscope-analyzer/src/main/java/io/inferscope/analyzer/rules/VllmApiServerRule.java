package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.Optional;

/** Reports an API server of vLLM that cannot feed its engine. */
final class VllmApiServerRule extends EngineRule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        int thread = busiestOfServer(analysis);
        if (thread < 0) {
            return notApplicable("unrecorded");
        }
        Optional<Series> waiting = counter(analysis, "waiting");
        if (waiting.isEmpty() && analysis.devices().isEmpty()) {
            return new Verdict.NotApplicable("neither " + names("waiting")[0] + " nor device work is recorded");
        }
        Stretch window = analysis.window();
        double onCpu = (double) analysis.threads().onCpuNs(thread) / Math.max(1, window.durationNs());
        if (onCpu < limit(analysis, "cpu")) {
            return Verdict.clean(
                    "the API server's busiest thread is on a CPU for " + Units.percent(onCpu) + " of the window");
        }
        double hungry = waiting.map(w -> w.share(value -> value < 1)).orElseGet(() -> idleShare(analysis));
        if (hungry < limit(analysis, "hungry")) {
            return Verdict.clean("the API server is busy, and so is the engine");
        }
        String label = Threads.withProcess(analysis.timeline(), thread);
        return Verdict.found(finding(HostShare.window(analysis), 0)
                .severity(Severity.WARNING)
                .measure("thread", label)
                .measure("cpu", Units.percent(onCpu))
                .measure("hungry", Units.percent(hungry))
                .measure("what", waiting.isPresent() ? "no request waits in the engine" : "the GPU is idle")
                .evidence(
                        new Evidence.Place("CPU time", label, analysis.threads().onCpuNs(thread), 1))
                .quantity(waiting.isPresent() ? "time without a waiting request" : "idle GPU", hungry, "ratio")
                .advice(analysis)
                .noGain("how many more requests would come is not in the recording"));
    }

    private static double idleShare(Analysis analysis) {
        Stretch window = analysis.window();
        return 1 - (double) analysis.busy().totalNs() / Math.max(1, window.durationNs());
    }

    /** Returns the thread with most CPU time of the processes that answered requests, -1 without any. */
    private static int busiestOfServer(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        boolean[] answers = new boolean[timeline.tracks().size()];
        for (int row : analysis.rows(RowKind.REQUEST)) {
            int process = timeline.tracks().get(timeline.track(row)).parent();
            if (NameRole.ENGINE_RANGE.in(timeline.name(row)) && process >= 0) {
                answers[process] = true;
            }
        }
        int busiest = -1;
        for (Track track : timeline.tracks()) {
            boolean ofServer = track.kind() == TrackKind.THREAD && track.parent() >= 0 && answers[track.parent()];
            long most = busiest < 0 ? 0 : analysis.threads().onCpuNs(busiest);
            if (ofServer && analysis.threads().onCpuNs(track.id()) > most) {
                busiest = track.id();
            }
        }
        return busiest;
    }
}
