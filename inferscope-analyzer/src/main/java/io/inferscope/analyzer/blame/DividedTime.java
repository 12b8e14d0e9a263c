package io.inferscope.analyzer.blame;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.Meanings;
import io.inferscope.analyzer.activity.Piece;
import io.inferscope.analyzer.activity.ThreadActivity;
import io.inferscope.analyzer.activity.ThreadState;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.blame.BlameAmounts.Phase;
import io.inferscope.analyzer.model.Basis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Collects what time was spent on, as a whole, by phase and by step at once: what a thread did is looked up once, however often it is summed.
 *
 * <p>Read as a cursor: {@link #begin} says which stretch follows, {@link #next} moves on to the next part of it that lies in one phase and one step,
 * and what is added then is that part's.
 */
public final class DividedTime implements ThreadActivity.PlainSink {
    private static final int NOT_ENTERED = -2;

    private final ActivityClassifier classifier;
    private final Meanings meanings;
    private final Cuts cuts;
    private final @Nullable StepTime steps;

    /** How many groups of steps there are, with one for what is in no step. */
    private final int stepGroups;

    private final BlameAmounts whole = new BlameAmounts();
    private final BlameAmounts byPhase = new BlameAmounts();

    /** By the groups of the phase and of the step; what is added to one of these is added to the sums that it is a part of. */
    private final BlameAmounts parts = new BlameAmounts(this::sums);

    private final Map<Phase, Ledger.Builder> ledgers = new EnumMap<>(Phase.class);

    /** By the number of the phase, -1 for none: there may be several of one kind. */
    private final Map<Integer, Ledger.Builder> phaseLedgers = new HashMap<>();

    /** What the part at hand adds to. */
    private Phase part = Phase.SPAN;

    private int phase = NOT_ENTERED;
    private int step = -1;
    private int group;
    private Ledger.Builder ledger = new Ledger.Builder();
    private Ledger.Builder phaseLedger = ledger;

    /** Takes the time of framework operators, null if not wanted. */
    private @Nullable IdleOperators operators;

    /** Plain pieces of one thread and one part, not added to any sum yet: by number of the meaning, their time and how many they are. */
    private long[] plainNs = new long[64];

    private int[] plainPieces = new int[64];

    /** The meanings of these pieces, in the order of their first pieces. */
    private int[] plain = new int[64];

    private int plainCount;
    private int plainThread = -1;

    /** Divides by {@code cuts}; what lies in their steps is also added to {@code steps}, where these are wanted. */
    public DividedTime(ActivityClassifier classifier, Cuts cuts, @Nullable StepTime steps) {
        this.classifier = classifier;
        this.meanings = classifier.meanings();
        this.cuts = cuts;
        this.steps = steps;
        this.stepGroups = steps == null ? 1 : 1 + steps.groups();
        enter(Phase.SPAN);
        beginGap();
    }

    /** Adds the time of framework operators to {@code to} from now on. */
    void sumOperators(IdleOperators to) {
        operators = to;
    }

    /** Says in which part of the window the time lies that is added from now on; the span, where nothing is said. */
    void enter(Phase partOfWindow) {
        addPlain();
        part = partOfWindow;
        phase = NOT_ENTERED;
        ledger = ledgers.computeIfAbsent(part, p -> new Ledger.Builder());
    }

    /** Starts the next gap. */
    void beginGap() {
        addPlain();
        whole.beginGap();
        byPhase.beginGap();
    }

    /** Says that time of {@code [fromNs, toNs)} follows. */
    public void begin(long fromNs, long toNs) {
        cuts.begin(fromNs, toNs);
    }

    /** Moves on to the next part of it; returns false when there is none. */
    public boolean next() {
        if (!cuts.next()) {
            return false;
        }
        if (cuts.phase() == phase && cuts.step() == step) {
            return true;
        }
        addPlain();
        if (cuts.phase() != phase) {
            phase = cuts.phase();
            phaseLedger = phaseLedgers.computeIfAbsent(phase, p -> new Ledger.Builder());
        }
        step = cuts.step();
        group = part.in(cuts.phaseKind()) * stepGroups + (steps == null || step < 0 ? 0 : 1 + steps.group(step));
        return true;
    }

    /** Returns when the part at hand starts, in ns. */
    public long partStartNs() {
        return cuts.partStartNs();
    }

    /** Returns when it ends, in ns. */
    public long partEndNs() {
        return cuts.partEndNs();
    }

    /** Adds a piece of a host thread's time in the part at hand. */
    @Override
    public void take(Piece piece) {
        addPlain();
        parts.add(group, piece, classifier);
        add(piece.ledgerClass(), meanings.of(piece.row()), piece.ns(), piece.basis());
    }

    @Override
    public void takePlain(int thread, int row, long fromNs, long toNs) {
        if (thread != plainThread) {
            addPlain();
            plainThread = thread;
        }
        int meaning = meanings.of(row);
        if (meaning >= plainNs.length) {
            plainNs = Arrays.copyOf(plainNs, 2 * meanings.count());
            plainPieces = Arrays.copyOf(plainPieces, 2 * meanings.count());
            plain = Arrays.copyOf(plain, 2 * meanings.count());
        }
        if (plainPieces[meaning]++ == 0) {
            plain[plainCount++] = meaning;
        }
        plainNs[meaning] += toNs - fromNs;
    }

    /** Adds the plain pieces at hand to all sums: many short pieces of a gap have few meanings. */
    private void addPlain() {
        for (int i = 0; i < plainCount; i++) {
            int meaning = plain[i];
            parts.add(group, plainThread, meaning, meanings, plainNs[meaning], plainPieces[meaning]);
            add(meanings.cause(meaning), meaning, plainNs[meaning], Basis.MEASURED);
            plainNs[meaning] = 0;
            plainPieces[meaning] = 0;
        }
        plainCount = 0;
    }

    /** Adds all of the part at hand, as measured, for a call that waited or {@code row} -1. */
    void addPart(int thread, LedgerClass cause, int row, int activity) {
        addPlain();
        long ns = partEndNs() - partStartNs();
        int place = classifier.placeOf(row);
        parts.add(group, thread, cause, ThreadState.NOT_RECORDED, activity, place, ns, Basis.MEASURED);
        add(cause, meanings.of(row), ns, Basis.MEASURED);
    }

    private void add(LedgerClass cause, int meaning, long ns, Basis basis) {
        ledger.add(cause, ns, basis);
        phaseLedger.add(cause, ns, basis);
        if (steps != null && step >= 0) {
            steps.add(step, cause, ns);
        }
        if (operators != null) {
            operators.add(meanings.operator(meaning), cause, ns);
        }
    }

    /** Says that all time was added. */
    public void end() {
        addPlain();
    }

    private Amount[] sums(Amount of) {
        int ofPhase = of.group() / stepGroups;
        int ofStep = of.group() % stepGroups - 1;
        List<Amount> sums = new ArrayList<>();
        sums.add(whole.find(Phase.whole(ofPhase), of));
        if (cuts.hasPhases()) {
            sums.add(byPhase.find(ofPhase, of));
        }
        if (steps != null && ofStep >= 0) {
            sums.add(steps.place(ofStep, of));
        }
        return sums.toArray(new Amount[0]);
    }

    /** Returns the amounts of each part of the window, whatever their phase. */
    public BlameAmounts whole() {
        addPlain();
        return whole;
    }

    /** Returns the amounts of each phase of the program; none where there are no phases. */
    public BlameAmounts byPhase() {
        addPlain();
        return byPhase;
    }

    /** Returns the time of one part of the window by class. */
    public Ledger.Builder ledger(Phase partOfWindow) {
        return new Ledger.Builder().addAll(ledgers.getOrDefault(partOfWindow, new Ledger.Builder()));
    }

    /** Returns the time of one phase by class, by its number. */
    public Ledger.Builder ofPhase(int number) {
        return new Ledger.Builder().addAll(phaseLedgers.getOrDefault(number, new Ledger.Builder()));
    }
}
