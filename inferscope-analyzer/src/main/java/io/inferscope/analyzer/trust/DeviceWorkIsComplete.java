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

    @Override
    TrustCheck of(RecordingFacts recorded) {
        if (recorded.analysis().headline().isEmpty()) {
            return pass("no device work to look at");
        }
        DeviceActivity device = recorded.analysis().headline().orElseThrow();
        MissingWork missing = new MissingWork(recorded);
        long spanNs = Math.max(1, device.lastNs() - device.firstNs());
        long idleNs = spanNs - device.busy().totalNs();
        long mostNs = Math.min(idleNs, missing.mostNs(device));
        long overlapNs = missing.overlapNs(device); // StreamsDoNotOverlap judges that, which may be by design.
        double share = (double) Math.max(0, Math.min(idleNs, missing.mostNs(device) - overlapNs)) / spanNs;
        if (!missing.isKnown(device)) {
            return pass("most operations of device " + device.id()
                    + " have no launch in the recording, so it is unknown whether work is missing");
        }
        String detail = mostNs == 0
                ? "no launch, pause or overlap shows that work of device " + device.id() + " is missing"
                : "work of up to " + Units.duration(mostNs) + " is missing on device " + device.id()
                        + (overlapNs > 0 ? " or has wrong timestamps" : "") + ": it is idle for "
                        + Units.duration(idleNs - mostNs) + " to " + Units.duration(idleNs)
                        + " of its span";
        return share > recorded.threshold(MISSING)
                ? fail(
                        share > WITHHOLDS * recorded.threshold(MISSING),
                        detail,
                        "let no other profiler run at the same time, and "
                                + recorded.recorder().again())
                : pass(detail);
    }
}
