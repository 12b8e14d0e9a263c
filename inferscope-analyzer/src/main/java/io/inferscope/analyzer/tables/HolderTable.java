package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.IntervalTree;
import io.inferscope.analyzer.activity.Lazy;
import io.inferscope.analyzer.activity.Locks;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Pools;
import io.inferscope.analyzer.analysis.Service;
import io.inferscope.analyzer.calls.SampledGil;
import io.inferscope.analyzer.model.HolderEvidence;
import io.inferscope.analyzer.model.HostTables.HolderFigures;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The threads, and their lines, that worked while the judged host thread, or those that served requests, waited for the
 * GIL, for a lock, for a CPU, or for nobody knows whom. A GIL or lock that a thread waits for on which a judged one waits
 * counts as well.
 */
public final class HolderTable {
    private static final int LARGEST = 30;
    private final Timeline timeline;
    private final Analysis analysis;
    private final int subject;
    private final Map<Key, Long> amounts = new HashMap<>();
    private final List<Wait> waits = new ArrayList<>();

    /** By cause, the latest wait of a state whose waits are one, to which more of the same state may come. */
    private final Map<LedgerClass, Wait> open = new EnumMap<>(LedgerClass.class);

    /** By process, samples of threads that held the GIL in them. */
    private final Map<Integer, IntervalTree> holding = new HashMap<>();

    private final Lazy<IntervalTree> running = new Lazy<>(this::findRunning);

    private record Key(LedgerClass cause, int thread, int place, HolderEvidence known) {}

    private record Wait(int track, long fromNs, long toNs, long ns, LedgerClass cause, int stateRow, int sample) {}

    private HolderTable(Analysis analysis) {
        this.timeline = analysis.timeline();
        this.analysis = analysis;
        this.subject = analysis.subjectThread();
        Optional<Service> service = analysis.service();
        if (service.isPresent()) {
            Map<Integer, Intervals> serving = service.get().serving();
            serving.forEach((thread, served) ->
                    served.forEach((fromNs, toNs) -> cover(thread, fromNs, toNs, serving.keySet())));
        } else if (subject >= 0) {
            cover(subject, analysis.window().startNs(), analysis.window().endNs(), Set.of());
        }
        waits.forEach(this::blame);
    }

    /** Notes the waits of a thread, and those on which it waits, but not those of {@code others}, which count themselves. */
    private void cover(int thread, long fromNs, long toNs, Set<Integer> others) {
        analysis.threads().explain(thread, fromNs, toNs, piece -> {
            if (piece.thread() == thread || !others.contains(piece.thread())) {
                note(piece, thread);
            }
        });
        waits.addAll(open.values());
        open.clear();
    }

    static HolderTable of(Analysis analysis) {
        return new HolderTable(analysis);
    }

    private void note(ThreadPiece piece, int thread) {
        switch (piece.ledgerClass()) {
            case WAIT_GIL, WAIT_LOCK -> waits.add(wait(piece));
            case WAIT_RUN_QUEUE, WAIT_UNKNOWN -> {
                if (piece.thread() == thread) {
                    join(wait(piece));
                }
            }
            default -> {} // Most pieces: nothing is made of them.
        }
    }

    private static Wait wait(ThreadPiece piece) {
        return new Wait(
                piece.thread(),
                piece.fromNs(),
                piece.toNs(),
                piece.ns(),
                piece.ledgerClass(),
                piece.stateRow(),
                piece.sample());
    }

    /** A state does not tell when in it the thread waited, so its waits are one. It may have thousands of pieces. */
    private void join(Wait wait) {
        Wait last = open.get(wait.cause);
        boolean same = last != null && last.stateRow >= 0 && last.stateRow == wait.stateRow;
        if (last != null && !same) {
            waits.add(last);
        }
        open.put(
                wait.cause,
                last != null && same
                        ? new Wait(
                                wait.track,
                                last.fromNs,
                                wait.toNs,
                                last.ns + wait.ns,
                                last.cause,
                                last.stateRow,
                                last.sample)
                        : wait);
    }

    private void blame(Wait wait) {
        switch (wait.cause) {
            case WAIT_GIL -> gil(wait);
            case WAIT_LOCK -> lock(wait);
            default -> atWork(wait);
        }
    }

    private void gil(Wait wait) {
        Locks locks = analysis.classifier().locks();
        int holder = wait.stateRow < 0 ? -1 : locks.recordedHolder(wait.stateRow);
        holder = holder < 0 && wait.sample >= 0 ? locks.recordedHolder(wait.sample) : holder;
        if (holder >= 0 && holder != wait.track) {
            add(wait, holder, wait.ns, HolderEvidence.RECORDED);
        } else {
            int likely = holdingThread(wait);
            if (likely >= 0) {
                add(wait, likely, wait.ns, HolderEvidence.AT_WORK_MEANWHILE);
            }
        }
    }

    /**
     * Returns the thread of the process that held the GIL during a wait according to samples; of several, the one with
     * the most sampled time; -1 for none.
     */
    private int holdingThread(Wait wait) {
        Map<Integer, Long> heldNs = new HashMap<>();
        int process = timeline.tracks().get(wait.track).parent();
        holding.computeIfAbsent(process, this::findHolding)
                .meeting(
                        wait.fromNs,
                        wait.toNs,
                        row -> heldNs.merge(
                                timeline.track(row),
                                Math.min(wait.toNs, timeline.endNs(row)) - Math.max(wait.fromNs, timeline.startNs(row)),
                                Long::sum));
        heldNs.remove(wait.track);
        heldNs.values().removeIf(ns -> ns <= 0);
        return Order.largest(heldNs).orElse(-1);
    }

