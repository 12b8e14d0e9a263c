package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;

/**
 * How much of the headline device's idle time may be work that is missing or has wrong timestamps. The one estimate for
 * the trust gate, the verdict and findings.
 *
 * @param ns its upper bound in the recording, in ns; 0 where no launch without an operation proves that work is missing
 *     and the limit of {@code device-work-is-complete} is kept
 * @param judgedNs its upper bound in the judged part, likewise
 * @param share what may be missing, as a ratio of the device's span; without the time that operations of one stream
 *     share: {@link StreamsDoNotOverlap} judges that, which may be by design
 * @param isSmall whether the limit of {@code device-work-is-complete} is kept
 * @param detail the result of that check
 */
public record MissingTime(long ns, long judgedNs, double share, boolean isSmall, String detail) {
    private static final Stretch ALL = new Stretch(Long.MIN_VALUE, Long.MAX_VALUE);

    /** Returns it. It is computed once. */
    public static MissingTime of(Analysis analysis) {
        return analysis.once(MissingTime.class, MissingTime::find);
    }

    private static MissingTime find(Analysis analysis) {
        DeviceActivity device = analysis.headline().orElse(null);
        if (device == null || !analysis.timeline().instantsAreRecorded()) {
            return new MissingTime(0, 0, 0, true, "no device work to look at");
        }
        RecordingFacts recorded = RecordingFacts.of(analysis);
        MissingWork work = new MissingWork(recorded, device);
        if (!work.isKnown()) {
            String detail = "most operations of device " + device.id()
                    + " have no launch in the recording, so it is unknown whether work is missing";
            return new MissingTime(0, 0, 0, true, detail);
        }
        Stretch span = new Stretch(device.firstNs(), device.lastNs());
        long idleNs = span.durationNs() - device.busy().totalNs();
        long missingNs = Math.min(idleNs, work.missingNs(ALL));
        long overlapNs = work.overlapNs(ALL);
        long ns = Math.min(idleNs, missingNs + overlapNs);
        double share = (double) missingNs / Math.max(1, span.durationNs());
        boolean isSmall = share <= recorded.threshold(DeviceWorkIsComplete.MISSING);
        return new MissingTime(
                isSmall && !work.isProven(ALL) ? 0 : ns,
                judgedNs(analysis, device, work, isSmall),
                share,
                isSmall,
                detail(device, idleNs, ns, overlapNs > 0));
    }

    /** Returns how to record the work. */
    public static String remedy(Analysis analysis) {
        return "let no other profiler run at the same time, and "
                + RecordingRemedy.of(analysis).again();
    }

    private static long judgedNs(Analysis analysis, DeviceActivity device, MissingWork work, boolean isSmall) {
        Stretch part = analysis.judged().stretch();
        if (isSmall && !work.isProven(part)) {
            return 0;
        }
        long idleNs = part.durationNs() - device.busy().totalWithinNs(part.startNs(), part.endNs());
        return Math.min(idleNs, work.missingNs(part) + work.overlapNs(part));
    }

    private static String detail(DeviceActivity device, long idleNs, long ns, boolean overlaps) {
        return ns == 0
                ? "no launch, pause or overlap shows that work of device " + device.id() + " is missing"
                : "work of up to " + Units.duration(ns) + " is missing on device " + device.id()
                        + (overlaps ? " or has wrong timestamps" : "") + ": it is idle for "
                        + Units.interval(Units.duration(idleNs - ns), Units.duration(idleNs)) + " of its span";
    }
}
