package io.inferscope.analyzer.path;

import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * The CPU time that certainly belongs to a function, as a part of the CPU time that sampling assigns to it. A state row
 * of R ns counts L ns on a CPU, at unknown times. A function with P ns of the row has at least max(0, L - (R - P)) ns
 * of CPU time, as in {@link io.inferscope.analyzer.model.PlacementError}.
 *
 * <pre>
 *   samples   [ waits in poll() ][ computes      ]     R = 20 ms, P = 10 ms for poll()
 *   row       [ on a CPU 10 ms, blocked 10 ms    ]     spread evenly, poll() has 5 ms of CPU time; none is certain
 * </pre>
 */
final class CertainCpuTime {
    private final Timeline timeline;
    private final int thread;
    private final ToIntFunction<ThreadPiece> functions;

    /** By function: the CPU time that sampling assigns to it, and the certain part of it, in ns. */
    private final Map<Integer, long[]> work = new HashMap<>();

    /** For the current row, by function: the CPU time that sampling assigns to it, and its part of the row, in ns. */
    private final Map<Integer, long[]> inRow = new HashMap<>();

    private int row = -1;

    private CertainCpuTime(Timeline timeline, int thread, ToIntFunction<ThreadPiece> functions) {
        this.timeline = timeline;
        this.thread = thread;
        this.functions = functions;
    }

    /**
     * Examines the judged thread's work in a part of the window.
     *
     * @param functions returns the number of a piece's function
     */
    static CertainCpuTime of(Analysis analysis, Stretch part, ToIntFunction<ThreadPiece> functions) {
        CertainCpuTime own = new CertainCpuTime(analysis.timeline(), analysis.subjectThread(), functions);
        if (own.thread >= 0) {
            Stretch window = analysis.window();
            long fromNs = Math.max(window.startNs(), part.startNs());
            analysis.threads().explain(own.thread, fromNs, Math.min(window.endNs(), part.endNs()), own::take);
            own.closeRow();
        }
        return own;
    }

    private void take(ThreadPiece piece) {
        if (piece.thread() != thread || piece.ledgerClass().isWaiting()) {
            return;
        }
        if (piece.stateRow() != row) {
            closeRow();
            row = piece.stateRow();
        }
        long[] done = inRow.computeIfAbsent(functions.applyAsInt(piece), function -> new long[2]);
        done[0] += piece.ns();
        done[1] += piece.toNs() - piece.fromNs();
    }

    private void closeRow() {
        long lengthNs = row < 0 ? 0 : timeline.durationNs(row);
        long onCpuNs = row < 0 ? 0 : Math.max(0, timeline.attribute(row, Attribute.ON_CPU_NS));
        boolean measured = row < 0;
        inRow.forEach((function, done) -> {
            long sureNs = measured ? done[0] : Math.max(0, onCpuNs - (lengthNs - done[1]));
            long[] sum = work.computeIfAbsent(function, f -> new long[2]);
            sum[0] += done[0];
            sum[1] += Math.min(done[0], sureNs);
        });
        inRow.clear();
        row = -1;
    }

    /** Returns the certain part of a function's work, 0 to 1; 1 if the function has no work. */
    double sureRatio(int function) {
        long[] sum = work.get(function);
        return sum == null || sum[0] == 0 ? 1 : (double) sum[1] / sum[0];
    }
}
