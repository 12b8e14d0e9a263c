package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;

/** Idle time that may be work that is missing or has wrong timestamps: the error of idle time. */
final class DeviceWorkIsComplete extends Check {
    private static final Threshold MISSING = new Threshold(
            "trust.missing-work.share", 0.05, "device time that may be missing or have wrong timestamps, of the span");

    /** Above this multiple of the limit, the missing time could change the verdict. */
    private static final int WITHHOLDS = 4;

    DeviceWorkIsComplete() {
        super("device-work-is-complete", MISSING);
    }

    /**
     * The missing time of a device.
     *
     * @param ns the upper bound of the missing work, in ns
     * @param overlapNs how much more its streams ran than they were busy, in ns; {@link StreamsDoNotOverlap} judges
     *     that, which may be by design
     * @param isKnown whether launches can tell of missing work
     * @param isProven whether a launch without an operation proves that work is missing
     */
    record Result(long spanNs, long idleNs, long ns, long overlapNs, boolean isKnown, boolean isProven) {
        double share() {
            return (double) ns / spanNs;
        }

        boolean isComplete(RecordingFacts recorded) {
            return !isKnown || share() <= recorded.threshold(MISSING);
        }

        String detail(DeviceActivity device) {
            if (!isKnown) {
                return "most operations of device " + device.id()
                        + " have no launch in the recording, so it is unknown whether work is missing";
            }
            long mostNs = Math.min(idleNs, ns + overlapNs);
            return mostNs == 0
                    ? "no launch, pause or overlap shows that work of device " + device.id() + " is missing"
                    : "work of up to " + Units.duration(mostNs) + " is missing on device " + device.id()
                            + (overlapNs > 0 ? " or has wrong timestamps" : "") + ": it is idle for "
                            + Units.duration(idleNs - mostNs) + " to " + Units.duration(idleNs) + " of its span";
        }
    }

    static Result measure(RecordingFacts recorded, DeviceActivity device) {
        MissingWork missing = new MissingWork(recorded);
        long spanNs = Math.max(1, device.lastNs() - device.firstNs());
        long idleNs = spanNs - device.busy().totalNs();
        long overlapNs = missing.overlapNs(device);
        long ns = Math.max(0, Math.min(idleNs, missing.mostNs(device) - overlapNs));
        return new Result(spanNs, idleNs, ns, overlapNs, missing.isKnown(device), missing.isProven(device));
    }

    static String remedy(RecordingFacts recorded) {
        return "let no other profiler run at the same time, and "
                + recorded.recorder().again();
    }

    @Override
    TrustCheck of(RecordingFacts recorded) {
        DeviceActivity device = recorded.analysis().headline().orElse(null);
        if (device == null) {
            return pass("no device work to look at");
        }
        Result result = measure(recorded, device);
        return result.isComplete(recorded)
                ? pass(result.detail(device))
                : fail(
                        result.share() > WITHHOLDS * recorded.threshold(MISSING),
                        result.detail(device),
                        remedy(recorded));
    }
}
