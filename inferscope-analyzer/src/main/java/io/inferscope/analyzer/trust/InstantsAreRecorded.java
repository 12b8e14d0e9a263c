package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;

/**
 * A recording of durations only, which the importer placed end to end, has no instants. Checked only for such
 * recordings.
 */
final class InstantsAreRecorded extends Check {
    @Override
    TrustCheck of(RecordingFacts recorded) {
        return fail(
                true,
                "only durations and their order are recorded: what lies between them, idle time above all, is not known",
                RecordingRemedy.of("any").again());
    }
}
