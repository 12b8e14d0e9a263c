package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.DeviceActivity;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;

/**
 * What the driver counted of each device, against what is recorded of it. A sample of the driver's says for how much of the time since
 * the one before a kernel ran, whoever's it was.
 */
final class UtilisationAgrees extends Check {
    UtilisationAgrees() {
        super("utilisation-agrees");
    }

    /** What one counter and the recording say of the same time. */
    private record Comparison(String device, long coveredNs, double countedRatio, double recordedRatio) {
        double apart() {
            return Math.abs(countedRatio - recordedRatio);
        }
    }

    @Override
    TrustCheck of(Recorded recorded) {
        Comparison worst = null;
        for (Track track : recorded.timeline().tracks()) {
            String device = track.kind() == TrackKind.COUNTER ? DeviceCounters.utilisedDevice(track.key()) : "";
            if (!device.isEmpty()) {
                Comparison comparison = compare(recorded, track, device);
                boolean enough = comparison.coveredNs >= recorded.threshold("utilisation.least-ns");
                worst = enough && (worst == null || comparison.apart() > worst.apart()) ? comparison : worst;
            }
        }
        if (worst == null) {
            return pass("no utilisation counted by the driver is recorded for long enough");
        }
        String detail = "of " + Units.duration(worst.coveredNs) + " the driver counted device " + worst.device
                + " busy for " + Units.percent(worst.countedRatio) + ", recorded are "
                + Units.percent(worst.recordedRatio);
        if (worst.apart() <= recorded.threshold("utilisation.share")) {
            return pass(detail);
        }
        return fail(
                true,
                detail
                        + (worst.countedRatio > worst.recordedRatio
                                ? ": kernels are missing, or another program uses the device"
                                : ": kernels are recorded that did not run for so long"),
                "let no other program use the device (`nvidia-smi pmon -c 1` lists them), and "
                        + recorded.recorder().again());
    }

    private static Comparison compare(Recorded recorded, Track counter, String device) {
        Timeline timeline = recorded.timeline();
        Intervals kernels = kernels(recorded, device);
        double countedNs = 0;
        long recordedNs = 0;
        long coveredNs = 0;
        long beforeNs = Long.MIN_VALUE;
        for (int row = timeline.firstRow(counter.id()); row < timeline.endRow(counter.id()); row++) {
            double ratio = Double.longBitsToDouble(timeline.attribute(row, Attribute.COUNTER_VALUE));
            long atNs = timeline.startNs(row);
            if (beforeNs != Long.MIN_VALUE && ratio >= 0 && ratio <= 1) {
                countedNs += ratio * (atNs - beforeNs);
                recordedNs += kernels.totalWithinNs(beforeNs, atNs);
                coveredNs += atNs - beforeNs;
            }
            beforeNs = atNs;
        }
        double total = Math.max(1, coveredNs);
        return new Comparison(device, coveredNs, countedNs / total, recordedNs / total);
    }

    private static Intervals kernels(Recorded recorded, String id) {
        for (DeviceActivity device : recorded.analysis().devices()) {
            if (device.id().equals(id)) {
                return device.compute().union(device.exposed(LedgerClass.GPU_COMMUNICATION));
            }
        }
        return Intervals.EMPTY;
    }
}
