package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.Piece;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether threads that wait for locks keep each other waiting: who waits for work stands as still, and nobody need be at work meanwhile.
 *
 * <pre>
 *   worker 1   [ in save          ][ at the lock ]
 *   worker 2   [ at the lock      ][ in save     ]
 *   worker 3   [ at the lock      ]  in parse        at work elsewhere: it does not hold what the others wait for
 * </pre>
 *
 * Where a thread both worked and waited within one look, the times are taken to fit together as well as they can.
 */
final class Contention {
    private double standsNs;
    private double contendedNs;

    private Contention() {}

    /** A change of the fraction of time that a thread waits for a lock, and that it works where a lock may be held. */
    private record Edge(long timeNs, int thread, double stands, double works) {}

    /** What a piece says, kept until it is known in which functions threads stand. */
    private record Part(
            int thread, long fromNs, long toNs, double share, boolean stands, boolean known, Set<String> in) {}

    /** Returns whether the wait of a piece for a lock may be one: it is recorded, or not in the function that the thread was started with. */
    static boolean mayBeLock(ActivityClassifier classifier, Piece piece) {
        return classifier.isRecordedLock(piece)
                || !classifier.functionsOfWork(piece).isEmpty();
    }

    /** Returns how threads kept each other waiting in a stretch. */
    static Contention of(Analysis analysis, List<Integer> threads, Stretch part) {
        List<Part> parts = new ArrayList<>();
        ActivityClassifier classifier = analysis.classifier();
        for (int i = 0; i < threads.size(); i++) {
            int thread = i;
            analysis.threads().activity(threads.get(i)).cover(part.startNs(), part.endNs(), piece -> {
                boolean stands = piece.ledgerClass() == LedgerClass.WAIT_LOCK;
                if (piece.toNs() > piece.fromNs() && (stands ? mayBeLock(classifier, piece) : mayHold(piece))) {
                    parts.add(new Part(
                            thread,
                            piece.fromNs(),
                            piece.toNs(),
                            (double) piece.ns() / (piece.toNs() - piece.fromNs()),
                            stands,
                            classifier.isRecordedLock(piece),
                            classifier.functionsOfWork(piece)));
                }
            });
        }
        Contention found = new Contention();
        found.sweep(edges(parts), threads.size());
        return found;
    }

    /** A thread that waits for the GIL, or for a CPU, keeps the locks that it holds. */
    private static boolean mayHold(Piece piece) {
        return piece.ledgerClass() != LedgerClass.WAIT_UNKNOWN && piece.ledgerClass() != LedgerClass.UNATTRIBUTED;
    }

    private static List<Edge> edges(List<Part> parts) {
        Set<String> functions = new HashSet<>();
        parts.stream().filter(Part::stands).forEach(part -> functions.addAll(part.in));
        boolean known = parts.stream().anyMatch(part -> part.stands && part.known);
        List<Edge> edges = new ArrayList<>();
        for (Part part : parts) {
            double stands = part.stands ? part.share : 0;
            boolean there = known || part.in.stream().anyMatch(functions::contains);
            double works = !part.stands && there ? part.share : 0;
            if (stands + works > 0) {
                edges.add(new Edge(part.fromNs, part.thread, stands, works));
                edges.add(new Edge(part.toNs, part.thread, -stands, -works));
            }
        }
        edges.sort(Comparator.comparingLong(Edge::timeNs));
        return edges;
    }

    private void sweep(List<Edge> edges, int threads) {
        double[] stands = new double[threads];
        double[] works = new double[threads];
        long timeNs = 0;
        for (Edge edge : edges) {
            double allWork = 0;
            for (double work : works) {
                allWork += work;
            }
            for (int i = 0; i < threads && edge.timeNs > timeNs; i++) {
                double standing = Math.max(0, stands[i]) * (edge.timeNs - timeNs);
                standsNs += standing;
                contendedNs += Math.min(standing, Math.max(0, allWork - works[i]) * (edge.timeNs - timeNs));
            }
            timeNs = edge.timeNs;
            stands[edge.thread] += edge.stands;
            works[edge.thread] += edge.works;
        }
    }

    /** Returns in which part of the time at locks another thread was at work that may have held one, from 0 to 1. */
    double share() {
        return standsNs == 0 ? 0 : contendedNs / standsNs;
    }
}
