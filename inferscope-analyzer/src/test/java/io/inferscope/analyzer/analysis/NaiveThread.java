package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.analysis.NaiveAccount.Time;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * What one host thread was doing, from the definitions.
 *
 * <p>Innermost at an instant is, among the host rows that have started and not ended, the one that started last; of those that started
 * together the shorter one, which is the later row. A thread state row says how long of its length n the thread was on a CPU and how long
 * it was runnable; the rest it was blocked. Each is spread evenly over the row: of a total t, the first k ns hold floor(k t / n).
 */
final class NaiveThread {
    private record Piece(long startNs, long endNs, int row, int state) {
        long durationNs() {
            return endNs - startNs;
        }
    }

    private final Timeline timeline;
    private final int[] rows;
    private final IntFunction<LedgerClass> classes;
    private final IntFunction<LedgerClass> runningClasses;
    private final ElementaryIntervals intervals;

    NaiveThread(Timeline timeline, int track, NaiveDevice.Opinion opinion, ElementaryIntervals intervals) {
        this.timeline = timeline;
        this.classes = opinion.classes();
        this.runningClasses = opinion.runningClasses();
        this.intervals = intervals;
        this.rows = IntStream.range(0, timeline.rowCount())
                .filter(r -> timeline.track(r) == track)
                .filter(r -> timeline.kind(r).isHostActivity() || isState(r) || isSample(r))
                .toArray();
    }

    private boolean isState(int row) {
        return timeline.kind(row) == RowKind.THREAD_STATE;
    }

    private boolean isSample(int row) {
        return row >= 0 && timeline.kind(row) == RowKind.STACK_SAMPLE;
    }

    private long weightNs(int sample) {
        long samples = Math.max(1, timeline.attribute(sample, Attribute.SAMPLES));
        return Math.max(1, timeline.durationNs(sample) / samples);
    }

    /** Returns the time of {@code [fromNs, toNs)} by class. */
    NaiveAccount account(long fromNs, long toNs) {
        NaiveAccount account = new NaiveAccount();
        for (Piece piece : pieces(fromNs, toNs)) {
            LedgerClass activity = piece.row < 0 ? LedgerClass.UNATTRIBUTED : classes.apply(piece.row);
            if (piece.state < 0) {
                addActivity(account, piece, activity, new Time(piece.durationNs(), false, 0));
            } else {
                apportion(piece, activity, account);
            }
        }
        return account;
    }

    /** The longest pieces with one innermost row and one state row each. */
    private List<Piece> pieces(long fromNs, long toNs) {
        List<Piece> pieces = new ArrayList<>();
        intervals.visit(rows, fromNs, toNs, (startNs, endNs, covering) -> {
            Piece piece = new Piece(startNs, endNs, innermost(covering), state(covering));
            int last = pieces.size() - 1;
            if (last >= 0 && pieces.get(last).row == piece.row && pieces.get(last).state == piece.state) {
                pieces.set(last, new Piece(pieces.get(last).startNs, endNs, piece.row, piece.state));
            } else {
                pieces.add(piece);
            }
        });
        return pieces;
    }

    private void addActivity(NaiveAccount account, Piece piece, LedgerClass activity, Time time) {
        if (isSample(piece.row)) {
            account.addSampled(new NaiveAccount.Sampled(activity, time.ns(), weightNs(piece.row)), time);
        } else {
            account.add(activity, time);
        }
    }

    private int innermost(int[] covering) {
        int activity = innermost(covering, false);
        return activity >= 0 ? activity : innermost(covering, true);
    }

    private int innermost(int[] covering, boolean samples) {
        int best = -1;
        for (int row : covering) {
            if (!isState(row) && isSample(row) == samples && (best < 0 || startsLater(row, best))) {
                best = row;
            }
        }
        return best;
    }

    private boolean startsLater(int row, int other) {
        long byStart = timeline.startNs(row) - timeline.startNs(other);
        return byStart > 0 || (byStart == 0 && row > other);
    }

    private int state(int[] covering) {
        return IntStream.of(covering).filter(this::isState).findFirst().orElse(-1);
    }

    private void apportion(Piece piece, LedgerClass activity, NaiveAccount account) {
        long lengthNs = timeline.durationNs(piece.state);
        long onCpuNs = within(timeline.attribute(piece.state, Attribute.ON_CPU_NS), lengthNs);
        long runnableNs = within(timeline.attribute(piece.state, Attribute.RUNNABLE_NS), lengthNs - onCpuNs);
        long blockedNs = lengthNs - onCpuNs - runnableNs;
        long runs = share(piece, onCpuNs);
        long queues = Math.min(share(piece, runnableNs), piece.durationNs() - runs);
        long blocks = piece.durationNs() - runs - queues;
        if (blockedNs == 0) {
            runs += blocks;
            blocks = 0;
        }
        WaitReason reason = WaitReason.of(timeline.attribute(piece.state, Attribute.WAIT_REASON));
        LedgerClass running = isSample(piece.row) ? runningClasses.apply(piece.row) : activity;
        addActivity(account, piece, running, time(piece, runs, onCpuNs));
        account.add(LedgerClass.WAIT_RUN_QUEUE, time(piece, queues, runnableNs));
        account.add(
                activity == LedgerClass.FRAMEWORK_SYNC_RETURN && !isSample(piece.row) ? activity : waiting(reason),
                time(piece, blocks, blockedNs));
    }

    private static long within(long counted, long most) {
        return Math.max(0, Math.min(counted, most));
    }

    private long share(Piece piece, long totalNs) {
        long offsetNs = piece.startNs - timeline.startNs(piece.state);
        return shareOfFirst(offsetNs + piece.durationNs(), totalNs, timeline.durationNs(piece.state))
                - shareOfFirst(offsetNs, totalNs, timeline.durationNs(piece.state));
    }

    private static long shareOfFirst(long partNs, long totalNs, long lengthNs) {
        return BigInteger.valueOf(partNs)
                .multiply(BigInteger.valueOf(totalNs))
                .divide(BigInteger.valueOf(lengthNs))
                .longValueExact();
    }

    /** What fills its whole row is measured; anything else lies between all of it outside the piece and all of it inside. */
    private Time time(Piece piece, long ns, long totalNs) {
        long lengthNs = timeline.durationNs(piece.state);
        if (totalNs == lengthNs) {
            return new Time(ns, false, 0);
        }
        long leastNs = Math.max(0, totalNs - (lengthNs - piece.durationNs()));
        long mostNs = Math.min(totalNs, piece.durationNs());
        return new Time(ns, true, (mostNs - leastNs + 1) / 2);
    }

    /** A futex or pipe without a recorded hand-over is a wait whose waker is not known. */
    private static LedgerClass waiting(WaitReason reason) {
        return switch (reason) {
            case UNKNOWN, FUTEX, PIPE -> LedgerClass.WAIT_UNKNOWN;
            case FILE_IO -> LedgerClass.WAIT_IO;
            case SOCKET -> LedgerClass.WAIT_SOCKET;
            case TIMER -> LedgerClass.WAIT_TIMER;
            case CHILD_PROCESS -> LedgerClass.WAIT_CHILD_PROCESS;
            case DRIVER -> LedgerClass.FRAMEWORK_SYNC_RETURN;
            case PAGE_FAULT -> LedgerClass.WAIT_PAGE_FAULT;
            case LOCK -> LedgerClass.WAIT_LOCK;
            case GIL -> LedgerClass.WAIT_GIL;
        };
    }
}
