package io.inferscope.report.scene;

import io.inferscope.analyzer.activity.ThreadActivity;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Pools;
import io.inferscope.analyzer.analysis.Service;
import io.inferscope.analyzer.knowledge.FrameRole;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The part of a recording whose time is shown by call stack: the judged one, or the window if little of the judged
 * threads is known there.
 *
 * @param part what it is
 * @param judged whether it is what the verdict judges
 * @param stretch when it was
 * @param words which part it is, behind a subject
 * @param imports whether a frame is of Python's import system
 */
record ShownPart(
        Analysis analysis, LedgerPart part, boolean judged, Stretch stretch, String words, NamePredicate imports) {
    /** The share of a line that took half of so many pieces of time is off by at most 22 points, 19 times of 20. */
    private static final int ENOUGH = 20;

    private static final int MOST_KINDS = 3;
    private static final String JUDGED = "judged";

    static ShownPart of(Analysis analysis) {
        LedgerPart judged = analysis.service().isPresent()
                ? LedgerPart.REQUESTS
                : analysis.judgesSteadyState() ? LedgerPart.STEADY_STATE : LedgerPart.WINDOW;
        NamePredicate imports = NamePredicate.ofFrames(analysis.timeline(), roles -> roles.has(FrameRole.IMPORTS));
        Stretch stretch = analysis.judgedHostStretch();
        ShownPart part = new ShownPart(analysis, judged, true, stretch, " in the " + judged.words(), imports);
        return judged == LedgerPart.WINDOW || part.isKnown()
                ? part
                : new ShownPart(
                        analysis,
                        LedgerPart.WINDOW,
                        false,
                        analysis.window(),
                        " in the window, since little is known of the " + judged.words(),
                        imports);
    }

    /** Returns whether the judged threads have enough pieces; where they have many, the first of them show it. */
    private boolean isKnown() {
        List<Track> threads = analysis.threads().all().stream()
                .filter(thread -> analysis.isJudged(thread.id()))
                .toList();
        long[] pieces = {0};
        for (long parts = 4_096; parts > 0 && pieces[0] < ENOUGH; parts /= 8) {
            long untilNs = stretch.startNs() + stretch.durationNs() / parts;
            pieces[0] = 0;
            threads.forEach(thread -> cover(thread.id(), untilNs, piece -> pieces[0]++));
        }
        return threads.isEmpty() || pieces[0] >= ENOUGH;
    }

    long withinNs(long fromNs, long toNs) {
        return stretch.overlapNs(fromNs, toNs);
    }

    /** Splits a thread's time in the part; that of a thread that serves requests is when it did. */
    private void cover(int thread, long untilNs, ThreadActivity.Sink sink) {
        Intervals whole = Intervals.of(stretch.startNs(), stretch.endNs());
        Optional<Service> service = analysis.service().filter(known -> part == LedgerPart.REQUESTS);
        Intervals times = service.map(known -> known.serving().get(thread)).orElse(whole);
        ThreadActivity.Sink serving = service.isEmpty() || !analysis.isJudged(thread)
                ? sink
                : piece -> {
                    if (!service.get().servesNobody(piece)) {
                        sink.take(piece);
                    }
                };
        times.clip(stretch.startNs(), untilNs)
                .forEach((fromNs, toNs) -> analysis.threads().activity(thread).cover(fromNs, toNs, serving));
    }

    /** Returns the time of the judged and of the first threads by call stack, threads of a kind together. */
    List<Stacked> trees(List<Track> threads, Texts texts) {
        Map<List<String>, List<Track>> kinds = new LinkedHashMap<>();
        threads.stream()
                .sorted(Order.comparing(thread -> !analysis.isJudged(thread.id())))
                .forEach(thread -> kinds.computeIfAbsent(kind(thread), absent -> new ArrayList<>())
                        .add(thread));
        List<Stacked> trees = new ArrayList<>();
        kinds.entrySet().stream().limit(MOST_KINDS).forEach(kind -> {
            List<Track> alike = kind.getValue();
            String others = Threads.crowd(alike.size());
            String first = Threads.label(analysis.timeline(), alike.get(0).id());
            String title = "time of " + others + first + words + ", by call stack";
            Stacked tree = new Stacked(this, texts, kind.getKey().get(0), title);
            alike.forEach(thread -> cover(
                    thread.id(),
                    stretch.endNs(),
                    piece -> tree.add(piece.row(), piece.sample(), piece.ledgerClass(), piece.ns())));
            trees.add(tree);
        });
        return trees;
    }

    /**
     * Returns what the threads of a pool, and those of sibling processes, have in common: its name, which recordings
     * share, and where. A judged thread stands alone, unless those that serve requests are judged; so do main threads in
     * their process, and threads without a name.
     */
    private List<String> kind(Track thread) {
        Timeline timeline = analysis.timeline();
        boolean judged = analysis.isJudged(thread.id());
        if (judged && analysis.service().isEmpty()) {
            return List.of(JUDGED);
        }
        Track process = thread.parent() < 0 ? thread : timeline.tracks().get(thread.parent());
        int parent = Threads.parent(timeline, process.id());
        String name = thread.key().equals(process.key())
                ? "main"
                : thread.name().equals(thread.key()) ? thread.key() : Pools.shared(thread.name());
        return List.of(
                (judged ? JUDGED + ' ' : "") + Pools.shared(process.name()) + ' ' + name,
                parent < 0 ? process.key() : "child of " + parent);
    }
}
