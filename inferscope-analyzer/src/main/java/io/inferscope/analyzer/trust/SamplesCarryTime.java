package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Timeline;

/**
 * Samplers that omit idle time, and files that only count samples, give shares of the work, but not when it happened.
 */
final class SamplesCarryTime extends Check {
    @Override
    TrustCheck of(RecordingFacts recorded) {
        Timeline timeline = recorded.timeline();
        String assumed = timeline.properties().getOrDefault("samples_assumed_period_ns", "");
        boolean packed = timeline.properties().getOrDefault("samples_axis", "").equals("packed");
        if (!packed && assumed.isEmpty()) {
            return pass("every stack sample is at the time when it was taken");
        }
        String order =
                "stack samples were laid end to end: time in which a thread was not sampled is left out, threads do not line up,"
                        + " and the length of the timeline is time at work";
        String detail = assumed.isEmpty()
                ? order
                : "the file counts stack samples and holds neither time nor order: each is taken for "
                        + assumedPeriod(assumed) + ", and only shares can be relied on";
        return fail(
                false,
                detail,
                "to see when work happened: `inferscope run -- COMMAND`; to see waiting:"
                        + " `py-spy record --idle --native --format speedscope -- COMMAND`");
    }

    private static String assumedPeriod(String ns) {
        return ns.matches("[0-9]{1,18}") ? Units.duration(Long.parseLong(ns)) : ns + " ns";
    }
}
