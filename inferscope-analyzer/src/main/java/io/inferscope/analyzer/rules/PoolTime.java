package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Track;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/** The time of a pool's threads in an interval, by class and line. Waits are not followed to other threads. */
final class PoolTime {
    private final Map<LedgerClass, Long> byClass = new EnumMap<>(LedgerClass.class);
    private final Map<LedgerClass, Map<String, Long>> byPlace = new EnumMap<>(LedgerClass.class);

    /** Sums the pieces that count. */
    PoolTime(Analysis analysis, List<Integer> threads, Stretch part, Predicate<ThreadPiece> counts) {
        for (int track : threads) {
            analysis.threads().activity(track).cover(part.startNs(), part.endNs(), piece -> {
                if (!counts.test(piece)) {
                    return;
                }
                byClass.merge(piece.ledgerClass(), piece.ns(), Long::sum);
                String place = analysis.classifier().place(analysis.classifier().placeOf(piece));
                if (!place.isEmpty()) {
                    byPlace.computeIfAbsent(piece.ledgerClass(), c -> new HashMap<>())
                            .merge(place, piece.ns(), Long::sum);
                }
            });
        }
    }

    /**
     * Returns how long a judged thread waits for some threads, directly or through others, in ns; the maximum over the
     * judged threads.
     */
    static long followedNs(Analysis analysis, IntPredicate threads) {
        Stretch part = analysis.judgedHostStretch();
        long mostNs = 0;
        for (Track judged : analysis.threads().all()) {
            if (analysis.isJudged(judged.id())) {
                long[] waitedNs = {0};
                analysis.threads().explain(judged.id(), part.startNs(), part.endNs(), piece -> {
                    boolean followed = piece.thread() != judged.id() && threads.test(piece.thread());
                    waitedNs[0] += followed ? piece.ns() : 0;
                });
                mostNs = Math.max(mostNs, waitedNs[0]);
            }
        }
        return mostNs;
    }

    /** Returns the time of the classes that are wanted, in ns. */
    long ns(Predicate<LedgerClass> wanted) {
        return byClass.entrySet().stream()
                .filter(entry -> wanted.test(entry.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Returns the wanted classes with at least {@code leastNs}, largest first. */
    List<LedgerClass> classes(long leastNs, Predicate<LedgerClass> wanted) {
        return byClass.entrySet().stream()
                .filter(entry -> wanted.test(entry.getKey()) && entry.getValue() >= Math.max(1, leastNs))
                .sorted(Order.largestFirst())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Adds the lines with most time of the classes that are wanted. */
    void places(FindingBuilder finding, int most, Predicate<LedgerClass> wanted) {
        byPlace.entrySet().stream()
                .filter(entry -> wanted.test(entry.getKey()))
                .flatMap(entry -> entry.getValue().entrySet().stream()
                        .map(place -> new Evidence.Place(entry.getKey().label(), place.getKey(), place.getValue(), 1)))
                .sorted(Order.comparingLong(Evidence.Place::ns).reversed().thenComparing(Evidence.Place::where))
                .limit(most)
                .forEach(finding::evidence);
    }
}
