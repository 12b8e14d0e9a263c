package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ThreadActivity;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Service;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Reports calls that block the thread of an event loop inside a task. */
final class BlockedEventLoopRule extends Rule {
    static final String ID = "blocked-event-loop";
    private static final int MOST_PLACES = 3;
    private static final double WORTH_NAMING = 0.05;

    @Override
    public Verdict evaluate(Analysis analysis) {
        if (analysis.subjectThread() < 0 || !analysis.threadStatesRecorded() || !analysis.has(RowKind.STACK_SAMPLE)) {
            return new Verdict.NotApplicable("stacks and states of threads are not both recorded");
        }
        Ledger ledger = HostShare.judged(analysis);
        Map<String, Long> places = blockedByPlace(analysis, BlockedEventLoopRule::blocks);
        long costNs = Math.min(
                ledger.durationNs(),
                places.values().stream().mapToLong(Long::longValue).sum());
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("no task of an event loop blocks its thread for long");
        }
        FindingBuilder finding = finding(ledger, costNs);
        places.entrySet().stream()
                .sorted(Order.largestFirst())
                .limit(MOST_PLACES)
                .forEach(place -> finding.place("blocks", place.getKey(), place.getValue(), 1));
        List<LedgerClass> waits = ledger.entries().stream()
                .filter(e -> e.ledgerClass().isWaiting() && e.ledgerClass() != LedgerClass.WAIT_RUN_QUEUE)
                .filter(e -> ledger.share(e.ns()) >= WORTH_NAMING)
                .map(Ledger.Entry::ledgerClass)
                .toList();
        return Verdict.found(
                finding.causes(waits).advice(analysis).noGain("what other tasks would do meanwhile is not recorded"));
    }

    private static boolean blocks(LedgerClass ledgerClass) {
        return (ledgerClass.isWaiting() && !ledgerClass.isHostWork()) || ledgerClass == LedgerClass.WAIT_LOCK;
    }

    /** Returns how long waits of some classes blocked the judged threads inside tasks, in ns. */
    static long blockedNs(Analysis analysis, List<LedgerClass> classes) {
        return analysis.subjectThread() < 0 || !analysis.has(RowKind.STACK_SAMPLE)
                ? 0
                : blockedByPlace(analysis, classes::contains).values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
    }

    /** Returns how long such waits blocked the judged threads inside tasks in the judged part, by the program's line. */
    private static Map<String, Long> blockedByPlace(Analysis analysis, Predicate<LedgerClass> blocks) {
        Timeline timeline = analysis.timeline();
        boolean[] inTask = Service.inTask(timeline.stacks());
        Map<String, Long> places = new LinkedHashMap<>();
        if (IntStream.range(0, inTask.length).noneMatch(i -> inTask[i])) {
            return places;
        }
        Map<String, Boolean> rangeInTask = rangesInTasks(analysis, inTask);
        judged(analysis, piece -> {
            boolean blocked = blocks.test(piece.ledgerClass());
            int stack = stack(timeline, piece);
            boolean tasks = stack >= 0 ? inTask[stack] : rangeInTask.getOrDefault(range(analysis, piece), false);
            if (blocked && tasks) {
                places.merge(analysis.classifier().place(analysis.classifier().placeOf(piece)), piece.ns(), Long::sum);
            }
        });
        return places;
    }

    /**
     * Returns the kinds of ranges, by name and place, that were sampled, and whether only inside tasks: then their calls
     * without a sample were in tasks too.
     */
    private static Map<String, Boolean> rangesInTasks(Analysis analysis, boolean[] inTask) {
        Map<String, Boolean> ranges = new HashMap<>();
        judged(analysis, piece -> {
            int stack = stack(analysis.timeline(), piece);
            if (stack >= 0) {
                ranges.merge(range(analysis, piece), inTask[stack], Boolean::logicalAnd);
            }
        });
        return ranges;
    }

    /** Gives the time of the judged thread, or of a service's threads while they serve. */
    private static void judged(Analysis analysis, ThreadActivity.Sink sink) {
        Stretch part = analysis.judgedHostStretch();
        Map<Integer, Intervals> threads = analysis.service()
                .map(Service::serving)
                .orElseGet(() -> Map.of(analysis.subjectThread(), Intervals.of(part.startNs(), part.endNs())));
        threads.forEach((track, times) -> times.forEach(
                (fromNs, toNs) -> analysis.threads().activity(track).cover(fromNs, toNs, sink)));
    }

    /** Returns the stack of a piece's sample, -1 without one. */
    private static int stack(Timeline timeline, ThreadPiece piece) {
        return piece.sample() < 0 ? -1 : (int) timeline.attribute(piece.sample(), Attribute.STACK);
    }

    /** Returns name and place of the innermost range around a piece; both are empty without one. */
    private static String range(Analysis analysis, ThreadPiece piece) {
        Timeline timeline = analysis.timeline();
        int row = piece.row();
        while (row >= 0 && timeline.kind(row) != RowKind.ANNOTATION) {
            row = timeline.parent(row);
        }
        return row < 0 ? "" : timeline.name(row) + '\n' + analysis.where(row);
    }
}
