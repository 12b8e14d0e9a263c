package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;

/**
 * How much of the headline device's idle time may be work that is missing.
 *
 * @param ns its upper bound, in ns; 0 where no launch without an operation proves that work is missing and the limit of
 *     {@code device-work-is-complete} is kept
 * @param isSmall whether that limit is kept
 * @param detail the result of that check
 * @param remedy how to record the work
 */
public record MissingTime(long ns, boolean isSmall, String detail, String remedy) {
    private static final MissingTime NONE = new MissingTime(0, true, "", "");

    /** Returns it. It is computed once. */
    public static MissingTime of(Analysis analysis) {
        return analysis.once(MissingTime.class, MissingTime::find);
    }

    private static MissingTime find(Analysis analysis) {
        DeviceActivity device = analysis.headline().orElse(null);
        if (device == null || !analysis.timeline().instantsAreRecorded()) {
            return NONE;
        }
        RecordingFacts recorded = new RecordingFacts(analysis);
        DeviceWorkIsComplete.Result result = DeviceWorkIsComplete.measure(recorded, device);
        boolean isSmall = result.isComplete(recorded);
        boolean counts = result.isKnown() && (result.isProven() || !isSmall);
        return counts
                ? new MissingTime(result.ns(), isSmall, result.detail(device), DeviceWorkIsComplete.remedy(recorded))
                : NONE;
    }
}
