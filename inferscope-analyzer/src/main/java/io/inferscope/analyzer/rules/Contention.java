package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides whether threads that wait for locks delay each other. A thread that waits for work looks the same, but no
 * other thread needs to work during its wait.
 *
 * <pre>
 *   worker 1   [ in save          ][ at the lock ]
 *   worker 2   [ at the lock      ][ in save     ]
 *   worker 3   [ at the lock      ]  in parse        works elsewhere: it does not hold the lock
 * </pre>
 *
 * If a thread both worked and waited within one sample, its work is assumed to overlap the other threads' waits as much
 * as possible.
 */
final class Contention {
    private double standsNs;
    private double contendedNs;

    private Contention() {}

    /**
     * A change of the share of time that a thread waits for a lock, and of the share that it works where it may hold a
     * lock.
     */
    private record Edge(long timeNs, int thread, double stands, double works) {}

    /** A piece, kept until the functions in which threads wait are known. */
    private record Part(
            int thread, long fromNs, long toNs, double share, boolean stands, boolean known, Set<String> in) {}

    /**
     * Returns whether a piece may be a wait for a lock: the lock is recorded, or the wait is not in the thread's start
     * function.
     */
    static boolean mayBeLock(ActivityClassifier classifier, ThreadPiece piece) {
        return classifier.isRecordedLock(piece)
                || !classifier.functionsOfWork(piece).isEmpty();
    }

    /** Returns how threads delayed each other in an interval. */
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
    private static boolean mayHold(ThreadPiece piece) {
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
        edges.sort(Order.comparingLong(Edge::timeNs));
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

    /**
     * Returns the share of the waits for locks during which another thread worked that may have held the lock, 0 to 1.
     */
    double share() {
        return standsNs == 0 ? 0 : contendedNs / standsNs;
    }
}
