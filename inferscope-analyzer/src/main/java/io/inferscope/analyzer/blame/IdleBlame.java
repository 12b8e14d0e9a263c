package io.inferscope.analyzer.blame;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.MissingOperations;
import io.inferscope.analyzer.activity.ThreadActivity;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.blame.BlameAmounts.Phase;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.StepTables.OperatorIdle;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds for every idle gap of one device what it waited for.
 *
 * <pre>
 *   device        ######|a.......................b|######
 *   thread T            | host time |[l0  launch l1]
 *                       |  [a, l0)  |  [l0, l1)   |[l1, b) device side
 * </pre>
 *
 * The operation that ends the gap has a launch call [l0, l1) on thread T (at equal starts, the operation launched last
 * counts). Before l0 the gap is T's doing; up to l1 it is the launch, or the copy if the call stages one; after l1 it is launch latency up to the smallest
 * seen in the trace, and dependency or hardware queue beyond. An operation that a graph launch replayed after the first
 * one has no latency of its own. While a function of the host holds the operation's stream up, after the launch or while
 * the launching thread waits for the device, the gap belongs to the thread that runs it. Without a launch record the gap is unattributed. Pages of unified memory move without a
 * launch, when the host touches them: such a gap belongs to the thread that launched before it, else to the first one
 * that launches. The tail belongs to the thread that
 * launched last: see {@link TailBlame}.
 */
public final class IdleBlame {
    /** One idle gap, the cause that holds most of it, and the place that holds most of that cause. */
    public record Gap(
            long startNs,
            long endNs,
            LedgerPart phase,
            LedgerClass cause,
            String thread,
            String activity,
            String where) {
        /** Returns its length in ns. */
        public long durationNs() {
            return endNs - startNs;
        }
    }

    /** The order in which gaps are listed: the longest first. */
    private static final Comparator<Gap> LONGEST_FIRST = (a, b) -> a.durationNs() != b.durationNs()
            ? Long.compare(b.durationNs(), a.durationNs())
            : Long.compare(a.startNs(), b.startNs());

    /** Takes what a device waited for. */
    public interface Pieces {
        /** Takes the interval of a gap. Its pieces follow, and sum to its length. */
        default void gap(long startNs, long endNs) {}

        /** Returns whether the pieces of a gap are wanted; if not, the gap is left out. */
        default boolean wants(long startNs, long endNs) {
            return true;
        }

        /**
         * Takes a piece of the current gap.
         *
         * @param row the innermost activity of the thread that was waited for, or the launch; -1 for none
         * @param sample the stack sample that represents it, -1 for none
         */
        void take(int row, int sample, LedgerClass cause, long ns);
    }

    /** Shorter gaps are not listed: a launch alone takes longer. */
    private static final long LEAST_LISTED_NS = 1_000;
    /**
     * This activity and lower ones stand for the replay of a graph by the call with name id
     * {@code INSIDE_REPLAY - activity}.
     */
    private static final int INSIDE_REPLAY = -2;

    /** This activity stands for operations that were launched and are missing. */
    private static final int MISSING = Integer.MIN_VALUE;

    private static final long MAX_IDLE_LATENCY_NS = 50_000;

    private final Timeline timeline;
    private final DeviceActivity device;
    private final Stretch window;
    private final Threads threads;
    private final ActivityClassifier classifier;
    private final long minLatencyNs;
    private final DividedTime time;
    private final IdleOperators operators;
    private final int mostGaps;
    private final PriorityQueue<Gap> largest = new PriorityQueue<>(LONGEST_FIRST.reversed());
    private final NamePredicate eventWaits;
    private final OtherThreads others;
    private final MissingOperations missing;
    private final Intervals.Builder unknown = new Intervals.Builder(16);

    /** The sink that asked for the pieces again; null while they are summed. */
    private @Nullable Pieces explained;

    /** The first operation that does not start before the end of the current gap. */
    private int operation;

    /** The launch of the last operation before it that has one, at first that of the first one; -1 for none. */
    private int lastLaunch = -1;