    /** Returns the samples of a process' threads in which these held the GIL. */
    private IntervalTree findHolding(int process) {
        IntervalTree.Builder spans = new IntervalTree.Builder();
        analysis.threads().all().stream()
                .filter(thread -> thread.parent() == process)
                .flatMapToInt(thread -> timeline.rows(thread.id(), RowKind.STACK_SAMPLE))
                .filter(row -> timeline.attribute(row, Attribute.GIL) == SampledGil.HOLDS)
                .forEach(row -> spans.add(row, timeline.startNs(row), timeline.endNs(row)));
        return spans.build();
    }

    private void lock(Wait wait) {
        if (wait.stateRow >= 0) {
            Locks locks = analysis.classifier().locks();
            int recorded = locks.recordedHolder(wait.stateRow);
            int holder = recorded >= 0 ? recorded : locks.holder(wait.stateRow);
            if (holder >= 0 && holder != wait.track) {
                add(wait, holder, wait.ns, recorded >= 0 ? HolderEvidence.RECORDED : HolderEvidence.AT_WORK_MEANWHILE);
            }
        }
    }

    /**
     * Divides a wait among the threads that were on a CPU during it, in proportion to their CPU time, and gives none more
     * than that: other programs may have had the CPUs.
     */
    private void atWork(Wait wait) {
        Map<Integer, Long> onCpu = new HashMap<>();
        long allNs = 0;
        BitSet threads = new BitSet();
        running.get().meeting(wait.fromNs, wait.toNs, threads::set);
        threads.clear(wait.track);
        for (int thread = threads.nextSetBit(0); thread >= 0; thread = threads.nextSetBit(thread + 1)) {
            long ns = analysis.threads().activity(thread).onCpuNs(wait.fromNs, wait.toNs);
            onCpu.put(thread, ns);
            allNs += ns;
        }
        for (Map.Entry<Integer, Long> thread : onCpu.entrySet()) {
            if (thread.getValue() > 0) {
                add(
                        wait,
                        thread.getKey(),
                        Math.min(thread.getValue(), Math.round((double) wait.ns * thread.getValue() / allNs)),
                        HolderEvidence.AT_WORK_MEANWHILE);
            }
        }
    }

    /** When threads had states with CPU time. Adjacent states are joined into one span. */
    private IntervalTree findRunning() {
        IntervalTree.Builder spans = new IntervalTree.Builder();
        for (Track thread : analysis.threads().all()) {
            if (!Threads.isJvms(thread)) { // No thread waits for a compiler's thread.
                timeline.times(timeline.rows(thread.id(), RowKind.THREAD_STATE))
                        .forEach((fromNs, toNs) -> spans.add(thread.id(), fromNs, toNs));
            }
        }
        return spans.build();
    }

    /** Divides time among the lines that a thread ran, or was ready to run, during a wait, in proportion to their times. */
    private void add(Wait wait, int thread, long ns, HolderEvidence known) {
        Map<Integer, Long> places = new HashMap<>();
        long[] total = new long[1];
        analysis.threads().activity(thread).cover(wait.fromNs, wait.toNs, piece -> {
            if (!piece.ledgerClass().isWaiting() || piece.ledgerClass() == LedgerClass.WAIT_RUN_QUEUE) {
                places.merge(analysis.classifier().placeOf(piece), piece.ns(), Long::sum);
                total[0] += piece.ns();
            }
        });
        if (total[0] == 0) {
            places.put(analysis.classifier().placeOf(-1), 1L);
            total[0] = 1;
        }
        places.forEach((place, placeNs) -> amounts.merge(
                new Key(wait.cause, thread, place, known), Math.round((double) ns * placeNs / total[0]), Long::sum));
    }

    /**
     * Returns one line per cause, thread and line of code, the largest first, cut to the largest. At least {@value
     * ThreadTime#MANY} threads of one kind that ran the same line are one.
     */
    public List<HolderFigures> figures() {
        Map<List<Object>, List<Map.Entry<Key, Long>>> alike = new LinkedHashMap<>();
        amounts.entrySet().stream()
                .sorted(Order.<Key, Long>comparingByValue().reversed().thenComparing(amount -> amount.getKey().thread))
                .forEach(amount -> alike.computeIfAbsent(kind(amount.getKey()), kind -> new ArrayList<>())
                        .add(amount));
        List<HolderFigures> figures = new ArrayList<>();
        for (List<Map.Entry<Key, Long>> kind : alike.values()) {
            if (kind.size() < ThreadTime.MANY) {
                kind.forEach(amount -> figures.add(figure(amount.getKey(), "", amount.getValue())));
            } else {
                long ns = kind.stream().mapToLong(Map.Entry::getValue).sum();
                figures.add(figure(kind.get(0).getKey(), Threads.crowd(kind.size()), ns));
            }
        }
        figures.sort(Order.comparingLong(HolderFigures::ns)
                .reversed()
                .thenComparing(HolderFigures::cause)
                .thenComparing(HolderFigures::thread)
                .thenComparing(HolderFigures::where)
                .thenComparing(holder -> holder.known().id()));
        return List.copyOf(figures.subList(0, Math.min(LARGEST, figures.size())));
    }

    private List<Object> kind(Key key) {
        return List.of(key.cause, key.place, key.known, Pools.kind(timeline, key.thread));
    }

    private HolderFigures figure(Key key, String others, long ns) {
        return new HolderFigures(
                key.cause,
                others + Threads.labelInProcess(timeline, key.thread, subject),
                analysis.classifier().place(key.place),
                ns,
                key.known);
    }
}
