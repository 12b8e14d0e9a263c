package io.inferscope.timeline.kineto;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Hand-overs between a thread that calls {@code backward()} and the thread of autograd's engine that works for it.
 *
 * <p>PyTorch gives an operator and the one that computes its gradient the same sequence number; the latter says which thread ran the former
 * ({@code RecordFunction::seqNr}, {@code forwardThreadId}). So threads belong together without any id of a wait. The engine works while the
 * caller is blocked: a stretch of its thread in which nothing of the caller begins or ends is one pass.
 *
 * <pre>
 *   caller   [ forward ]g................t[ optimizer ]      g gives the pass, t has its gradients
 *                        \              /
 *   engine   ...........t[ op ] [ op ] g..............
 * </pre>
 */
final class AutogradPasses {
    /** What the engine's thread is called by the operating system, where a trace does not name it. */
    private static final String NAME = "pt_autograd";

    /** Sequence numbers are told apart up to this many: it is by far more than one thread has in flight. */
    private static final int NUMBERS = 1 << 20;

    private final TimelineBuilder builder;
    private final Map<Integer, BitSet> forward = new TreeMap<>();
    private final Map<Integer, BitSet> backward = new TreeMap<>();

    AutogradPasses(TimelineBuilder builder) {
        this.builder = builder;
    }

    void clear() {
        forward.clear();
        backward.clear();
    }

    /** Takes an operator that has a sequence number. */
    void add(TraceEvent event, int row) {
        long number = event.number(Arg.SEQUENCE_NUMBER, -1);
        if (number >= 0) {
            boolean gradient = event.number(Arg.FORWARD_THREAD, 0) > 0;
            (gradient ? backward : forward)
                    .computeIfAbsent(builder.trackAt(row), t -> new BitSet())
                    .set((int) (number % NUMBERS));
        }
    }

    /** Adds the hand-overs of each pass. */
    void link() {
        Map<Integer, Integer> callers = new TreeMap<>();
        backward.forEach((engine, numbers) -> {
            int caller = caller(engine, numbers);
            if (caller >= 0) {
                callers.put(engine, caller);
            }
        });
        if (!callers.isEmpty()) {
            Map<Integer, Stamps> stamps = stamps(callers);
            callers.forEach((engine, caller) -> link(caller, engine, stamps));
        }
    }

    /** Returns the thread of whose operators this one computes most gradients; -1 where that is itself, or none for half of them. */
    private int caller(int engine, BitSet numbers) {
        int caller = -1;
        int most = numbers.cardinality() / 2;
        for (Map.Entry<Integer, BitSet> thread : forward.entrySet()) {
            BitSet shared = (BitSet) thread.getValue().clone();
            shared.and(numbers);
            // A thread that computes its own gradients waits for nobody.
            if (shared.cardinality() > most && !backward.containsKey(thread.getKey())) {
                caller = thread.getKey();
                most = shared.cardinality();
            }
        }
        return caller == engine ? -1 : caller;
    }

    private void link(int caller, int engine, Map<Integer, Stamps> stamps) {
        if (!builder.isNamed(engine)) {
            builder.trackName(engine, NAME);
        }
        Stamps calling = stamps.getOrDefault(caller, Stamps.NONE);
        long[] edges = stamps.getOrDefault(engine, Stamps.NONE).busyEdges();
        int gaps = edges.length / 2 + 1;
        long[] firstNs = new long[gaps];
        long[] lastNs = new long[gaps];
        Arrays.fill(firstNs, Long.MAX_VALUE);
        Arrays.fill(lastNs, Long.MIN_VALUE);
        BitSet interrupted = new BitSet();
        for (int i = 0; i < calling.count; i++) {
            place(calling.startsNs[i], edges, firstNs, lastNs, interrupted);
            place(calling.endsNs[i], edges, firstNs, lastNs, interrupted);
        }
        int before = 0;
        for (int gap = 1; gap < gaps; gap++) {
            boolean ends = firstNs[gap] < Long.MAX_VALUE || gap == gaps - 1;
            if (ends) {
                boolean begins = lastNs[before] > Long.MIN_VALUE;
                boolean blocked = interrupted.nextSetBit(before) < 0 || interrupted.nextSetBit(before) >= gap;
                if (begins && blocked) {
                    long idleNs = before == 0 ? firstNs[0] : edges[2 * before - 1];
                    pass(caller, engine, idleNs, edges[2 * before], edges[2 * gap - 1]);
                }
                before = gap;
            }
        }
    }