    /**
     * Blames the idle time of a device; {@code time} is where it is collected, and says what it is divided by; names
     * {@code mostGaps} gaps.
     */
    public IdleBlame(
            Timeline timeline,
            DeviceActivity device,
            Stretch window,
            Threads threads,
            ActivityClassifier classifier,
            MissingOperations missing,
            DividedTime time,
            int mostGaps) {
        this.missing = missing;
        this.time = time;
        this.mostGaps = mostGaps;
        this.operators = new IdleOperators(timeline);
        time.sumOperators(operators);
        this.timeline = timeline;
        this.device = device;
        this.window = window;
        this.threads = threads;
        this.classifier = classifier;
        this.minLatencyNs = minLatencyNs(device);
        this.others = new OtherThreads(timeline, classifier, device);
        this.eventWaits = new NamePredicate(timeline, ApiCalls::isStreamWait);
        blameAll();
        time.end();
    }

    /**
     * Returns the smallest launch latency of an operation launched one by one, 0 when there is none. Where a trace
     * begins in the middle of a queue, even its smallest latency is queueing: what exceeds any idle GPU's latency
     * (measured ones are 2 to 30 us) is cut off.
     */
    static long minLatencyNs(DeviceActivity device) {
        long least = device.launched()
                .filter(device::isLaunchedAlone)
                .mapToLong(device::launchLatencyNs)
                .filter(ns -> ns >= 0)
                .min()
                .orElse(0);
        return Math.min(least, MAX_IDLE_LATENCY_NS);
    }

    /**
     * Phases are looked at one by one: an operation without length can begin or end the span in the middle of idle
     * time.
     */
    private void blameAll() {
        blamePhase(Phase.HEAD, window.startNs(), device.firstNs());
        blamePhase(Phase.SPAN, device.firstNs(), device.lastNs());
        blamePhase(Phase.TAIL, device.lastNs(), window.endNs());
    }

    /** Passes all pieces of idle time, in the order of time, to {@code to}, so that they need not be stored. */
    public void explain(Pieces to) {
        explained = to;
        operation = 0;
        lastLaunch = -1;
        blameAll();
        explained = null;
    }

    private void blamePhase(Phase phase, long fromNs, long toNs) {
        PieceSink pieces = new PieceSink();
        time.enter(phase);
        Intervals gaps = device.busy().complementWithin(fromNs, toNs);
        for (int i = 0; i < gaps.count(); i++) {
            long a = gaps.startNs(i);
            long b = gaps.endNs(i);
            while (operation < device.operationCount() && timeline.startNs(device.row(operation)) < b) {
                lastLaunch = device.launch(operation) < 0 ? lastLaunch : device.launch(operation);
                operation++;
            }
            if (explained == null) {
                time.beginGap();
            } else if (explained.wants(a, b)) {
                explained.gap(a, b);
            } else {
                continue;
            }
            if (phase == Phase.TAIL) {
                blameTail(pieces, a, b);
            } else {
                blameAround(pieces, a, b, endingOperation(b));
            }
            if (explained == null) {
                remember(phase, a, b);
            }
        }
    }

    /** Adds pieces of idle time, on one thread after the other. */
    private final class PieceSink implements ThreadActivity.PlainSink {
        private int thread = -1;
        private boolean insideReplay;

        void host(int ofThread, long fromNs, long toNs) {
            thread = ofThread;
            if (explained != null) {
                threads.explain(thread, fromNs, toNs, this);
                return;
            }
            time.begin(fromNs, toNs);
            while (time.next()) {
                threads.explain(thread, time.partStartNs(), time.partEndNs(), this);
            }
        }

        @Override
        public void take(ThreadPiece piece) {
            if (explained != null) {
                explained.take(piece.row(), piece.sample(), piece.ledgerClass(), piece.ns());
                return;
            }
            time.take(piece);
        }

        @Override
        public void takePlain(int ofThread, int row, long fromNs, long toNs) {
            if (explained != null) {
                LedgerClass cause = row < 0 ? LedgerClass.UNATTRIBUTED : classifier.classify(row);
                explained.take(row, -1, cause, toNs - fromNs);
                return;
            }
            time.takePlain(ofThread, row, fromNs, toNs);
        }

