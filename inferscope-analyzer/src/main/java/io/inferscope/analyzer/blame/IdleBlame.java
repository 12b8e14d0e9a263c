package io.inferscope.analyzer.blame;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.ApiCalls;
import io.inferscope.analyzer.activity.ByName;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.Piece;
import io.inferscope.analyzer.activity.ThreadActivity;
import io.inferscope.analyzer.activity.ThreadState;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.blame.BlameAmounts.Phase;
import io.inferscope.analyzer.model.Basis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.StepTables.OperatorIdle;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
 * Without a launch record the gap is unattributed. The tail belongs to the thread that launched last: see {@link TailShare}.
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
    /** An activity from this downwards is the replay of a graph by the call with name id {@code INSIDE_REPLAY - activity}. */
    private static final int INSIDE_REPLAY = -2;

    private static final long MAX_IDLE_LATENCY_NS = 50_000;

    private final Timeline timeline;
    private final DeviceActivity device;
    private final Stretch window;
    private final Threads threads;
    private final ActivityClassifier classifier;
    private final long minLatencyNs;
    private final BlameAmounts amounts = new BlameAmounts();
    private final BlameAmounts byPhase = new BlameAmounts();

    /** By the group of the phase and that of the step at once; what is in it adds to the other collections. */
    private final BlameAmounts parts = new BlameAmounts(this::sums);

    private final Map<Phase, Ledger.Builder> ledgers = new EnumMap<>(Phase.class);
    private final Map<Integer, Ledger.Builder> phaseLedgers = new TreeMap<>();
    private final Cuts cuts;
    private final @Nullable StepTime steps;

    /** How many groups of steps there are, with one for what is in no step. */
    private final int stepGroups;

    private final IdleOperators operators;
    private final List<Gap> largest = new ArrayList<>();
    private final ByName eventWaits;

    /** The first operation that does not start before the end of the gap at hand. */
    private int operation;

    /** Blames the idle time of a device, also divided by the phases of {@code cuts}; what lies in their steps goes to {@code steps}, too. */
    public IdleBlame(
            Timeline timeline,
            DeviceActivity device,
            Stretch window,
            Threads threads,
            ActivityClassifier classifier,
            Cuts cuts,
            @Nullable StepTime steps,
            boolean operatorsRecorded) {
        this.cuts = cuts;
        this.steps = steps;
        this.stepGroups = steps == null ? 1 : 1 + steps.groups();
        this.operators = new IdleOperators(timeline, operatorsRecorded);
        this.timeline = timeline;
        this.device = device;
        this.window = window;
        this.threads = threads;
        this.classifier = classifier;
        this.minLatencyNs = minLatencyNs(device);
        this.eventWaits = new ByName(timeline, ApiCalls::isStreamWait);
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
        blamePhase(Phase.HEAD, window.startNs(), device.firstNs());
        blamePhase(Phase.SPAN, device.firstNs(), device.lastNs());
        blamePhase(Phase.TAIL, device.lastNs(), window.endNs());
    }

    private void blamePhase(Phase phase, long fromNs, long toNs) {
        PieceSink pieces = new PieceSink(phase);
        Intervals gaps = device.busy().complementWithin(fromNs, toNs);
        for (int i = 0; i < gaps.count(); i++) {
            long a = gaps.startNs(i);
            long b = gaps.endNs(i);
            amounts.beginGap();
            byPhase.beginGap();
            while (operation < device.operationCount() && timeline.startNs(device.row(operation)) < b) {
                operation++;
            }
            if (phase == Phase.TAIL) {
                blameTail(pieces, a, b);
            } else {
                blameGap(pieces, a, b, endingOperation(b));
            }
            remember(phase, a, b);
        }
    }

    /** Adds pieces of the time of one part of the window, on one thread after the other, divided by phases and steps. */
    private final class PieceSink implements ThreadActivity.Sink {
        private final Phase part;
        private final Ledger.Builder ledger = new Ledger.Builder();
        private Ledger.Builder phaseLedger = new Ledger.Builder();
        private int phase = -1;
        private int group;
        private int step = -1;
        private int thread = -1;
        private boolean insideReplay;

        PieceSink(Phase part) {
            this.part = part;
            ledgers.put(part, ledger);
        }

        void host(int ofThread, long fromNs, long toNs) {
            thread = ofThread;
            cuts.begin(fromNs, toNs);
            while (cuts.next()) {
                enterPart();
                threads.explain(thread, cuts.partStartNs(), cuts.partEndNs(), this);
            }
        }

        void measured(long fromNs, long toNs, LedgerClass cause, int row) {
            int name = row < 0 ? -1 : timeline.nameId(row);
            int activity = insideReplay && row >= 0 ? INSIDE_REPLAY - name : name;
            int place = classifier.placeOf(row);
            ThreadState state = ThreadState.NOT_RECORDED;
            cuts.begin(fromNs, toNs);
            while (cuts.next()) {
                enterPart();
                long ns = cuts.partEndNs() - cuts.partStartNs();
                parts.add(group, thread, cause, state, activity, place, ns, Basis.MEASURED);
                add(row, cause, ns, Basis.MEASURED);
            }
        }

        @Override
        public void take(Piece piece) {
            parts.add(group, piece, timeline, classifier);
            add(piece.row(), piece.ledgerClass(), piece.ns(), piece.basis());
        }

        private void add(int row, LedgerClass cause, long ns, Basis basis) {
            ledger.add(cause, ns, basis);
            phaseLedger.add(cause, ns, basis);
            operators.add(row, cause, ns);
            if (steps != null && step >= 0) {
                steps.add(step, cause, ns);
            }
        }

        private void enterPart() {
            int entered = part.in(cuts.phase());
            if (entered != phase) {
                phase = entered;
                phaseLedger = phaseLedgers.computeIfAbsent(phase, g -> new Ledger.Builder());
            }
            step = cuts.step();
            group = phase * stepGroups + (steps == null || step < 0 ? 0 : 1 + steps.group(step));
        }
    }

    /** Returns what a part of the idle time adds to. */
    private Amount[] sums(Amount part) {
        int phase = part.group() / stepGroups;
        int ofStep = part.group() % stepGroups - 1;
        List<Amount> sums = new ArrayList<>();
        sums.add(amounts.find(Phase.whole(phase), part));
        if (cuts.hasPhases()) {
            sums.add(byPhase.find(phase, part));
        }
        if (steps != null && ofStep >= 0) {
            sums.add(steps.place(ofStep, part));
        }
        return sums.toArray(new Amount[0]);
    }

    /** Returns the operation that ends the gap: of those that start at its end and last (or, where none lasts, of all), the one launched last. */
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

    /** Returns whether a launch was later than another one, of those that begin together the one that ends later; -1, not recorded, is the first. */
    private boolean launchedLater(int launch, int than) {
        if (launch < 0 || than < 0) {
            return launch > than;
        }
        int byStart = Long.compare(timeline.startNs(launch), timeline.startNs(than));
        int byEnd = Long.compare(timeline.endNs(launch), timeline.endNs(than));
        return byStart != 0 ? byStart > 0 : byEnd != 0 ? byEnd > 0 : launch > than;
    }

    private void blameGap(PieceSink pieces, long a, long b, int operation) {
        int launch = device.launch(operation);
        if (launch < 0) {
            pieces.thread = -1;
            pieces.measured(a, b, LedgerClass.UNATTRIBUTED, -1);
            return;
        }
        long l0 = Math.max(a, Math.min(timeline.startNs(launch), b));
        long l1 = Math.max(l0, Math.min(timeline.endNs(launch), b));
        pieces.host(timeline.track(launch), a, l0);
        pieces.insideReplay = device.isReplayedLater(operation);
        pieces.measured(l0, l1, LedgerClass.FRAMEWORK_LAUNCH, launch);
        long latencyNs = pieces.insideReplay ? 0 : Math.min(b - l1, minLatencyNs);
        pieces.measured(l1, l1 + latencyNs, LedgerClass.FRAMEWORK_LAUNCH_LATENCY, launch);
        pieces.measured(l1 + latencyNs, b, LedgerClass.GPU_DEPENDENCY, waiting(device.row(operation), launch));
        pieces.insideReplay = false;
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
        List<TailShare> shares = TailShare.of(timeline, device, a, b);
        if (shares.isEmpty()) {
            pieces.thread = -1;
            pieces.measured(a, b, LedgerClass.UNATTRIBUTED, -1);
        }
        shares.forEach(share -> pieces.host(share.thread(), share.startNs(), share.endNs()));
    }

    private void remember(Phase phase, long a, long b) {
        if (largest.size() == LARGEST_GAPS && largest.get(LARGEST_GAPS - 1).durationNs() >= b - a) {
            return;
        }
        Amount main = amounts.ofGap().stream()
                .max(Comparator.comparingLong(Amount::gapNs)
                        .thenComparing(Amount::cause)
                        .thenComparing(this::activity)
                        .thenComparing(this::where)
                        .thenComparing(Amount::thread)
                        .thenComparing(Amount::state))
                .orElseThrow();
        largest.add(new Gap(a, b, phase.text(), main.cause(), threadName(main.thread()), activity(main), where(main)));
        largest.sort(Comparator.comparingLong(Gap::durationNs).reversed().thenComparingLong(Gap::startNs));
        if (largest.size() > LARGEST_GAPS) {
            largest.remove(LARGEST_GAPS);
        }
    }

    private static String part(Amount amount) {
        PhaseKind during = amount.during();
        return during == null ? amount.phase().text() : during.id();
    }

    private String where(Amount amount) {
        return classifier.place(amount.place());
    }

    /** Returns the text of an activity of idle time, empty for -1. */
    public static String activity(Timeline timeline, int activity) {
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
        return new Ledger.Builder().addAll(ledgers.getOrDefault(part, new Ledger.Builder()));
    }

    /** Returns the idle time of one phase of the program by class. */
    public Ledger.Builder ledger(PhaseKind phase) {
        Ledger.Builder sum = new Ledger.Builder();
        for (Phase part : Phase.values()) {
            sum.addAll(phaseLedgers.getOrDefault(part.in(phase), new Ledger.Builder()));
        }
        return sum;
    }

    /** Returns the largest gaps, longest first. */
    public List<Gap> largestGaps() {
        return List.copyOf(largest);
    }

    /** Returns idle time by framework operator, largest first. */
    public List<OperatorIdle> operators() {
        return operators.figures();
    }

    /** Returns the blame by cause and place, largest first. */
    public List<BlameFigures> figures() {
        return figures(amounts);
    }

    /** Returns the same of each phase of the program, and of each part of the window that is in none. */
    public List<BlameFigures> phaseFigures() {
        return figures(byPhase);
    }

    private List<BlameFigures> figures(BlameAmounts amounts) {
        List<BlameFigures> figures = new ArrayList<>();
        for (Amount amount : amounts.all()) {
            figures.add(new BlameFigures(
                    device.id(),
                    part(amount),
                    threadName(amount.thread()),
                    amount.cause(),
                    amount.state().text(),
                    activity(amount),
                    where(amount),
                    amount.ns(),
                    amount.gaps(),
                    amount.estimated(),
                    amount.boundNs(amounts.sampledNs())));
        }
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
