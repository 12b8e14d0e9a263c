package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.Failure;
import io.inferscope.analyzer.model.Report.TrustCheck;
import java.util.List;

/**
 * Judges the recording before any rule does, on the recorded stamps. A check fails closed; a failed check states what
 * to record instead.
 */
public final class TrustGate {
    public static final Threshold CLOCK_ERROR = Threshold.of("trust.clock-error.ns");
    public static final Threshold FIRST_OPERATION = Threshold.of("trust.first-operation.ns");

    /** Every check, in the order in which they are reported. */
    static final List<Check> ALL = List.of(
            new LostEvents(),
            new ProgramSucceeded(),
            new KnownAccelerator(),
            new LaunchesHaveDeviceWork(),
            new GraphLaunchesHaveKernels(),
            new GraphReplaysAreBusy(),
            new DeviceWorkIsComplete(),
            new OperationsHaveLaunches(),
            new KernelsFollowTheirLaunch(),
            new SynchronisationFollowsItsWork(),
            new ClocksAreTied(),
            new StreamsDoNotOverlap(),
            new StepsHaveDeviceWork(),
            new BlockedCallsHaveDeviceWork(),
            new FirstOperationStartsAtOnce(),
            new UtilisationAgrees(),
            new ProfilerIsSmall(),
            new SamplesCarryTime(),
            new SamplesTellWaiting());

    /** The checks for recordings without instants; all others need instants. */
    static final List<Check> WITHOUT_INSTANTS = List.of(new LostEvents(), new InstantsAreRecorded());

    private TrustGate() {}

    /** Returns the result of every check. */
    public static List<TrustCheck> check(Analysis analysis) {
        RecordingFacts recorded = RecordingFacts.of(analysis);
        List<Check> checks = recorded.timeline().instantsAreRecorded() ? ALL : WITHOUT_INSTANTS;
        return checks.stream().map(check -> ask(check, recorded)).toList();
    }

    /**
     * Runs a check. A check with a defect counts as failed, because it has not shown that the recording can be trusted.
     */
    static TrustCheck ask(Check check, RecordingFacts recorded) {
        try {
            return check.of(recorded);
        } catch (RuntimeException | StackOverflowError e) {
            return check.fail(
                    true, "the check itself failed: " + Failure.describe(e), "report this defect with the recording");
        }
    }
}