        void lost(Stretch lost, int launch) {
            thread = timeline.track(launch);
            if (explained != null) {
                explained.take(-1, -1, LedgerClass.UNATTRIBUTED, lost.durationNs());
                return;
            }
            put(lost.startNs(), lost.endNs(), LedgerClass.UNATTRIBUTED, -1, MISSING);
        }

        void measured(long fromNs, long toNs, LedgerClass cause, int row) {
            if (explained != null) {
                explained.take(row, -1, cause, Math.max(0, toNs - fromNs));
                return;
            }
            int name = row < 0 ? -1 : timeline.nameId(row);
            put(fromNs, toNs, cause, row, insideReplay && row >= 0 ? INSIDE_REPLAY - name : name);
        }

        private void put(long fromNs, long toNs, LedgerClass cause, int row, int activity) {
            time.begin(fromNs, toNs);
            while (time.next()) {
                time.addPart(thread, cause, row, activity);
            }
        }
    }

    /**
     * Returns the operation that ends the gap: of those that start at its end, the one launched last. One without
     * length counts only if all are.
     */
    private int endingOperation(long b) {
        int best = operation;
        for (int i = operation + 1; i < device.operationCount() && timeline.startNs(device.row(i)) == b; i++) {
            boolean lasts = timeline.durationNs(device.row(i)) > 0;
            boolean bestLasts = timeline.durationNs(device.row(best)) > 0;
            if (lasts == bestLasts ? launchedLater(device.launch(i), device.launch(best)) : lasts) {
                best = i;
            }
        }
        return best;
    }

    /**
     * Returns whether a launch began later than another one or, if both began together, ended later; -1, not recorded,
     * is the earliest.
     */
    private boolean launchedLater(int launch, int than) {
        if (launch < 0 || than < 0) {
            return launch > than;
        }
        int byStart = Long.compare(timeline.startNs(launch), timeline.startNs(than));
        int byEnd = Long.compare(timeline.endNs(launch), timeline.endNs(than));
        return byStart != 0 ? byStart > 0 : byEnd != 0 ? byEnd > 0 : launch > than;
    }

    /** Time in which operations are missing is no time that the device waited. */
    private void blameAround(PieceSink pieces, long a, long b, int operation) {
        Stretch lost = missing.within(device, operation, a, b);
        if (lost == null) {
            blameGap(pieces, a, b, operation);
            return;
        }
        blameGap(pieces, a, lost.startNs(), operation);
        pieces.lost(lost, device.launch(operation));
        blameGap(pieces, lost.endNs(), b, operation);
        if (explained == null) {
            unknown.add(lost.startNs(), lost.endNs());
        }
    }

    private void blameGap(PieceSink pieces, long a, long b, int operation) {
        int launch = device.launch(operation);
        int around = launch < 0 && device.isMigration(operation) ? launchAround() : -1;
        if (around >= 0) {
            pieces.host(timeline.track(around), a, b);
            return;
        }
        if (launch < 0) {
            withoutLaunch(pieces, a, b);
            return;
        }
        long l0 = Math.max(a, Math.min(timeline.startNs(launch), b));
        long l1 = Math.max(l0, Math.min(timeline.endNs(launch), b));
        List<Integer> functions = timeline.links().hostFunctionsBefore(device.row(operation));
        int dispatcher = others.dispatcherOf(timeline.track(launch));
        long at = a;
        for (int function : functions) {
            Stretch held = others.waitWithin(timeline.track(launch), function, at, l0);
            if (held != null) {
                pieces.host(dispatcher, at, held.startNs());
                pieces.host(timeline.track(function), held.startNs(), held.endNs());
                at = held.endNs();
            }
        }
        pieces.host(dispatcher, at, l0);
        pieces.thread = timeline.track(launch);
        pieces.insideReplay = device.isReplayedLater(operation);
        pieces.measured(l0, l1, ofLaunch(launch), launch);
        at = l1;
        for (int function : functions) {
            long from = Math.max(at, timeline.startNs(function));
            long to = Math.min(b, timeline.endNs(function));
            if (to > from) {
                deviceSide(pieces, l1, at, from, operation);
                pieces.host(timeline.track(function), from, to);
                at = to;
            }
        }
        deviceSide(pieces, l1, at, b, operation);
        pieces.insideReplay = false;
    }

