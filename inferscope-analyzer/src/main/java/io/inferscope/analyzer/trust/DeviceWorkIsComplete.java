package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.TrustCheck;

/** Idle time that may be work that is missing or has wrong timestamps: the error of idle time. */
final class DeviceWorkIsComplete extends Check {
    static final Threshold MISSING = Threshold.of("trust.missing-work.share");

    /** Above this multiple of the limit, the missing time could change the verdict. */
    private static final int WITHHOLDS = 4;

    @Override
    TrustCheck of(RecordingFacts recorded) {
        MissingTime missing = MissingTime.of(recorded.analysis());
        return missing.isSmall()
                ? pass(missing.detail())
                : fail(
                        missing.share() > WITHHOLDS * recorded.threshold(MISSING),
                        missing.detail(),
                        MissingTime.remedy(recorded.analysis()));
    }
}
