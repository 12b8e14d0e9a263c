package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.Basis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.SamplingError;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Says for every idle gap of one device what it waited for.
 *
 * <pre>
 *   device        ######|a.......................b|######
 *   thread T            | host time |[l0  launch l1]
 *                       |  [a, l0)  |  [l0, l1)   |[l1, b) device side
 * </pre>
 *
 * The operation that ends the gap has a launch call [l0, l1) on thread T (at equal starts, the operation launched last counts). Before
 * l0 the gap is T's doing; up to l1 it is the launch; after l1 it is launch latency up to the smallest seen in the trace, and
 * dependency or hardware queue beyond. An operation that a graph launch replayed after the first one has no latency of its own.
 * Without a launch record the gap is unattributed. The tail belongs to the thread that launched last.
 */
public final class IdleBlame {
    /** One idle gap and the largest part of its blame. */
    public record Gap(
            long startNs, long endNs, String phase, LedgerClass cause, String thread, String activity, String where) {
        /** Returns its length in ns. */
        public long durationNs() {
            return endNs - startNs;
        }
    }

    private static final int LARGEST_GAPS = 10;
    private static final long MAX_IDLE_LATENCY_NS = 50_000;
    private static final String HEAD = "head";
    private static final String SPAN = "span";
    private static final String TAIL = "tail";

    private final Timeline timeline;
    private final DeviceActivity device;
    private final Stretch window;
    private final IntFunction<ThreadActivity> threads;
    private final ActivityClassifier classifier;
    private final long minLatencyNs;
    private final Map<Key, Amount> amounts = new HashMap<>();
    private final Map<String, Ledger.Builder> ledgers = new HashMap<>();
    private final List<Gap> largest = new ArrayList<>();

    private record Key(String phase, int thread, LedgerClass cause, ThreadState state, int activity, String where) {
        /** Written out: a record's own is put together at run time, in a tenth of the time that a short analysis takes. */
        @Override
        public int hashCode() {
            return 31 * (31 * (31 * (31 * thread + cause.ordinal()) + state.ordinal()) + activity) + where.hashCode();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key
                    && thread == key.thread
                    && cause == key.cause
                    && state == key.state
                    && activity == key.activity
                    && phase.equals(key.phase)
                    && where.equals(key.where);
        }
    }

    private static final class Amount {
        private final Key key;
        private long ns;

        /** Its part of the gap that it was last part of. */
        private long inGapNs;

        private long boundNs;
        private long gaps;
        private boolean estimated;
        private final SamplingError sampled = new SamplingError();
        private long lastGap = -1;

        Amount(Key key) {
            this.key = key;
        }
    }

    /** What the gap at hand is made of. */
    private final List<Amount> current = new ArrayList<>();

    private long gapNumber;

    /** Idle time of which stack samples say what it was spent on. */
    private long sampledNs;

    /** The first operation that does not start before the end of the gap at hand. */
    private int operation;

    IdleBlame(
            Timeline timeline,
            DeviceActivity device,
            Stretch window,
            IntFunction<ThreadActivity> threads,
            ActivityClassifier classifier) {
        this.timeline = timeline;
        this.device = device;
        this.window = window;
        this.threads = threads;
        this.classifier = classifier;
        this.minLatencyNs = minLatencyNs(device);
        for (String phase : List.of(HEAD, SPAN, TAIL)) {
            ledgers.put(phase, new Ledger.Builder());
        }
        blameAll();
    }

