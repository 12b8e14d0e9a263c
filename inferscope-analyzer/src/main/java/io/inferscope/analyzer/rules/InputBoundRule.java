package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.OwnPlaces;
import io.inferscope.analyzer.tables.OwnPlaces.Place;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reports steps that wait for their next batch. */
final class InputBoundRule extends Rule {
    static final String ID = "input-bound";

    private static final int MOST_PLACES = 3;
    private static final double WORTH_NAMING = 0.01;

    /** Least part of the waits in which a line must have been seen at work: few waits lead to the worker's stacks. */
    private static final double LEAST_SEEN = 0.001;

    @Override
    public Verdict evaluate(Analysis analysis) {
        HostCalls batches = batches(analysis);
        if (batches.count() == 0) {
            return new Verdict.NotApplicable("no scope says when a data loader hands out a batch");
        }
        Ledger ledger = HostShare.judged(analysis);
        long costNs = batches.totalNs(withoutDeviceWork(analysis));
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("waiting for the next batch takes " + ledger.shareOfPart(costNs));
        }
        Timeline timeline = analysis.timeline();
        int longest = batches.longest();
        FindingBuilder finding = finding(ledger, costNs);
        Intervals waits = batches.times().intersect(withoutDeviceWork(analysis));
        String asks = analysis.where(longest); // A forked worker has this line on its stack until it begins.
        List<Place> places = OwnPlaces.ofOthers(analysis, waits).stream()
                .filter(place -> !place.line().equals(asks))
                .toList();
        long madeNs = places.stream().mapToLong(Place::ns).sum();
        Optional<Place> most = places.stream()
                .filter(place -> 2 * place.ns() >= madeNs && place.ns() + place.leastNs() > 0) // At least two samples.
                .filter(place -> place.ns() >= LEAST_SEEN * costNs)
                .findFirst();
        if (most.isPresent()) {
            finding.causes(List.copyOf(most.get().classes().keySet()));
            places.stream()
                    .filter(place -> place.equals(most.get()) || ledger.share(place.ns()) >= WORTH_NAMING)
                    .limit(MOST_PLACES)
                    .forEach(place -> finding.place("makes them", place.line(), place.ns(), 1));
        } else {
            finding.causes(causes(analysis, waits));
        }
        finding.measure(
                        "made",
                        most.map(place -> ", made mostly at " + CostlyPlaceRule.shortName(place.line()))
                                .orElse(""))
                .measure("count", Units.count(batches.count()))
                .measure("nothing", analysis.devices().isEmpty() ? "" : ", and the GPU has nothing to do meanwhile")
                .quantity("batches waited for", batches.count(), "count")
                .longest(analysis, longest, timeline.durationNs(longest))
                .advice(analysis);
        return Verdict.found(
                most.isPresent()
                        ? finding.savesMaking(analysis, batches, "batches take no time to make")
                        : finding.saves(analysis, batches, "every batch is there before it is asked for"));
    }

    /** Returns the classes of the judged thread's waits for its batches, those for a CPU last. */
    private static List<LedgerClass> causes(Analysis analysis, Intervals waits) {
        Map<LedgerClass, Long> classes = new EnumMap<>(LedgerClass.class);
        for (int i = 0; i < waits.count(); i++) {
            analysis.threads()
                    .explain(
                            analysis.subjectThread(),
                            waits.startNs(i),
                            waits.endNs(i),
                            piece -> classes.merge(piece.ledgerClass(), piece.ns(), Long::sum));
        }
        List<LedgerClass> causes = new ArrayList<>(Order.largestFirst(classes).keySet());
        causes.remove(LedgerClass.UNATTRIBUTED);
        if (causes.remove(LedgerClass.WAIT_RUN_QUEUE)) {
            causes.add(LedgerClass.WAIT_RUN_QUEUE);
        }
        return causes;
    }

    /**
     * Only scopes of the judged thread count: a loader's worker costs time only while the judged thread waits for it.
     */
    private static HostCalls batches(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        return HostCalls.of(
                timeline,
                Arrays.stream(analysis.rows(RowKind.ANNOTATION))
                        .filter(row -> timeline.track(row) == analysis.subjectThread())
                        .filter(analysis::isNextBatch));
    }

    private static Intervals withoutDeviceWork(Analysis analysis) {
        Stretch part = analysis.judgesSteadyState() ? analysis.judged().stretch() : analysis.window();
        return analysis.busy().complementWithin(part.startNs(), part.endNs());
    }
}
