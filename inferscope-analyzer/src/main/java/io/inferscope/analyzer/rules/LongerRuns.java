package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.CodePlaces;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.Runs.Run;
import io.inferscope.timeline.Order;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What some requests or steps spend more time on than others: the difference of the means, by cause and place. */
final class LongerRuns {
    /** Of as many longer ones, and as many others, the time is looked at. */
    private static final int MOST_EXPLAINED = 300;

    /** The same of late and early ones: many, because most show what they do by the sample of a neighbour. */
    private static final int MOST_LATER = 3000;

    /** Up to this multiple, two shares are equal. */
    private static final double AS_MUCH = 1.5;

    private static final int MOST_PLACES = 3;

    /** With this share of what the longer ones take longer, a place comes before a cause. */
    private static final double ONE_PLACE = 0.4;

    /** From this share of the others' time on, the longer ones do more of what the others do. */
    private static final double SAME_WORK = 0.5;

    /** A cause at a place, {@code file:line function}. */
    private record Cause(LedgerClass of, String place) {
        /** Returns file and function; functions inside another one, such as comprehensions, belong to it. */
        String function() {
            int inner = place.indexOf(".<locals>");
            return CodePlaces.withoutLine(inner < 0 ? place : place.substring(0, inner));
        }
    }

    private final Map<Cause, Double> more;
    private final int count;
    private final boolean isOnePlace;
    private final LedgerClass most;
    private final String where;
    private final double share;
    private final boolean isOther;

    private LongerRuns(
            Map<Cause, Double> spent, Map<Cause, Double> usual, int count, double meanMoreNs, double meanUsualNs) {
        more = new HashMap<>(spent);
        more.replaceAll((cause, ns) -> ns - usual.getOrDefault(cause, 0.0));
        this.count = count;
        String function = largest(sums(more, Cause::function));
        double inFunctionNs = sums(more, Cause::function).getOrDefault(function, 0.0);
        isOnePlace = inFunctionNs >= ONE_PLACE * meanMoreNs && !function.isEmpty();
        Map<Cause, Double> counted = new HashMap<>(more);
        counted.keySet().removeIf(cause -> isOnePlace && !cause.function().equals(function));
        most = largest(sums(counted, Cause::of));
        where = largest(sums(counted, Cause::place));
        double mostNs = isOnePlace ? inFunctionNs : sums(more, Cause::of).getOrDefault(most, 0.0);
        share = Math.min(1, mostNs / meanMoreNs);
        double usualOfFunctionNs = sums(usual, Cause::function).getOrDefault(function, 0.0);
        double usualOfMostNs = sums(usual, Cause::of).getOrDefault(most, 0.0);
        isOther = (isOnePlace ? usualOfFunctionNs : usualOfMostNs) < SAME_WORK * meanUsualNs;
    }

    /**
     * Compares those that are longer with others, which may be their neighbours.
     *
     * @param meanMoreNs how much longer one of {@code runs} takes
     */
    static LongerRuns amongOthers(
            Analysis analysis, List<Run> runs, List<Run> seen, List<Run> others, double meanMoreNs) {
        Map<Cause, Double> usual = perRun(analysis, Runs.seen(analysis, others), others, MOST_EXPLAINED);
        Map<Cause, Double> spent = perRun(analysis, seen, runs, MOST_EXPLAINED);
        return new LongerRuns(spent, usual, runs.size(), meanMoreNs, Runs.meanNs(others));
    }

    /**
     * Compares late ones with early ones. Here a sample of a neighbour shows as much as one of their own. Waiting for a
     * CPU that takes the same share of both makes all of it longer, and is no cause by itself.
     */
    static LongerRuns later(Analysis analysis, List<Run> late, List<Run> early) {
        Map<Cause, Double> usual = perRun(analysis, early, early, MOST_LATER);
        Map<Cause, Double> spent = perRun(analysis, late, late, MOST_LATER);
        if (share(spent, LedgerClass.WAIT_RUN_QUEUE) <= AS_MUCH * share(usual, LedgerClass.WAIT_RUN_QUEUE)) {
            spread(spent, LedgerClass.WAIT_RUN_QUEUE);
            spread(usual, LedgerClass.WAIT_RUN_QUEUE);
        }
        double usualNs = Runs.meanNs(early);
        return new LongerRuns(spent, usual, late.size(), Runs.meanNs(late) - usualNs, usualNs);
    }