    /** Adds a part of the time after a launch that ended at {@code l1}: its latency, and what the operation waited for. */
    private void deviceSide(PieceSink pieces, long l1, long from, long to, int operation) {
        int launch = device.launch(operation);
        pieces.thread = timeline.track(launch);
        long latencyEnd = Math.max(from, Math.min(to, pieces.insideReplay ? l1 : l1 + minLatencyNs));
        pieces.measured(from, latencyEnd, LedgerClass.FRAMEWORK_LAUNCH_LATENCY, launch);
        pieces.measured(latencyEnd, to, LedgerClass.GPU_DEPENDENCY, waiting(device.row(operation), launch));
    }

    /** A device whose launches are not recorded runs nothing while what it is to run is compiled. */
    private void withoutLaunch(PieceSink pieces, long a, long b) {
        long at = a;
        for (int compilation : others.compilationsWithin(a, b)) {
            long from = Math.max(at, timeline.startNs(compilation));
            long to = Math.min(b, timeline.endNs(compilation));
            if (to > from) {
                pieces.thread = -1;
                pieces.measured(at, from, LedgerClass.UNATTRIBUTED, -1);
                pieces.thread = timeline.track(compilation);
                pieces.measured(from, to, LedgerClass.FRAMEWORK_COMPILE_LOAD, compilation);
                at = to;
            }
        }
        pieces.thread = -1;
        pieces.measured(at, b, LedgerClass.UNATTRIBUTED, -1);
    }

    /** Returns the last launch, or the first one if there is none before; -1 without any. */
    private int launchAround() {
        if (lastLaunch < 0) {
            for (int i = operation; i < device.operationCount() && lastLaunch < 0; i++) {
                lastLaunch = device.launch(i);
            }
        }
        return lastLaunch;
    }

    /**
     * Returns the class of idle time inside a launch: a call that stages a copy is part of the copy, and what a
     * compiler launches is part of the compilation.
     */
    private LedgerClass ofLaunch(int launch) {
        LedgerClass call = classifier.classify(launch);
        boolean own = call.isCopy() || call == LedgerClass.FRAMEWORK_COMPILE_LOAD;
        return own ? call : LedgerClass.FRAMEWORK_LAUNCH;
    }

    /** Returns the call that made an operation wait for an event, where such a wait is recorded; else its launch. */
    private int waiting(int operation, int launch) {
        if (timeline.links().eventGiver(operation) >= 0) {
            for (int row = launch - 1; row >= timeline.firstRow(timeline.track(launch)); row--) {
                if (timeline.kind(row).isApiCall() && eventWaits.testRow(row)) {
                    return row;
                }
            }
        }
        return launch;
    }

    private void blameTail(PieceSink pieces, long a, long b) {
        List<TailBlame> shares = TailBlame.of(timeline, device, a, b);
        if (shares.isEmpty()) {
            pieces.thread = -1;
            pieces.measured(a, b, LedgerClass.UNATTRIBUTED, -1);
        }
        shares.forEach(share -> pieces.host(share.thread(), share.startNs(), share.endNs()));
    }

    private void remember(Phase phase, long a, long b) {
        if (largest.size() == mostGaps
                && largest.element().durationNs() >= b - a) { // of gaps as long as another one, the first is kept
            return;
        }
        largest.add(named(phase, a, b));
        if (largest.size() > mostGaps) {
            largest.remove();
        }
    }

    /** Names a gap by sums: many small slices of one cause outweigh the largest slice of another. */
    private Gap named(Phase phase, long a, long b) {
        List<Amount> main = time.whole().ofGap();
        main = most(main, Amount::cause);
        main = most(main, this::where);
        main = most(main, this::activity);
        main = most(main, Amount::thread);
        Amount named = main.get(0);
        return new Gap(a, b, phase.part(), named.cause(), threadName(named.thread()), activity(named), where(named));
    }

