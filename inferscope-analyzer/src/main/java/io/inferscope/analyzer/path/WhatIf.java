package io.inferscope.analyzer.path;

import io.inferscope.analyzer.activity.CodePlaces;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.graph.ArcKind;
import io.inferscope.analyzer.graph.DependencyGraph;
import io.inferscope.analyzer.graph.StableTimeSort;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Computes how long the window would take without a cause: it replays the dependency graph with the cause's time
 * removed from its arcs. Definitions: docs/gains.md.
 *
 * <p>Each cause is replayed three times: without its time in the functions with most of it; without all of its time;
 * and without all of its time and the other work of functions that mostly serve it. In each replay, other arcs may
 * become the longest chain.
 */
public final class WhatIf {
    /** Number of functions that are named as evidence. A user is assumed to change at least these. */
    static final int NAMED = 4;

    private final Analysis analysis;
    private final DependencyGraph graph;
    private final ArcTimes times;
    private final List<Amount> amounts;
    private final Map<String, Integer> functions = new HashMap<>();

    /** By number of a place: the number of its function plus one, 0 if not computed yet. */
    private int[] functionOfPlace = new int[64];

    private WhatIf(Analysis analysis) {
        this.analysis = analysis;
        CriticalPath path = CriticalPath.of(analysis);
        this.graph = path.graph();
        this.times = new ArcTimes(analysis, path);
        this.amounts = times.amounts();
        functions.put("", 0);
    }

    /**
     * What the three replays save, in ns.
     *
     * @param namedNs without the cause in the functions with most of it
     * @param allNs without the cause
     * @param moreNs without the cause and without the certain other work of functions that mostly serve it; waits for a
     *     CPU stay, because they have causes of their own
     */
    public record Saving(long namedNs, long allNs, long moreNs) {
        /** Returns the same with each saving limited to the length of its interval. */
        public Saving atMost(long ns) {
            return new Saving(Math.min(namedNs, ns), Math.min(allNs, ns), Math.min(moreNs, ns));
        }
    }

    /** Returns what removing a cause would save. */
    public static WhatIf of(Analysis analysis) {
        return analysis.once(WhatIf.class, WhatIf::new);
    }

    /**
     * Replays without some classes.
     *
     * @param part where they are removed: the window, or a part of it that has a ledger
     */
    public Saving without(Set<LedgerClass> classes, Stretch part) {
        long allNs = replay(all(classes), part, classes);
        if (classes.stream().allMatch(WhatIf::isImposed)) {
            return new Saving(allNs, allNs, allNs);
        }
        long[] ofCause = new long[0];
        long[] ofAll = new long[0];
        for (Amount amount : amounts) {
            if (times.isIn(amount, part)) {
                int function = function(amount.place());
                ofCause = atLeast(ofCause, functions.size());
                ofAll = atLeast(ofAll, functions.size());
                boolean removed = classes.contains(amount.cause());
                ofCause[function] += removed ? amount.ns() : 0;
                ofAll[function] += removed || amount.cause() != LedgerClass.WAIT_RUN_QUEUE ? amount.ns() : 0;
            }
        }
        boolean[] named = named(ofCause);
        boolean[] existsForIt = new boolean[ofCause.length];
        for (int f = 1; f < existsForIt.length; f++) {
            existsForIt[f] = 2 * ofCause[f] >= ofAll[f] && ofCause[f] > 0;
        }
        CertainCpuTime own = !analysis.devices().isEmpty()
                ? null
                : CertainCpuTime.of(
                        analysis, part, piece -> function(analysis.classifier().placeOf(piece)));
        long namedNs = replay(
                amount -> classes.contains(amount.cause()) && named[function(amount.place())] ? 1 : 0, part, classes);
        long moreNs = replay(
                amount -> {
                    int function = function(amount.place());
                    LedgerClass ledgerClass = amount.cause();
                    if (classes.contains(ledgerClass)) {
                        return 1;
                    }
                    if (ledgerClass == LedgerClass.WAIT_RUN_QUEUE || !existsForIt[function]) {
                        return 0;
                    }
                    return own == null || ledgerClass.isWaiting() ? 1 : own.sureRatio(function);
                },
                part,
                classes);
        return new Saving(namedNs, allNs, Math.max(allNs, moreNs));
    }