    private static double share(Map<Cause, Double> spent, LedgerClass of) {
        double allNs = spent.values().stream().mapToDouble(ns -> ns).sum();
        return sums(spent, Cause::of).getOrDefault(of, 0.0) / Math.max(1, allNs);
    }

    /** Adds the time of a class to the others, in proportion. */
    private static void spread(Map<Cause, Double> spent, LedgerClass of) {
        double share = share(spent, of);
        spent.keySet().removeIf(cause -> cause.of == of && share < 1);
        spent.replaceAll((cause, ns) -> ns / (1 - share));
    }

    /** Returns whether one function has most of what they take longer. */
    boolean isOnePlace() {
        return isOnePlace;
    }

    /** Returns the cause with most of what they take longer, in that function if it is one. */
    LedgerClass most() {
        return most;
    }

    /** Returns whether the others spend little of their time on it. */
    boolean isOther() {
        return isOther;
    }

    /** Defines {@code {mostly}}, {@code {where}} and {@code {most}} of a claim; returns the row with the end of its sentence. */
    String tell(FindingBuilder finding) {
        finding.measure("most", most.label()).measure("where", where).measure("mostly", Units.percent(share));
        return isOnePlace ? "longer-runs.place" : "longer-runs.cause";
    }

    /** Adds the places with most of it as evidence. */
    void places(FindingBuilder finding, String label) {
        more.entrySet().stream()
                .filter(entry -> entry.getValue() > 0 && !entry.getKey().place().isEmpty())
                .sorted(Order.<Map.Entry<Cause, Double>>comparingDouble(entry -> -entry.getValue())
                        .thenComparing(entry -> entry.getKey().place()))
                .limit(MOST_PLACES)
                .forEach(entry -> finding.place(
                        entry.getKey().of().label() + label,
                        entry.getKey().place(),
                        Math.round(entry.getValue() * count),
                        count));
    }

    private static <K> Map<K, Double> sums(Map<Cause, Double> of, Function<Cause, K> by) {
        Map<K, Double> sums = new HashMap<>();
        of.forEach((cause, ns) -> sums.merge(by.apply(cause), ns, Double::sum));
        return sums;
    }

    private static <K extends Comparable<K>> K largest(Map<K, Double> sums) {
        return sums.entrySet().stream()
                .max(Order.<Map.Entry<K, Double>>comparingDouble(Map.Entry::getValue)
                        .thenComparing(Map.Entry::getKey, Comparator.reverseOrder()))
                .orElseThrow()
                .getKey();
    }

    /** Returns the mean time of each cause and place in some runs, by those that were seen, in ns per run. */
    private static Map<Cause, Double> perRun(Analysis analysis, List<Run> seen, List<Run> all, int most) {
        ActivityClassifier classifier = analysis.classifier();
        int looked = Math.min(most, seen.size());
        Map<Cause, Double> sums = new HashMap<>();
        long seenNs = 0;
        for (int i = 0; i < looked; i++) {
            Run run = seen.get((int) ((long) i * seen.size() / looked));
            seenNs += run.ns();
            analysis.threads().explain(run.thread(), run.startNs(), run.endNs(), piece -> {
                boolean nowhere = classifier.isOfLoop(piece) && !classifier.isLoopsWait(piece.row());
                String place = nowhere ? "" : classifier.place(classifier.placeOf(piece));
                sums.merge(new Cause(piece.ledgerClass(), place), (double) piece.ns(), Double::sum);
            });
        }
        double scale = Runs.meanNs(all) / Math.max(1, seenNs);
        sums.replaceAll((cause, ns) -> ns * scale);
        return sums;
    }
}
