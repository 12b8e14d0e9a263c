package io.inferscope.shapes;

import io.inferscope.shapes.Passes.Pass;
import io.inferscope.shapes.log.ShapeBody;
import io.inferscope.shapes.log.ShapeBody.Call;
import io.inferscope.shapes.log.ShapeBody.Marker;
import io.inferscope.shapes.log.ShapeLogSink;
import io.inferscope.shapes.log.ShapeLogStats;
import io.inferscope.shapes.log.ShapeSummary;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Counts the rows of one log. The number of a body shows its kind:
 *
 * <pre>
 *   0 ...            a signature
 *   -1 - operator    a call whose signature is beyond the limit; minus FAILED when it failed
 *   LEFT_OUT         a call that the filter leaves out
 *   MARKER + number  a marker
 * </pre>
 */
final class LogTally implements ShapeLogSink {
    private static final int FAILED = 1 << 20;
    private static final int LEFT_OUT = Integer.MIN_VALUE;
    private static final int MARKER = Integer.MIN_VALUE + 1;

    private final ShapeCollection all;
    private final int log;
    private final String name;
    private final @Nullable CallListener listener;
    private final Counts calls = new Counts();
    private final Counts beyond = new Counts();
    private final Counts beyondFailed = new Counts();
    private final Counts ofOperator = new Counts();
    private final Counts markers = new Counts();
    private long rowCount;
    private long callCount;
    private long leftOut;
    private long lastPass = -1;
    private final BitSet passes = new BitSet();
    private final Graphs graphs = new Graphs();
    private int phase;
    private @Nullable ShapeLogStats stats;
    private @Nullable ShapeSummary summary;

    LogTally(ShapeCollection all, int log, String name, @Nullable CallListener listener) {
        this.all = all;
        this.log = log;
        this.name = name;
        this.listener = listener;
    }

    void close(ShapeLogStats read, @Nullable ShapeSummary found) {
        stats = read;
        summary = found;
        graphs.close();
    }

    @Override
    public int body(ShapeBody body) {
        if (body instanceof Marker marker) {
            // Done here, not in row(): no two rows about a graph are equal, so each is parsed and passed to body()
            // exactly once.
            graphs.marker(marker);
            return MARKER + all.marker(marker);
        }
        Call call = (Call) body;
        if (!all.filter().takes(call)) {
            return LEFT_OUT;
        }
        int id = all.signature(call, log);
        return id != Signatures.FULL
                ? id
                : -1 - all.signatures().operation(call.operation()) - (call.isError() ? FAILED : 0);
    }

    @Override
    public boolean row(int body, Row row) {
        if (body == LEFT_OUT) {
            leftOut += row.count();
            return true;
        }
        if (body < MARKER + ShapeCollection.MAX_MARKERS) {
            markers.add(body - MARKER, 1);
            phase = all.phaseAfter(body - MARKER, phase);
            return true;
        }
        rowCount++;
        call(body, row, row.count());
        return rowCount < all.maxEntries();
    }

    private void call(int body, Row row, long count) {
        callCount += count;
        boolean kept = body >= 0;
        boolean failed = kept ? all.isError(body) : body < -FAILED;
        int operation = kept ? all.operationOf(body) : -1 - body - (failed ? FAILED : 0);
        ofOperator.add(operation, count);
        if (kept) {
            calls.add(body, count);
            all.count(body, phase, row.callId(), count);
        } else {
            (failed ? beyondFailed : beyond).add(operation, count);
        }
        add(graphs.capturing(operation), body, count, failed);
        pass(body, row.forwardPass(), count, failed);
        if (listener != null) {
            listener.call(all.signatures().operationName(operation), ofOperator.get(operation), row);
        }
    }

    private void pass(int body, long number, long count, boolean failed) {
        if (number != lastPass && number > 0 && number < Passes.BEYOND) {
            passes.set((int) number);
        }
        lastPass = Math.max(lastPass, number);
        Pass pass = all.passes().of(number, phase);
        add(pass == null ? null : pass.sums(), body, count, failed);
    }

    private void add(@Nullable CallSums sums, int body, long count, boolean failed) {
        if (sums != null && body >= 0) {
            sums.add(all.facts(body), count);
        } else if (sums != null) {
            sums.addOther(count, failed);
        }
    }

    /**
     * Returns the CUDA graphs; null where the log leaves out repeated calls, because then it does not show which calls
     * belong to a capture.
     */
    @Nullable
    Graphs graphs() {
        return callCount > rowCount ? null : graphs;
    }

    String name() {
        return name;
    }

    long calls(int signature) {
        return calls.get(signature);
    }

    /** Returns calls of an operator, of all signatures. */
    long callsOf(int operation) {
        return ofOperator.get(operation);
    }

    /** Returns the number of an operator's calls whose signatures are beyond the limit. */
    long beyond(int operation) {
        return beyond.get(operation) + beyondFailed.get(operation);
    }

    /** Returns those of {@link #beyond} that failed. */
    long beyondFailed(int operation) {
        return beyondFailed.get(operation);
    }

    long callCount() {
        return callCount;
    }

    /** Returns the number of rows that are calls. A row stands for one call, or for as many as its count. */
    long rowCount() {
        return rowCount;
    }

    long markers(int marker) {
        return markers.get(marker);
    }

    /** Returns calls that the filter left out. */
    long leftOut() {
        return leftOut;
    }

    /** Returns the highest number of a pass, -1 without. */
    long lastPass() {
        return lastPass;
    }

    /**
     * Returns how many different passes the calls belong to. Calls outside any pass have the pass number 0, which is
     * not counted.
     */
    long passCount() {
        return passes.cardinality();
    }

    ShapeLogStats stats() {
        return java.util.Objects.requireNonNull(stats, "the log was not closed");
    }

    /** Returns the recorder's own counts, null when there is no summary. */
    @Nullable
    ShapeSummary summary() {
        return summary;
    }
}