    /**
     * How much more a change might save if threads waited in their unrecorded time.
     *
     * @param track the thread with most of such time, -1 if it makes no difference
     * @param others how many other threads have such time
     * @param ns the possible further saving, of all these threads together
     */
    public record Unknown(int track, int others, long ns) {
        /** Unrecorded time makes no difference. */
        public static final Unknown NONE = new Unknown(-1, 0, 0);
    }

    /**
     * Returns how much more a change might save because threads with unrecorded waits keep their recorded times in a
     * replay. Without the cause, each of them would save at most the cause's time during its unrecorded time.
     */
    public Unknown unknown(Set<LedgerClass> classes, Stretch part) {
        return unknown(classes, part, EnumSet.of(LedgerClass.UNATTRIBUTED));
    }

    /**
     * Returns the same, and counts the waits of other threads for sockets and for nobody knows whom as unrecorded time.
     */
    public Unknown unknownWithWaits(Set<LedgerClass> classes, Stretch part) {
        return unknown(
                classes, part, EnumSet.of(LedgerClass.UNATTRIBUTED, LedgerClass.WAIT_UNKNOWN, LedgerClass.WAIT_SOCKET));
    }

    private Unknown unknown(Set<LedgerClass> classes, Stretch part, Set<LedgerClass> unknown) {
        List<Amount> ofCause = amounts.stream()
                .filter(amount -> classes.contains(amount.cause()) && times.isIn(amount, part))
                .toList();
        int thread = threadWithMost(ofCause);
        List<Amount> unrecorded = amounts.stream()
                .filter(amount -> unknown.contains(amount.cause()) && amount.thread() != thread)
                .toList();
        if (thread < 0 || unrecorded.isEmpty()) {
            return Unknown.NONE;
        }
        ArcTimes.Entries own = times.entries(unrecorded, this::isOwnTime);
        if (own.count() == 0) {
            return Unknown.NONE;
        }
        CauseTime cause = new CauseTime(times.entries(ofCause, (arc, amount) -> true));
        long[] idle = new long[graph.arcCount()];
        for (int i = 0; i < own.count(); i++) {
            idle[own.arcs()[i]] += Math.min(own.ns()[i], cause.withinNs(own.startsNs()[i], own.endsNs()[i]));
        }
        Map<Integer, Long> byThread = new HashMap<>();
        for (int arc = 0; arc < idle.length; arc++) {
            if (idle[arc] > 0) {
                int to = graph.to(arc);
                idle[arc] = Math.min(idle[arc], cause.withinNs(graph.timeNs(graph.from(arc)), graph.timeNs(to)));
                byThread.merge(graph.track(to), idle[arc], Long::sum);
            }
        }
        if (byThread.isEmpty()) {
            return Unknown.NONE;
        }
        long[] saved = saved(all(classes), part);
        long causeNs = graph.makespanNs() - graph.replayNs(saved);
        for (int arc = 0; arc < saved.length; arc++) {
            saved[arc] += idle[arc];
        }
        long bothNs = graph.makespanNs() - graph.replayNs(saved);
        long idleNs = graph.makespanNs() - graph.replayNs(idle);
        return new Unknown(most(byThread), byThread.size() - 1, Math.max(0, bothNs - causeNs - idleNs));
    }

    /** Returns whether an entry is time in which a thread continues its own program. */
    private boolean isOwnTime(int arc, int amount) {
        return graph.kind(arc) == ArcKind.PROGRAM && amounts.get(amount).thread() == graph.track(graph.to(arc));
    }

