package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.TrustCheck;
import java.util.List;

/** Judges the recording before any rule does, on the stamps as they were recorded. A check fails closed: it says what to record instead. */
public final class TrustGate {
    /** Every check, in the order in which they are reported. */
    static final List<Check> ALL = List.of(
            new LostEvents(),
            new KnownAccelerator(),
            new LaunchesHaveDeviceWork(),
            new GraphLaunchesHaveKernels(),
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

    /** What is asked where instants were not recorded: no check that reads them can be made. */
    static final List<Check> WITHOUT_INSTANTS = List.of(new LostEvents(), new InstantsAreRecorded());

    private TrustGate() {}

    /** Returns what every check says. */
    public static List<TrustCheck> check(Analysis analysis) {
        Recorded recorded = new Recorded(analysis);
        List<Check> checks = recorded.timeline().instantsAreRecorded() ? ALL : WITHOUT_INSTANTS;
        return checks.stream().map(check -> check.of(recorded)).toList();
    }
}