    /**
     * Returns the smallest launch latency of an operation launched one by one, 0 when there is none. Where a trace begins in the middle
     * of a queue, even its smallest latency is queueing: what exceeds any idle GPU's latency (measured ones are 2 to 30 us) is cut off.
     */
    static long minLatencyNs(DeviceActivity device) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < device.operationCount(); i++) {
            if (device.isLaunchedAlone(i) && device.launchLatencyNs(i) >= 0) {
                least = Math.min(least, device.launchLatencyNs(i));
            }
        }
        return least == Long.MAX_VALUE ? 0 : Math.min(least, MAX_IDLE_LATENCY_NS);
    }

    /** Phases are looked at one by one: an operation without length can begin or end the span in the middle of idle time. */
    private void blameAll() {
        blamePhase(HEAD, window.startNs(), device.firstNs());
        blamePhase(SPAN, device.firstNs(), device.lastNs());
        blamePhase(TAIL, device.lastNs(), window.endNs());
    }

    private void blamePhase(String phase, long fromNs, long toNs) {
        Intervals gaps = device.busy().complementWithin(fromNs, toNs);
        for (int i = 0; i < gaps.count(); i++) {
            long a = gaps.startNs(i);
            long b = gaps.endNs(i);
            gapNumber++;
            current.clear();
            while (operation < device.operationCount() && timeline.startNs(device.row(operation)) < b) {
                operation++;
            }
            if (phase.equals(TAIL)) {
                blameTail(a, b);
            } else {
                blameGap(phase, a, b, endingOperation(b));
            }
            remember(phase, a, b);
        }
    }

    /** Returns the operation that ends the gap: of those that start at its end and last (or, where none lasts, of all), the one launched last. */
    private int endingOperation(long b) {
        int best = operation;
        for (int i = operation + 1; i < device.operationCount() && timeline.startNs(device.row(i)) == b; i++) {
            boolean lasts = timeline.durationNs(device.row(i)) > 0;
            boolean bestLasts = timeline.durationNs(device.row(best)) > 0;
            if (lasts == bestLasts ? launchedNs(i) > launchedNs(best) : lasts) {
                best = i;
            }
        }
        return best;
    }

    /** Returns when an operation was launched; before everything else where that was not recorded. */
    private long launchedNs(int index) {
        return device.launch(index) < 0 ? Long.MIN_VALUE : timeline.startNs(device.launch(index));
    }

    private void blameGap(String phase, long a, long b, int operation) {
        int launch = device.launch(operation);
        if (launch < 0) {
            add(phase, -1, b - a, LedgerClass.UNATTRIBUTED, ThreadState.NOT_RECORDED, -1, Basis.MEASURED);
            return;
        }
        int thread = timeline.track(launch);
        long l0 = Math.max(a, Math.min(timeline.startNs(launch), b));
        long l1 = Math.max(l0, Math.min(timeline.endNs(launch), b));
        blameHost(phase, thread, a, l0);
        add(phase, thread, l1 - l0, LedgerClass.FRAMEWORK_LAUNCH, ThreadState.NOT_RECORDED, launch, Basis.MEASURED);
        boolean follower = device.isGraphReplay(operation) && !device.isFirstOfLaunch(operation);
        long latencyNs = follower ? 0 : Math.min(b - l1, minLatencyNs);
        add(
                phase,
                thread,
                latencyNs,
                LedgerClass.FRAMEWORK_LAUNCH_LATENCY,
                ThreadState.NOT_RECORDED,
                launch,
                Basis.MEASURED);
        add(
                phase,
                thread,
                b - l1 - latencyNs,
                LedgerClass.GPU_DEPENDENCY,
                ThreadState.NOT_RECORDED,
                launch,
                Basis.MEASURED);
    }

    private void blameTail(long a, long b) {
        int last = -1;
        for (int i = 0; i < device.operationCount(); i++) {
            int launch = device.launch(i);
            if (launch >= 0 && (last < 0 || timeline.startNs(launch) >= timeline.startNs(last))) {
                last = launch;
            }
        }
        if (last < 0) {
            add(TAIL, -1, b - a, LedgerClass.UNATTRIBUTED, ThreadState.NOT_RECORDED, -1, Basis.MEASURED);
        } else {
            blameHost(TAIL, timeline.track(last), a, b);
        }
    }

    private void blameHost(String phase, int thread, long fromNs, long toNs) {
        threads.apply(thread)
                .cover(
                        fromNs,
                        toNs,
                        (ns, row, ledgerClass, state, basis) -> add(phase, thread, ns, ledgerClass, state, row, basis));
    }

    private void add(String phase, int thread, long ns, LedgerClass cause, ThreadState state, int row, Basis basis) {
        if (ns == 0) {
            return;
        }
        Ledger.Builder ledger = ledgers.get(phase);
        if (ledger != null) {
            ledger.add(cause, ns, basis);
        }
        int activity = row < 0 ? -1 : timeline.nameId(row);
        Key key = new Key(phase, thread, cause, state, activity, classifier.where(row));
        Amount amount = amounts.computeIfAbsent(key, Amount::new);
        amount.ns += ns;
        amount.boundNs += basis.boundNs();
        amount.estimated |= basis.isEstimated();
        if (basis.sampleNs() > 0) {
            amount.sampled.add(ns, basis.sampleNs());
            sampledNs += ns;
        }
        if (amount.lastGap != gapNumber) {
            amount.lastGap = gapNumber;
            amount.gaps++;
            amount.inGapNs = 0;
            current.add(amount);
        }
        amount.inGapNs += ns;
    }

    private void remember(String phase, long a, long b) {
        if (largest.size() == LARGEST_GAPS && largest.get(LARGEST_GAPS - 1).durationNs() >= b - a) {
            return;
        }
        Key main = current.stream()
                .max(Comparator.<Amount>comparingLong(amount -> amount.inGapNs)
                        .thenComparing(amount -> amount.key.cause)
                        .thenComparing(amount -> activity(amount.key))
                        .thenComparing(amount -> amount.key.where)
                        .thenComparing(amount -> amount.key.thread)
                        .thenComparing(amount -> amount.key.state))
                .orElseThrow()
                .key;
        largest.add(new Gap(a, b, phase, main.cause, threadName(main.thread), activity(main), main.where));
        largest.sort(Comparator.comparingLong(Gap::durationNs).reversed().thenComparingLong(Gap::startNs));
        if (largest.size() > LARGEST_GAPS) {
            largest.remove(LARGEST_GAPS);
        }
    }

    private String activity(Key key) {
        if (key.activity >= 0) {
            return timeline.text(key.activity);
        }
        return key.thread < 0 ? "launch not recorded" : "nothing recorded";
    }

    private String threadName(int thread) {
        return thread < 0 ? "" : Threads.label(timeline, thread);
    }

    /** Returns the idle time of one phase by class. */
    Ledger.Builder ledger(String phase) {
        return ledgers.getOrDefault(phase, new Ledger.Builder());
    }

    /** Returns the largest gaps, longest first. */
    public List<Gap> largestGaps() {
        return List.copyOf(largest);
    }

    /** Returns the blame by cause and place, largest first. */
    List<BlameFigures> figures() {
        List<BlameFigures> figures = new ArrayList<>();
        amounts.forEach((key, amount) -> figures.add(new BlameFigures(
                device.id(),
                key.phase,
                threadName(key.thread),
                key.cause,
                key.state.text(),
                activity(key),
                key.where,
                amount.ns,
                amount.gaps,
                amount.estimated,
                Math.min(amount.boundNs + amount.sampled.boundNs(sampledNs), amount.ns))));
        figures.sort(Comparator.comparingLong(BlameFigures::ns)
                .reversed()
                .thenComparing(BlameFigures::phase)
                .thenComparing(BlameFigures::cause)
                .thenComparing(BlameFigures::thread)
                .thenComparing(BlameFigures::activity)
                .thenComparing(BlameFigures::where)
                .thenComparing(BlameFigures::state));
        return figures;
    }
}
