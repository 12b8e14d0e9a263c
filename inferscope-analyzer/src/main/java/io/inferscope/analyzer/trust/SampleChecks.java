package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;

/** What the trust gate asks of stack samples. */
final class SampleChecks {
    private SampleChecks() {}

    /** Samplers that leave idle time out, and files that count samples, hold shares of work and no course of time. */
    static TrustCheck carryTime(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        String assumed = timeline.properties().getOrDefault("samples_assumed_period_ns", "");
        boolean packed = timeline.properties().getOrDefault("samples_axis", "").equals("packed");
        if (!packed && assumed.isEmpty()) {
            return TrustGate.pass("samples-carry-time", "no stack sample stands elsewhere than where it was taken");
        }
        String order =
                "stack samples stand one after the other: time in which a thread was not sampled is left out, threads do not line up,"
                        + " and the length of the timeline is time at work";
        String detail = assumed.isEmpty()
                ? order
                : "the file counts stack samples and holds neither time nor order: each is taken for "
                        + assumedPeriod(assumed) + ", and only shares can be relied on";
        return TrustGate.fail(
                "samples-carry-time",
                false,
                detail,
                "for the course of time: inferscope run -- COMMAND; to see waiting: py-spy record --idle --native --format speedscope");
    }

    /**
     * Samplers leave out threads that the operating system says are idle. Where they are told not to, and see Python frames only, a line
     * that calls time.sleep looks at work. That they were told shows in samples of Python code that only waits.
     */
    static TrustCheck tellWaiting(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        long sampledNs = 0;
        long waitingNs = 0;
        for (int row : analysis.rows(RowKind.STACK_SAMPLE)) {
            sampledNs += timeline.durationNs(row);
            waitingNs += analysis.classify(row).isWaiting() ? timeline.durationNs(row) : 0;
        }
        if (analysis.threadStatesRecorded()) {
            return TrustGate.pass("samples-tell-waiting", "thread states are recorded beside stack samples");
        }
        boolean idleToo = waitingNs > analysis.threshold("trust.idle-samples.share") * sampledNs;
        return idleToo && analysis.pythonStacksWithoutNativeFrames()
                ? TrustGate.fail(
                        "samples-tell-waiting",
                        true,
                        Units.percent((double) waitingNs / sampledNs)
                                + " of the sampled time is waiting, so idle threads were sampled too, and only Python frames: calls"
                                + " that wait in native code, such as time.sleep, look like work",
                        "record without --idle, or with --idle --native")
                : TrustGate.pass(
                        "samples-tell-waiting",
                        "stack samples of threads that wait are absent, or show that they wait");
    }

    private static String assumedPeriod(String ns) {
        return ns.matches("[0-9]{1,18}") ? Units.duration(Long.parseLong(ns)) : ns + " ns";
    }
}
