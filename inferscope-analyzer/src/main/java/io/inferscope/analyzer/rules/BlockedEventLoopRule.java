package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Service;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports calls that block the thread of an event loop inside a task. Basis and threshold:
 * docs/rules/blocked-event-loop.md.
 */
final class BlockedEventLoopRule extends Rule {
    static final String ID = "blocked-event-loop";
    private static final Threshold SHARE = Threshold.share(ID, 0.10);
    private static final int MOST_PLACES = 3;
    private static final double WORTH_NAMING = 0.05;

    BlockedEventLoopRule() {
        super(new RuleInfo(ID, "A task blocks its event loop", Needs.HOST_ACTIVITY).limits(SHARE));
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        int track = analysis.subjectThread();
        if (track < 0 || !analysis.threadStatesRecorded() || !analysis.has(RowKind.STACK_SAMPLE)) {
            return new Verdict.NotApplicable("stacks and states of threads are not both recorded");
        }
        Ledger ledger = HostShare.wall(analysis);
        Map<String, Long> places = blockedByPlace(analysis, track);
        long costNs = Math.min(
                ledger.durationNs(),
                places.values().stream().mapToLong(Long::longValue).sum());
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean("no task of an event loop blocks its thread for long");
        }
        FindingBuilder finding = finding(ledger, costNs)
                .claim("Tasks block the thread of their event loop for {cost}, {share} of the {part}: "
                        + "meanwhile no other task runs.");
        places.entrySet().stream()
                .sorted(Order.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Order.comparingByKey()))
                .limit(MOST_PLACES)
                .forEach(place -> finding.place("blocks", place.getKey(), place.getValue(), 1));
        List<LedgerClass> waits = ledger.entries().stream()
                .filter(e -> e.ledgerClass().isWaiting() && e.ledgerClass() != LedgerClass.WAIT_RUN_QUEUE)
                .filter(e -> ledger.share(e.ns()) >= WORTH_NAMING)
                .map(Ledger.Entry::ledgerClass)
                .toList();
        return Verdict.found(finding.causes(waits)
                .advice(
                        "Await it instead: `asyncio.sleep`, an asynchronous client, `asyncio.create_subprocess_exec`, or "
                                + "`await asyncio.to_thread(...)` around the call that blocks.")
                .noGain("what other tasks would do meanwhile is not recorded"));
    }

    /** Returns how long the thread was blocked inside tasks in the judged part, by the program's line. */
    private static Map<String, Long> blockedByPlace(Analysis analysis, int track) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judgedHostStretch();
        boolean[] inTask = Service.inTask(timeline.stacks());
        Map<String, Long> places = new LinkedHashMap<>();
        if (!anyTrue(inTask)) {
            return places;
        }
        analysis.threads().activity(track).cover(part.startNs(), part.endNs(), piece -> {
            boolean waits =
                    piece.ledgerClass().isWaiting() && !piece.ledgerClass().isHostWork();
            boolean blocked = waits || piece.ledgerClass() == LedgerClass.WAIT_LOCK;
            int stack = piece.sample() < 0 ? -1 : (int) timeline.attribute(piece.sample(), Attribute.STACK);
            if (blocked && stack >= 0 && inTask[stack]) {
                places.merge(analysis.classifier().place(analysis.classifier().placeOf(piece)), piece.ns(), Long::sum);
            }
        });
        return places;
    }

    private static boolean anyTrue(boolean[] values) {
        for (boolean value : values) {
            if (value) {
                return true;
            }
        }
        return false;
    }
}
