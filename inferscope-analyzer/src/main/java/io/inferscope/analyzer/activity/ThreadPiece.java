package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.AmountBasis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.ThreadState;

/**
 * A piece of a thread's time with one innermost row, one sample and one state. One object is reused for all pieces of
 * an interval: a sink must not keep it.
 */
public final class ThreadPiece {
    private int thread;
    private int row;
    private int sample;
    private long fromNs;
    private long toNs;
    private long ns;
    private LedgerClass ledgerClass = LedgerClass.UNATTRIBUTED;
    private ThreadState state = ThreadState.NOT_RECORDED;
    private AmountBasis basis = AmountBasis.MEASURED;
    private int stateRow;
    private int waitingRow;
    private int waitingSample;

    /**
     * Sets the place of the piece: {@code ofRow} is the innermost activity, {@code ofSample} the stack sample that
     * represents it, -1 for none.
     */
    void place(int ofThread, int ofRow, int ofSample, long from, long to) {
        thread = ofThread;
        row = ofRow;
        sample = ofSample;
        fromNs = from;
        toNs = to;
        stateRow = -1;
        waitingRow = -1;
        waitingSample = -1;
    }

    /** Sets where the explained thread waited while another one, whose piece this is, worked. */
    void awaitedAt(int ofRow, int ofSample) {
        waitingRow = ofRow;
        waitingSample = ofSample;
    }

    /** Sets the class and state of {@code amountNs} of the time between start and end. */
    void spent(long amountNs, LedgerClass on, ThreadState in, AmountBasis because) {
        ns = amountNs;
        ledgerClass = on;
        state = in;
        basis = because;
    }

    public void stateRow(int recordedState) {
        stateRow = recordedState;
    }

    /**
     * Returns a copy that stands for {@code amountNs}, also of time of which nothing was recorded; one sample represents
     * {@code weightNs} of that.
     */
    public ThreadPiece standingFor(long amountNs, long weightNs) {
        ThreadPiece copy = new ThreadPiece();
        copy.place(thread, row, sample, fromNs, toNs);
        copy.stateRow = stateRow;
        copy.awaitedAt(waitingRow, waitingSample);
        copy.spent(amountNs, ledgerClass, state, basis.sampled(Math.max(basis.sampleNs(), weightNs)));
        return copy;
    }

    /** Returns the track of the thread that worked: after a followed wait, the awaited thread. */
    public int thread() {
        return thread;
    }

    /** Returns the innermost activity, -1 for none recorded. */
    public int row() {
        return row;
    }

    /** Returns the stack sample that represents the piece, -1 for none. */
    public int sample() {
        return sample;
    }

    /** Returns the innermost activity of the explained thread while it waited for this one; -1 for none. */
    public int waitingRow() {
        return waitingRow;
    }

    /** Returns the stack sample of the explained thread while it waited for this one; -1 for none. */
    public int waitingSample() {
        return waitingSample;
    }

    /** Returns the row that describes the piece: the innermost activity; otherwise the sample; otherwise -1. */
    public int describingRow() {
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

    /** Returns how much of that interval the piece takes, in ns. */
    public long ns() {
        return ns;
    }

    public LedgerClass ledgerClass() {
        return ledgerClass;
    }

    public ThreadState state() {
        return state;
    }

    public AmountBasis basis() {
        return basis;
    }
}
