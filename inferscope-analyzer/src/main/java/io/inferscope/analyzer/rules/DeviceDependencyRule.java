package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Timeline;
import java.util.List;

/** Reports idle time in which the next operation had already been launched. */
final class DeviceDependencyRule extends Rule {
    /** A longer pause between two nodes is not caused by the graph: its nodes follow each other within microseconds. */
    private static final long LONGEST_PAUSE_NS = 100_000;

    /** Number of rows before a launch that are searched for an event wait. */
    private static final int MOST_ROWS = 64;

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = analysis.ledger();
        long costNs = ledger.ns(LedgerClass.GPU_DEPENDENCY);
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("device work waits for other device work for " + ledger.shareOfPart(costNs));
        }
        if (SharedDeviceRule.explainsWaits(analysis)) {
            return Verdict.clean("most of it passes while other processes use the device: see shared-device");
        }
        DeviceActivity device = analysis.headline().orElseThrow();
        Proof proof = new Proof(analysis, device);
        FindingBuilder finding = finding(ledger, Math.min(costNs, proof.ns))
                .measure("waits", Units.count(proof.waits))
                .measure("replayed", Units.count(proof.replayed))
                .judgedPlaces(analysis, 3, b -> b.cause() == LedgerClass.GPU_DEPENDENCY)
                .quantity("gaps before an operation that waits for an event", proof.waits, "count")
                .quantity("gaps inside graph replays", proof.replayed, "count");
        if (ledger.share(proof.ns) < leastShare(analysis)) {
            return Verdict.found(finding.severity(Severity.INFO)
                    .measure("all", Units.duration(costNs))
                    .measure("of it", Units.percent(ledger.share(costNs)))
                    .claim(
                            RecordingProperty.DEVICES_TAKE_TURNS.holds(analysis)
                                    ? "device-dependency.turns"
                                    : "device-dependency.unknown")
                    .advice("device-dependency.unknown", analysis)
                    .noGain("nothing recorded proves what the device waits for"));
        }
        FindingBuilder proven = finding.advice(
                proof.replayed > proof.waits ? "device-dependency.graphs" : "device-dependency.events", analysis);
        return Verdict.found(
                proof.insideNs >= analysis.threshold(Thresholds.GRAPH_GAP) * Math.max(1, proof.replayed)
                                && 2 * proof.insideNs > proof.ns
                        ? proven.noGain(
                                "tracers put time of their own between the nodes of a graph, and how much of it a run without one has is not recorded")
                        : proven.saves(
                                analysis,
                                List.of(LedgerClass.GPU_DEPENDENCY),
                                "no device work waits for other device work"));
    }

    /** Idle time after launches with a cause that the recording proves. */
    private static final class Proof {
        private final Analysis analysis;
        private final Timeline timeline;
        private long ns;
        private long waits;
        private long replayed;
        private long insideNs;

        Proof(Analysis analysis, DeviceActivity device) {
            this.analysis = analysis;
            this.timeline = analysis.timeline();
            Stretch part = analysis.judged().stretch();
            long reachedNs = part.startNs();
            for (int i = 0; i < device.operationCount(); i++) {
                long startNs = timeline.startNs(device.row(i));
                if (startNs > reachedNs && startNs <= part.endNs() && device.launch(i) >= 0) {
                    add(device, i, reachedNs, startNs);
                }
                reachedNs = Math.max(reachedNs, timeline.endNs(device.row(i)));
            }
        }

        private void add(DeviceActivity device, int operation, long fromNs, long toNs) {
            long sinceNs = Math.max(fromNs, timeline.endNs(device.launch(operation)));
            boolean inside = device.isReplayedLater(operation);
            if (sinceNs < toNs && (inside ? toNs - sinceNs <= LONGEST_PAUSE_NS : waits(device, operation))) {
                ns += toNs - sinceNs;
                replayed += inside ? 1 : 0;
                insideNs += inside ? toNs - sinceNs : 0;
                waits += inside ? 0 : 1;
            }
        }

        /**
         * Whether an operation waited for an event: the wait is recorded with it, or the launching thread requested it
         * before the launch.
         */
        private boolean waits(DeviceActivity device, int operation) {
            int launch = device.launch(operation);
            if (timeline.links().eventGiver(device.row(operation)) >= 0 || isWait(launch)) {
                return true;
            }
            int first = Math.max(timeline.firstRow(timeline.track(launch)), launch - MOST_ROWS);
            for (int row = launch - 1; row >= first; row--) {
                if (timeline.kind(row).isApiCall() && (isWait(row) || analysis.isLaunch(row))) {
                    return isWait(row);
                }
            }
            return false;
        }

        private boolean isWait(int row) {
            return ApiCalls.isStreamWait(timeline.name(row));
        }
    }
}
