package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.EmptiedQueue;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Reports idle time in which the host returns from waiting for the device and launches again. */
final class BlockingSyncRule extends Rule {
    private static final int PLACES = 3;

    private static final List<LedgerClass> CAUSES = Stream.concat(
                    Stream.of(LedgerClass.FRAMEWORK_SYNC_RETURN), LaunchBoundRule.LAUNCHING.stream())
            .toList();

    @Override
    public Verdict evaluate(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Ledger ledger = analysis.ledger();
        long returnNs = ledger.ns(LedgerClass.FRAMEWORK_SYNC_RETURN);
        EmptiedQueue queue = EmptiedQueue.of(analysis);
        HostCalls calls = CallsRule.apiCalls(analysis, queue::isWait);
        long launchingNs = queue.ns(LaunchBoundRule.LAUNCHING)
                + queue.needlessNs()
                - queue.needlessNs(CAUSES); // The host's own work, which a filled queue would have hidden.
        long costNs = returnNs + launchingNs;
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(calls.count() + " synchronising calls; the GPU is idle under and after them for "
                    + ledger.shareOfPart(costNs));
        }
        Stretch part = analysis.judged().stretch();
        int longest = calls.longest();
        FindingBuilder finding = finding(ledger, costNs)
                .measure("calls", Units.count(calls.count()))
                .quantity("synchronising calls", calls.count(), "count")
                .quantity(
                        "time inside them",
                        calls.times().clip(part.startNs(), part.endNs()).totalNs(),
                        "ns")
                .quantity("idle time in which it launches again", launchingNs, "ns");
        drains(analysis, queue).forEach(finding::evidence);
        if (longest >= 0) {
            finding.longest(analysis, longest, timeline.durationNs(longest));
        }
        finding.judgedPlaces(analysis, 3, b -> b.cause() == LedgerClass.FRAMEWORK_SYNC_RETURN)
                .advice(Advice.against(LedgerClass.FRAMEWORK_SYNC_RETURN, analysis));
        // A replay without the calls says nothing where the next launch needs their result.
        return Verdict.found(
                launchingNs > returnNs
                        ? finding.causes(CAUSES)
                                .noGain(
                                        "how much of the launching a filled queue hides depends on when the host needs the results")
                        : finding.saves(analysis, List.of(LedgerClass.FRAMEWORK_SYNC_RETURN), "the host never waits"));
    }

    /** Returns where the calls that emptied the queue are, by the idle time that follows them. */
    private static List<Evidence> drains(Analysis analysis, EmptiedQueue queue) {
        Map<String, long[]> places = new LinkedHashMap<>();
        Timeline timeline = analysis.timeline();
        for (EmptiedQueue.Drain drain : queue.drains()) {
            int around = timeline.enclosing(drain.call(), RowKind.OPERATOR);
            for (int outer = around; outer >= 0; outer = timeline.enclosing(outer, RowKind.OPERATOR)) {
                around = outer;
            }
            String place = PlaceEvidence.place(
                    analysis.where(drain.call()), timeline.name(around < 0 ? drain.call() : around));
            long[] sum = places.computeIfAbsent(place, p -> new long[2]);
            sum[0] += drain.ns();
            sum[1]++;
        }
        return places.entrySet().stream()
                .sorted((a, b) -> Long.compare(b.getValue()[0], a.getValue()[0]))
                .limit(PLACES)
                .<Evidence>map(one -> new Evidence.Place(
                        "the queue was emptied at", one.getKey(), one.getValue()[0], one.getValue()[1]))
                .toList();
    }
}