    private static int threadWithMost(List<Amount> ofAmounts) {
        Map<Integer, Long> byThread = new HashMap<>();
        ofAmounts.forEach(amount -> byThread.merge(amount.thread(), amount.ns(), Long::sum));
        return most(byThread);
    }

    private static int most(Map<Integer, Long> byThread) {
        return byThread.entrySet().stream()
                .max(Order.<Integer, Long>comparingByValue().thenComparing(Map.Entry::getKey))
                .map(Map.Entry::getKey)
                .orElse(-1);
    }

    /** When a cause took time. */
    private static final class CauseTime {
        private final Intervals taken;
        private final long[] startsNs;
        private final long[] endsNs;

        /** Cumulative times of the entries that begin, or end, before each of the stamps. */
        private final long[] begunNs;

        private final long[] endedNs;

        /** Takes all entries of the cause and sorts their columns. */
        CauseTime(ArcTimes.Entries entries) {
            startsNs = entries.startsNs();
            endsNs = entries.endsNs();
            begunNs = sums(entries.ns(), startsNs);
            endedNs = sums(entries.ns(), endsNs);
            taken = union();
        }

        /** Sorts {@code stampsNs} and returns the cumulative times in their order. */
        private static long[] sums(long[] ns, long[] stampsNs) {
            int[] order = StableTimeSort.order(stampsNs, stampsNs.length);
            long[] sumsNs = new long[ns.length + 1];
            for (int i = 0; i < ns.length; i++) {
                sumsNs[i + 1] = sumsNs[i] + ns[order[i]];
            }
            Arrays.sort(stampsNs);
            return sumsNs;
        }

        /** Sweeps the sorted starts and the sorted ends: open entries are those started and not yet ended. */
        private Intervals union() {
            Intervals.Builder union = new Intervals.Builder(64);
            int ended = 0;
            int first = 0;
            for (int i = 1; i <= startsNs.length; i++) {
                while (ended < i && (i == startsNs.length || endsNs[ended] < startsNs[i])) {
                    ended++;
                }
                if (ended == i) {
                    union.add(startsNs[first], endsNs[i - 1]);
                    first = i;
                }
            }
            return union.build();
        }

        /**
         * Returns the cause's possible time in an interval: an entry's pieces may lie anywhere between its begin and
         * its end.
         */
        long withinNs(long fromNs, long toNs) {
            long meetingNs = begunNs[countBelow(startsNs, toNs)] - endedNs[countBelow(endsNs, fromNs + 1)];
            return Math.max(0, Math.min(meetingNs, taken.totalWithinNs(fromNs, toNs)));
        }
    }

    /** Returns how many of {@code ascendingNs} are smaller than {@code ns}. */
    private static int countBelow(long[] ascendingNs, long ns) {
        return BinarySearch.first(0, ascendingNs.length, i -> ascendingNs[i] >= ns);
    }

    private static long[] atLeast(long[] values, int size) {
        return size <= values.length ? values : Arrays.copyOf(values, Math.max(2 * values.length, size));
    }

    /** The functions with most of the cause's time; all functions if no function of the cause is known. */
    private static boolean[] named(long[] ofCause) {
        boolean[] named = new boolean[ofCause.length];
        List<Integer> known = IntStream.range(1, ofCause.length)
                .filter(f -> ofCause[f] > 0)
                .boxed()
                .sorted(Order.comparingLong((Integer f) -> ofCause[f])
                        .reversed()
                        .thenComparing(f -> f))
                .toList();
        if (known.isEmpty()) {
            Arrays.fill(named, true);
        } else {
            known.stream().limit(NAMED).forEach(f -> named[f] = true);
        }
        return named;
    }

