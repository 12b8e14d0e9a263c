package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.UnrecordedDeviceUsers;
import io.inferscope.analyzer.launch.TracerTime;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;

/**
 * A call that waits for the device while the recording shows the device as idle: the trace was sliced, or the work was
 * lost.
 */
final class BlockedCallsHaveDeviceWork extends Check {
    private static final Threshold BLOCKED = Threshold.of("trust.blocked.share");

    @Override
    TrustCheck of(RecordingFacts recorded) {
        Analysis analysis = recorded.analysis();
        Timeline timeline = recorded.timeline();
        Intervals.Builder blocked = new Intervals.Builder(16);
        int worst = -1;
        long worstNs = 0;
        for (int row : analysis.apiCalls()) {
            if (analysis.isSynchronising(row)) {
                blocked.add(timeline.startNs(row), timeline.endNs(row));
                if (timeline.durationNs(row) > worstNs) { // A shorter call cannot contain a longer idle time.
                    long ns = idleNs(analysis, row);
                    worst = ns > worstNs ? row : worst;
                    worstNs = Math.max(worstNs, ns);
                }
            }
        }
        Intervals idle = blocked.build()
                .clip(analysis.window().startNs(), analysis.window().endNs())
                .minus(analysis.busy());
        long insideNs = idle.totalNs();
        idle = idle.minus(TracerTime.of(recorded.analysis()).gaps());
        insideNs -= idle.totalNs();
        long othersNs = othersNs(analysis, idle);
        long idleNs = idle.totalNs() - othersNs;
        double share = recorded.shareOfWindow(idleNs);
        String detail = "synchronising calls wait " + Units.duration(idleNs) + " (" + Units.percent(share)
                + " of the window) while no device work is recorded"
                + (insideNs == 0 ? "" : ", and another " + Units.duration(insideNs) + " between nodes of graph replays")
                + (othersNs == 0
                        ? ""
                        : ", and another " + Units.duration(othersNs) + " while other processes use the device");
        if (share <= recorded.threshold(BLOCKED)) {
            return pass(detail);
        }
        return fail(
                true,
                detail + ", one " + timeline.name(worst) + " alone " + Units.duration(worstNs)
                        + ": the device work they waited for is missing",
                recorded.recorder().again());
    }

    /** Returns how much of the waits other processes explain that use the only device. */
    private static long othersNs(Analysis analysis, Intervals idle) {
        return analysis.devices().size() == 1
                ? new UnrecordedDeviceUsers(analysis, analysis.devices().get(0)).waitedNs(idle, analysis.window())
                : 0;
    }

    private static long idleNs(Analysis analysis, int row) {
        Timeline timeline = analysis.timeline();
        return timeline.durationNs(row) - analysis.busy().totalWithinNs(timeline.startNs(row), timeline.endNs(row));
    }
}
