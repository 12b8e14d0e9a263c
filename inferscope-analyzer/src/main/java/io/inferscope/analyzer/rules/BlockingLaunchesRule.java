package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.BlockingLaunches;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.stream.Stream;

/** Reports launch calls that wait for their kernels. */
final class BlockingLaunchesRule extends Rule {
    /** What the host does between two launches. Recordings without operators show its own code there, or nothing. */
    private static final List<LedgerClass> PREPARING = Stream.concat(
                    LaunchBoundRule.LAUNCHING.stream(),
                    Stream.of(
                            LedgerClass.CPU_PYTHON,
                            LedgerClass.CPU_CODE,
                            LedgerClass.CPU_UNKNOWN,
                            LedgerClass.UNATTRIBUTED))
            .toList();

    @Override
    public Verdict evaluate(Analysis analysis) {
        BlockingLaunches blocking = BlockingLaunches.of(analysis);
        String limit = Units.duration((long) analysis.threshold(BlockingLaunches.KERNEL_NS));
        String which = blocking.variable().isEmpty() ? "launches of kernels of " + limit + " or more" : "launches";
        if (blocking.launches() < analysis.threshold(BlockingLaunches.LAUNCHES)) {
            return new Verdict.NotApplicable("too few " + which + " are recorded to judge whether they wait");
        }
        String calls = Units.count(blocking.waiting()) + " of " + Units.count(blocking.launches()) + " " + which;
        if (!blocking.areFound()) {
            return Verdict.clean(calls + " wait for them");
        }
        Ledger ledger = analysis.ledger();
        long costNs = blocking.idleNs(PREPARING);
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("each launch waits for its kernel; the GPU is idle because of that for "
                    + ledger.shareOfPart(costNs));
        }
        FindingBuilder finding = finding(ledger, costNs)
                .measure("waiting", calls)
                .measure("variable", blocking.variable())
                .claim("blocking-launches", blocking.variable().isEmpty() ? "" : "blocking-launches.variable")
                .causes(PREPARING)
                .quantity("launch calls that wait", blocking.waits().count(), "count")
                .quantity("time in which they wait for the working device", blocking.waitedNs(), "ns")
                .quantity("idle time in which they return", blocking.returnNs(), "ns")
                .longest(analysis, blocking.waits())
                .judgedPlaces(analysis, 3, b -> PREPARING.contains(b.cause()))
                .advice(analysis);
        return Verdict.found(finding.queues(analysis, blocking));
    }

    /** Returns why a rule about launches has nothing to say where each of them waits; empty where they do not. */
    static String explains(Analysis analysis) {
        return BlockingLaunches.of(analysis).areFound()
                ? "each launch call waits for its kernel: see blocking-launches"
                : "";
    }
}