    /**
     * Returns whether other threads impose the class on a thread independent of its code: changing a function would not
     * help.
     */
    private static boolean isImposed(LedgerClass ledgerClass) {
        return switch (ledgerClass) {
            case WAIT_GIL,
                    WAIT_LOCK,
                    WAIT_RUN_QUEUE,
                    WAIT_GC,
                    FRAMEWORK_PYTHON,
                    FRAMEWORK_DISPATCH,
                    FRAMEWORK_LAUNCH,
                    FRAMEWORK_LAUNCH_LATENCY,
                    FRAMEWORK_SYNC_RETURN,
                    GPU_DEPENDENCY,
                    PROFILER -> true;
            default -> ledgerClass.isDeviceBusy();
        };
    }

    /**
     * Replays with device work of some classes hidden under compute: at most all of it, at least as much as there is
     * compute to hide it.
     *
     * @param part as above
     */
    public Saving hidden(Set<LedgerClass> classes, Stretch part) {
        long computeNs = amounts.stream()
                .filter(amount -> amount.cause() == LedgerClass.GPU_COMPUTE && times.isIn(amount, part))
                .mapToLong(Amount::ns)
                .sum();
        long allNs = replay(all(classes), part, Set.of());
        return new Saving(Math.min(allNs, computeNs), allNs, allNs);
    }

    /**
     * Replays with device work of a class made shorter.
     *
     * @param least the least part of its time that is saved, 0 to 1
     * @param most the most
     * @param part as above
     */
    public Saving shortened(LedgerClass ledgerClass, double least, double most, Stretch part) {
        return between(
                replay(amount -> amount.cause() == ledgerClass ? least : 0, part, Set.of()),
                replay(amount -> amount.cause() == ledgerClass ? most : 0, part, Set.of()));
    }

    /**
     * Replays with all launches of a part captured in graphs: no dispatch, launch or launch latency. For the lower
     * bound, each kernel follows the one before at the recording's median distance of queued kernels, and each wait of
     * the host for the device costs one launch latency.
     *
     * @param within time in which launches are captured; others stay
     */
    public Saving captured(Set<LedgerClass> launching, Stretch part, Intervals within) {
        long[] saved = saved(all(launching), part);
        BitSet captured = new BitSet();
        for (int arc = 0; arc < saved.length; arc++) {
            captured.set(arc, isIn(arc, within));
            saved[arc] = captured.get(arc) ? saved[arc] : 0;
        }
        long mostNs = graph.makespanNs() - graph.replayNs(saved);
        long latencyNs = analysis.headline()
                .map(d -> analysis.minLatencyNs(d.track().id()))
                .orElse(0L);
        long gapNs = graph.queuedGapNs(latencyNs);
        for (int arc = 0; arc < saved.length; arc++) {
            if (captured.get(arc) && graph.kind(arc) == ArcKind.STREAM) {
                saved[arc] -= Math.max(0, gapNs - Math.max(0, graph.lagNs(arc)));
            } else if (captured.get(arc) && graph.kind(arc) == ArcKind.SYNCHRONISATION) {
                saved[arc] -= latencyNs;
            }
        }
        return between(graph.makespanNs() - graph.replayNs(saved), mostNs);
    }

    private boolean isIn(int arc, Intervals within) {
        long ns = graph.timeNs(graph.to(arc));
        return within.totalWithinNs(ns - 1, ns) > 0;
    }

    /**
     * Replays without some calls. Upper bound: all of their time. Lower bound: each call's time beyond that of the
     * shortest.
     *
     * @param makers whether also without what other threads do meanwhile: they make what the calls wait for
     * @param part as above
     */
    public Saving without(HostCalls calls, boolean makers, Stretch part) {
        CallReplay replay = new CallReplay(analysis.timeline(), graph, makers);
        return between(replay.savedNs(calls, calls.shortestNs(), part), replay.savedNs(calls, 0, part));
    }

    /** Replays without some calls: {@code least} gives the lower bound, {@code most} the upper one. */
    public Saving without(HostCalls least, HostCalls most, Stretch part) {
        CallReplay replay = new CallReplay(analysis.timeline(), graph, false);
        long mostNs = replay.savedNs(most, 0, part);
        return between(mostNs == 0 ? 0 : replay.savedNs(least, 0, part), mostNs);
    }