    /** When what a thread did began and ended. */
    private static final class Stamps {
        static final Stamps NONE = new Stamps();

        long[] startsNs = new long[64];
        long[] endsNs = new long[64];
        int count;

        void add(long startNs, long endNs) {
            if (count == startsNs.length) {
                startsNs = Arrays.copyOf(startsNs, 2 * count);
                endsNs = Arrays.copyOf(endsNs, 2 * count);
            }
            startsNs[count] = startNs;
            endsNs[count++] = endNs;
        }

        /** Returns begins and ends, in turn, of the time in which the thread did anything: where the number of open rows leaves 0, and returns there. */
        long[] busyEdges() {
            Arrays.sort(startsNs, 0, count);
            Arrays.sort(endsNs, 0, count);
            long[] edges = new long[2 * count];
            int found = 0;
            int next = 0;
            for (int ended = 0; ended < count; ended++) {
                if (next == ended) {
                    edges[found++] = startsNs[next++];
                }
                while (next < count && startsNs[next] <= endsNs[ended]) {
                    next++;
                }
                if (next == ended + 1) {
                    edges[found++] = endsNs[ended];
                }
            }
            return Arrays.copyOf(edges, found);
        }
    }

    private Map<Integer, Stamps> stamps(Map<Integer, Integer> callers) {
        Map<Integer, Stamps> byTrack = new HashMap<>();
        callers.forEach((engine, caller) -> {
            byTrack.put(engine, new Stamps());
            byTrack.put(caller, new Stamps());
        });
        int track = -1;
        @Nullable Stamps of = null;
        int rows = builder.rowCount();
        for (int row = 0; row < rows; row++) {
            if (builder.trackAt(row) != track) {
                track = builder.trackAt(row);
                of = byTrack.get(track);
            }
            if (of != null && builder.kindAt(row).isHostActivity()) {
                of.add(builder.startNsAt(row), builder.endNsAt(row));
            }
        }
        return byTrack;
    }

    /** Notes an instant of the caller: in the gap before busy time {@code gap}, or inside of what is busy before it. */
    private static void place(long ns, long[] edges, long[] firstNs, long[] lastNs, BitSet interrupted) {
        int found = Arrays.binarySearch(edges, ns);
        // On an edge the caller may just be giving or taking.
        int before = found >= 0 ? found + (found % 2) : -found - 1;
        if (before % 2 == 1) {
            interrupted.set(before / 2);
        } else {
            firstNs[before / 2] = Math.min(firstNs[before / 2], ns);
            lastNs[before / 2] = Math.max(lastNs[before / 2], ns);
        }
    }

    private void pass(int caller, int engine, long idleNs, long beginNs, long endNs) {
        int begins = row(caller, beginNs, beginNs, "gives backward pass", false);
        link(begins, row(engine, idleNs, beginNs, "takes backward pass", true));
        int ends = row(engine, endNs, endNs, HandOver.GIVES_GRADIENTS, false);
        link(ends, row(caller, beginNs, endNs, "takes gradients", true));
    }

    private int row(int track, long startNs, long endNs, String name, boolean takes) {
        int row = builder.row(RowKind.HAND_OVER, track, startNs, endNs, builder.name(name));
        builder.attribute(row, Attribute.HAND_OVER, HandOver.EVENT.ordinal());
        if (takes) {
            builder.attribute(row, Attribute.TAKES, 1);
        }
        return row;
    }

    private void link(int giver, int taker) {
        builder.link(LinkKind.HAND_OVER, giver, taker, 90);
    }
}