    /**
     * Returns the amounts of one value that hold most of the current gap; of several values that hold as much, the last
     * in their order.
     */
    private static <V extends Comparable<V>> List<Amount> most(List<Amount> amounts, Function<Amount, V> value) {
        TreeMap<V, Long> sums = new TreeMap<>();
        amounts.forEach(amount -> sums.merge(value.apply(amount), amount.gapNs(), Long::sum));
        V held = sums.firstKey();
        for (Map.Entry<V, Long> entry : sums.entrySet()) {
            held = entry.getValue() >= sums.getOrDefault(held, 0L) ? entry.getKey() : held;
        }
        V most = held;
        return amounts.stream()
                .filter(amount -> value.apply(amount).equals(most))
                .toList();
    }

    private static LedgerPart part(Amount amount) {
        PhaseKind during = amount.during();
        return during == null ? amount.phase().part() : during.part();
    }

    private String where(Amount amount) {
        return classifier.place(amount.place());
    }

    /** Returns the text of an activity of idle time, empty for -1. */
    public static String activity(Timeline timeline, int activity) {
        if (activity == MISSING) {
            return "launched operations that are missing";
        }
        if (activity <= INSIDE_REPLAY) {
            return "inside a replay of " + timeline.text(INSIDE_REPLAY - activity);
        }
        return activity < 0 ? "" : timeline.text(activity);
    }

    private String activity(Amount amount) {
        if (amount.activity() != -1) {
            return activity(timeline, amount.activity());
        }
        return amount.thread() < 0 ? "launch not recorded" : "nothing recorded";
    }

    private String threadName(int thread) {
        return thread < 0 ? "" : Threads.label(timeline, thread);
    }

    /** Returns the smallest launch latency that counts as such, in ns. */
    public long leastLatencyNs() {
        return minLatencyNs;
    }

    /** Returns the idle time of one part of the window by class. */
    public Ledger.Builder ledger(Phase part) {
        return time.ledger(part);
    }

    /** Returns the idle time of one phase of the program by class, by its number. */
    public Ledger.Builder ofPhase(int number) {
        return time.ofPhase(number);
    }

    /** Returns the idle time in which launched operations are missing. */
    public Intervals unknown() {
        return unknown.build();
    }

    /** Returns the largest gaps, longest first. */
    public List<Gap> largestGaps() {
        return largest.stream().sorted(LONGEST_FIRST).toList();
    }

    /** Returns the largest gaps that deserve a line of their own. */
    public List<Gap> listedGaps() {
        return largestGaps().stream()
                .filter(gap -> gap.durationNs() >= LEAST_LISTED_NS)
                .toList();
    }

    /** Returns idle time by framework operator, largest first. */
    public List<OperatorIdle> operators() {
        return operators.figures();
    }

    /** Returns the blame by cause and place, largest first. */
    public List<BlameFigures> figures() {
        return figures(time.whole());
    }

    /** Returns the same of each phase of the program, and of each part of the window that is in none. */
    public List<BlameFigures> phaseFigures() {
        return figures(time.byPhase());
    }

    private List<BlameFigures> figures(BlameAmounts collected) {
        List<BlameFigures> figures = new ArrayList<>();
        List<Amount> amounts = collected.all();
        long sampledNs = BlameAmounts.sampledNs(amounts);
        for (Amount amount : amounts) {
            figures.add(new BlameFigures(
                    device.id(),
                    part(amount),
                    threadName(amount.thread()),
                    amount.cause(),
                    amount.state(),
                    activity(amount),
                    where(amount),
                    amount.ns(),
                    amount.gaps(),
                    amount.estimated(),
                    amount.boundNs(sampledNs)));
        }
        figures.sort(Order.comparingLong(BlameFigures::ns)
                .reversed()
                .thenComparing(figure -> figure.phase().id())
                .thenComparing(BlameFigures::cause)
                .thenComparing(BlameFigures::thread)
                .thenComparing(BlameFigures::activity)
                .thenComparing(BlameFigures::where)
                .thenComparing(BlameFigures::state));
        return figures;
    }
}
