package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;

/** Durations that the importer laid end to end have no instants. Checked only for such a recording. */
final class InstantsAreRecorded extends Check {
    InstantsAreRecorded() {
        super("instants-are-recorded");
    }

    @Override
    TrustCheck of(Recorded recorded) {
        return fail(
                true,
                "only durations and their order are recorded: what lies between them, idle time above all, is not known",
                "record a timeline: " + Recorder.SYSTEM_WIDE);
    }
}
