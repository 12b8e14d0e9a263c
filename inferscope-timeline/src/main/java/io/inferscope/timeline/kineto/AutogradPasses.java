package io.inferscope.timeline.kineto;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Hand-overs between a thread that calls {@code backward()} and the thread of autograd's engine that works for it.
 *
 * <p>PyTorch gives an operator and the operator that computes its gradient the same sequence number, and the second one
 * records the thread of the first ({@code RecordFunction::seqNr}, {@code forwardThreadId}). This connects the threads
 * without an id of a wait. The engine works while the caller is blocked: busy time of the engine's thread in which no
 * row of the caller begins or ends is one pass.
 *
 * <p>Each thread counts from 0, and only the gradient operator has PyTorch's number of the calling thread: the track
 * with this number is found by common sequence numbers. If two threads have equally many, or another thread with
 * operators stops where a pass begins, as with {@code nn.DataParallel}, no hand-over is made.
 *
 * <pre>
 *   caller   [ forward ]g................t[ optimizer ]      g gives the pass, t has its gradients
 *                        \              /
 *   engine   ...........t[ op ] [ op ] g..............
 * </pre>
 */
final class AutogradPasses {
    /** The operating system's name for the engine's thread, for traces that do not name it. */
    private static final String NAME = "pt_autograd";

    /** Sequence numbers are compared modulo this, which is far more than one thread has in flight. */
    private static final int NUMBERS = 1 << 20;

    private final TimelineBuilder builder;
    private final Map<Integer, BitSet> forward = new TreeMap<>();

    /** Sequence numbers of gradients, by engine's thread and PyTorch's number of the calling thread. */
    private final Map<Integer, Map<Long, BitSet>> backward = new TreeMap<>();

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
            int track = builder.trackAt(row);
            long forwardThread = event.number(Arg.FORWARD_THREAD, 0);
            BitSet numbers = forwardThread > 0
                    ? backward.computeIfAbsent(track, t -> new TreeMap<>())
                            .computeIfAbsent(forwardThread, t -> new BitSet())
                    : forward.computeIfAbsent(track, t -> new BitSet());
            numbers.set((int) (number % NUMBERS));
        }
    }

    /** Adds the hand-overs of each pass. If there is none, declares how many nodes operators recorded for one. */
    void link() {
        // An operator has the number that the thread's next node will have.
        int nodes = forward.values().stream()
                .mapToInt(numbers -> numbers.cardinality() - 1)
                .sum();
        if (backward.isEmpty() && nodes > 0) {
            builder.property(TimelineInfo.GRAPH_NODES, Integer.toString(nodes));
        }
        Map<Integer, Integer> callers = new TreeMap<>();
        backward.forEach((engine, gradients) -> {
            int caller = caller(gradients.values());
            if (caller >= 0) {
                callers.put(engine, caller);
            }
        });
        if (!callers.isEmpty()) {
            Map<Integer, Stamps> stamps = stamps(callers.keySet());
            callers.forEach((engine, caller) -> link(caller, engine, stamps));
        }
    }

    /**
     * Returns the thread with most operators whose gradients an engine computes; -1 if no thread has half of them, or
     * it is not known.
     */
    private int caller(Collection<BitSet> gradients) {
        int all = gradients.stream().mapToInt(BitSet::cardinality).sum();
        BitSet most =
                gradients.stream().max(Order.comparingInt(BitSet::cardinality)).orElseThrow();
        int caller = -1;
        int shared = all / 2;
        for (Map.Entry<Integer, BitSet> thread : forward.entrySet()) {
            int found = (int) most.stream().filter(thread.getValue()::get).count();
            if (found > shared) {
                caller = thread.getKey();
                shared = found;
            } else if (found == shared) {
                caller = -1;
            }
        }
        // A thread that computes its own gradients waits for no other thread.
        return backward.containsKey(caller) ? -1 : caller;
    }

    private void link(int caller, int engine, Map<Integer, Stamps> stamps) {
        if (!builder.isNamed(engine)) {
            builder.trackName(engine, NAME);
        }
        long[] edges = stamps.getOrDefault(engine, Stamps.NONE).busyEdges();
        Calls calls = new Calls(stamps.getOrDefault(caller, Stamps.NONE), edges);
        List<Calls> others = forward.keySet().stream()
                .filter(thread -> thread != caller && !backward.containsKey(thread))
                .map(thread -> new Calls(stamps.getOrDefault(thread, Stamps.NONE), edges))
                .toList();
        int gaps = edges.length / 2 + 1;
        int before = 0;
        for (int gap = 1; gap < gaps; gap++) {
            if (calls.firstNs[gap] < Long.MAX_VALUE || gap == gaps - 1) {
                int begin = before;
                int end = gap;
                if (calls.mayWait(begin, end) && others.stream().noneMatch(other -> other.mayWait(begin, end))) {
                    long idleNs = begin == 0 ? calls.firstNs[0] : edges[2 * begin - 1];
                    pass(caller, engine, idleNs, edges[2 * begin], edges[2 * end - 1]);
                }
                before = gap;
            }
        }
    }

    /** A thread's instants in the gaps between an engine's busy times. */
    private static final class Calls {
        /** By gap: the thread's first instant in it. */
        final long[] firstNs;

        private final long[] lastNs;
        private final BitSet interrupted = new BitSet();

        Calls(Stamps calling, long[] edges) {
            firstNs = new long[edges.length / 2 + 1];
            lastNs = new long[firstNs.length];
            Arrays.fill(firstNs, Long.MAX_VALUE);
            Arrays.fill(lastNs, Long.MIN_VALUE);
            for (int i = 0; i < calling.count; i++) {
                place(calling.startsNs[i], edges);
                place(calling.endsNs[i], edges);
            }
        }

        /** Adds an instant, which is in a gap or inside of busy time. */
        private void place(long ns, long[] edges) {
            int found = Arrays.binarySearch(edges, ns);
            // An instant on an edge counts as in the gap: the thread may just be giving or taking.
            int before = found >= 0 ? found + (found % 2) : -found - 1;
            if (before % 2 == 1) {
                interrupted.set(before / 2);
            } else {
                firstNs[before / 2] = Math.min(firstNs[before / 2], ns);
                lastNs[before / 2] = Math.max(lastNs[before / 2], ns);
            }
        }

        /**
         * Returns whether the thread has instants in the gap {@code before}, and none while the engine was busy between
         * the gaps.
         */
        boolean mayWait(int before, int gap) {
            int next = interrupted.nextSetBit(before);
            return lastNs[before] > Long.MIN_VALUE && (next < 0 || next >= gap);
        }
    }

    /** Begins and ends of a thread's rows. */
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

        /**
         * Returns the alternating begins and ends of the thread's busy times: where the number of open rows leaves 0
         * and returns to 0.
         */
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

    private Map<Integer, Stamps> stamps(Set<Integer> engines) {
        Map<Integer, Stamps> byTrack = new HashMap<>();
        engines.forEach(thread -> byTrack.put(thread, new Stamps()));
        forward.keySet().forEach(thread -> byTrack.put(thread, new Stamps()));
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

    private void pass(int caller, int engine, long idleNs, long beginNs, long endNs) {
        int begins = row(caller, beginNs, beginNs, "gives backward pass", false);
        link(begins, row(engine, idleNs, beginNs, "takes backward pass", true));
        int ends = row(engine, endNs, endNs, "gives gradients", false);
        HandOver.What.GRADIENTS.store(builder, ends);
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
