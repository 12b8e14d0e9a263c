package io.inferscope.analyzer.blame;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.RowMeanings;
import io.inferscope.analyzer.activity.ThreadActivity;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.blame.BlameAmounts.Phase;
import io.inferscope.analyzer.model.AmountBasis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.ThreadState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sums time by cause: in total, by phase and by step, in one pass. A thread's activity is looked up once for all sums.
 *
 * <p>Used as a cursor: {@link #begin} sets an interval, {@link #next} moves to its next part that lies in one phase and
 * one step, and times added then belong to that part.
 */
public final class DividedTime implements ThreadActivity.PlainSink {
    private static final int NOT_ENTERED = -2;

    private final ActivityClassifier classifier;
    private final RowMeanings meanings;
    private final PhaseStepCursor cuts;
    private final @Nullable StepTime steps;

    /** Number of groups of steps, one of them for time outside all steps. */
    private final int stepGroups;

    private final BlameAmounts whole = new BlameAmounts();
    private final BlameAmounts byPhase = new BlameAmounts();

    /** By group of the phase and of the step. An amount added here is also added to the totals that contain it. */
    private final BlameAmounts parts = new BlameAmounts(this::sums);

    private final Map<Phase, Ledger.Builder> ledgers = new EnumMap<>(Phase.class);

    /** By number of the phase, -1 for none; one kind may have several phases. */
    private final Map<Integer, Ledger.Builder> phaseLedgers = new HashMap<>();

    /** The sums of the current part. */
    private Phase part = Phase.SPAN;

    private int phase = NOT_ENTERED;
    private int step = -1;
    private int group;
    private Ledger.Builder ledger = new Ledger.Builder();
    private Ledger.Builder phaseLedger = ledger;

    /** Takes the time of framework operators, null if not wanted. */
    private @Nullable IdleOperators operators;

    /**
     * Plain pieces of one thread and one part that are in no sum yet: their time and count, by number of the meaning.
     */
    private long[] plainNs = new long[64];

    private int[] plainPieces = new int[64];

    /** The meanings of these pieces, in the order of their first pieces. */
    private int[] plain = new int[64];

    private int plainCount;
    private int plainThread = -1;

    /** Divides by {@code cuts}; time inside steps is also added to {@code steps}, unless that is null. */
    public DividedTime(ActivityClassifier classifier, PhaseStepCursor cuts, @Nullable StepTime steps) {
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

    /** Sets the part of the window to which later times belong; the span by default. */
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

    /** Begins the interval {@code [fromNs, toNs)}. */
    public void begin(long fromNs, long toNs) {
        cuts.begin(fromNs, toNs);
    }

    /** Moves to the next part of the interval; returns false after the last one. */
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

    /** Returns the start of the current part, in ns. */
    public long partStartNs() {
        return cuts.partStartNs();
    }

    /** Returns the end of the current part, in ns. */
    public long partEndNs() {
        return cuts.partEndNs();
    }

    /** Adds a piece of a host thread's time to the current part. */
    @Override
    public void take(ThreadPiece piece) {
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

    /**
     * Adds the pending plain pieces to all sums. They are collected first because many short pieces of a gap have few
     * meanings.
     */
    private void addPlain() {
        for (int i = 0; i < plainCount; i++) {
            int meaning = plain[i];
            parts.add(group, plainThread, meaning, meanings, plainNs[meaning], plainPieces[meaning]);
            add(meanings.cause(meaning), meaning, plainNs[meaning], AmountBasis.MEASURED);
            plainNs[meaning] = 0;
            plainPieces[meaning] = 0;
        }
        plainCount = 0;
    }

    /** Adds the whole current part, as measured; {@code row} is the call that waited, or -1. */
    void addPart(int thread, LedgerClass cause, int row, int activity) {
        addPlain();
        long ns = partEndNs() - partStartNs();
        int place = classifier.placeOf(row);
        parts.add(group, thread, cause, ThreadState.NOT_RECORDED, activity, place, ns, AmountBasis.MEASURED);
        add(cause, meanings.of(row), ns, AmountBasis.MEASURED);
    }

    private void add(LedgerClass cause, int meaning, long ns, AmountBasis basis) {
        ledger.add(cause, ns, basis);
        phaseLedger.add(cause, ns, basis);
        if (steps != null && step >= 0) {
            steps.add(step, cause, ns);
        }
        if (operators != null) {
            operators.add(meanings.operator(meaning), cause, ns);
        }
    }

    /** Call after the last piece: adds what is pending. */
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

    /** Returns the amounts of each phase of the program; empty without phases. */
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
