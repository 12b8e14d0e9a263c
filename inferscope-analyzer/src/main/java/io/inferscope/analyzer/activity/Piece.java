package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.Basis;
import io.inferscope.analyzer.model.LedgerClass;

/**
 * A piece of a thread's time, as far as one row, one sample and one state say what it was spent on. One object is used again for all
 * pieces of a stretch: a sink reads it and does not keep it.
 */
public final class Piece {
    private int thread;
    private int row;
    private int sample;
    private long fromNs;
    private long toNs;
    private long ns;
    private LedgerClass ledgerClass = LedgerClass.UNATTRIBUTED;
    private ThreadState state = ThreadState.NOT_RECORDED;
    private Basis basis = Basis.MEASURED;
    private int stateRow;

    /** Sets where the piece lies: {@code row} is the innermost activity, {@code sample} the stack sample that speaks for it, -1 for none. */
    void place(int ofThread, int ofRow, int ofSample, long from, long to) {
        thread = ofThread;
        row = ofRow;
        sample = ofSample;
        fromNs = from;
        toNs = to;
        stateRow = -1;
    }

    /** Sets what {@code amountNs} of the time between start and end was spent on. */
    void spent(long amountNs, LedgerClass on, ThreadState in, Basis because) {
        ns = amountNs;
        ledgerClass = on;
        state = in;
        basis = because;
    }

    public void stateRow(int recordedState) {
        stateRow = recordedState;
    }

    /** Returns the track of the thread that did it: where blame followed a hand-over, the one that was waited for. */
    public int thread() {
        return thread;
    }

    /** Returns the innermost activity, -1 for none recorded. */
    public int row() {
        return row;
    }

    /** Returns the stack sample that speaks for the piece, -1 for none. */
    public int sample() {
        return sample;
    }

    /** Returns the row that says what was done: the innermost activity, else the sample, else -1. */
    public int tellingRow() {
        return row >= 0 ? row : sample;
    }

    /** Returns the recorded state, -1 for none. */
    public int stateRow() {
        return stateRow;
    }

    /** Returns the start of the stretch in which the time lies, in ns. */
    public long fromNs() {
        return fromNs;
    }

    /** Returns the end of that stretch. */
    public long toNs() {
        return toNs;
    }

    /** Returns how much of the stretch it is, in ns. */
    public long ns() {
        return ns;
    }

    public LedgerClass ledgerClass() {
        return ledgerClass;
    }

    public ThreadState state() {
        return state;
    }

    public Basis basis() {
        return basis;
    }
}
