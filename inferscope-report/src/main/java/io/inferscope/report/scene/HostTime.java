package io.inferscope.report.scene;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;

/** A thread's time by call stack. */
final class HostTime {
    private HostTime() {}

    static Stacked of(Analysis analysis, Texts texts, int thread) {
        Stacked tree = new Stacked(
                analysis.timeline(),
                texts,
                "time of " + Threads.label(analysis.timeline(), thread) + ", by call stack");
        analysis.threads()
                .activity(thread)
                .cover(
                        analysis.window().startNs(),
                        analysis.window().endNs(),
                        piece -> tree.add(piece.row(), piece.sample(), piece.ledgerClass(), piece.ns()));
        return tree;
    }
}