    private static Saving between(long leastNs, long mostNs) {
        return new Saving(Math.max(0, Math.min(leastNs, mostNs)), mostNs, mostNs);
    }

    /**
     * Replays with the judged thread never waiting for other threads and processes of the program.
     *
     * @param part as above
     */
    public Saving withoutWaitingForOthers(Stretch part) {
        int subject = analysis.subjectThread();
        long[] saved = saved(amount -> amount.thread() == subject ? 0 : 1, part);
        for (int arc = 0; arc < saved.length; arc++) {
            boolean ofSubject = graph.track(graph.to(arc)) == subject;
            boolean given = graph.kind(arc) == ArcKind.HAND_OVER || graph.kind(arc) == ArcKind.LOCK;
            if (ofSubject && given && endsIn(arc, part)) {
                saved[arc] = never();
            } else if (!ofSubject || graph.kind(arc) != ArcKind.PROGRAM) {
                saved[arc] = 0;
            }
        }
        long ns = graph.makespanNs() - graph.replayNs(saved);
        return new Saving(ns, ns, ns);
    }

    private boolean endsIn(int arc, Stretch part) {
        long ns = graph.timeNs(graph.to(arc));
        return ns > part.startNs() && ns <= part.endNs();
    }

    /** The part of an amount that a replay removes, 0 to 1. */
    private interface Cause {
        double share(Amount amount);
    }

    private static Cause all(Set<LedgerClass> classes) {
        return amount -> classes.contains(amount.cause()) ? 1 : 0;
    }

    private long replay(Cause cause, Stretch part, Set<LedgerClass> waits) {
        long[] saved = saved(cause, part);
        for (int arc = 0; arc < saved.length && !waits.isEmpty(); arc++) {
            if (isWaitedFor(arc, waits)) {
                saved[arc] = never();
            }
        }
        return graph.makespanNs() - graph.replayNs(saved);
    }

    /**
     * Returns whether an arc is a wait of the judged thread that the replay removes, together with the awaited work of
     * the other thread. Without the GIL, no thread waits for it.
     */
    private boolean isWaitedFor(int arc, Set<LedgerClass> waits) {
        int to = graph.to(arc);
        if (graph.kind(arc) == ArcKind.GIL) {
            return waits.contains(LedgerClass.WAIT_GIL);
        }
        if (graph.kind(arc) == ArcKind.LOCK) {
            return waits.contains(LedgerClass.WAIT_LOCK) && graph.track(to) == analysis.subjectThread();
        }
        if (graph.kind(arc) != ArcKind.HAND_OVER || graph.track(to) != analysis.subjectThread()) {
            return false;
        }
        return switch (HandOver.of(analysis.timeline().attribute(graph.row(to), Attribute.HAND_OVER))) {
            case SOCKET -> waits.contains(LedgerClass.WAIT_SOCKET);
            case START -> waits.contains(LedgerClass.WAIT_CHILD_PROCESS);
            default -> false;
        };
    }

    /** The saving of an arc that no longer delays anything. */
    private long never() {
        return 2 * graph.makespanNs();
    }

    private long[] saved(Cause cause, Stretch part) {
        double[] shares = new double[amounts.size()];
        for (Amount amount : amounts) {
            shares[amount.number()] = times.isIn(amount, part) ? cause.share(amount) : 0;
        }
        long[] saved = new long[graph.arcCount()];
        times.addTo(saved, shares);
        return saved;
    }

    /** Returns the number of the function that contains a place; 0 for none. */
    private int function(int place) {
        if (place >= functionOfPlace.length) {
            functionOfPlace = Arrays.copyOf(functionOfPlace, 2 * place);
        }
        if (functionOfPlace[place] == 0) {
            String text = CodePlaces.withoutLine(analysis.classifier().place(place));
            functionOfPlace[place] = 1 + functions.computeIfAbsent(text, t -> functions.size());
        }
        return functionOfPlace[place] - 1;
    }
}
