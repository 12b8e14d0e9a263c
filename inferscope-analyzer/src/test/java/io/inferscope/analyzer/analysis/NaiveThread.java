package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.analysis.NaiveAccount.Time;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Placement.Kind;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one host thread was doing, from the definitions.
 *
 * <p>Innermost at an instant is, among the host rows that have started and not ended, the one that started last; of those that started
 * together the shorter one, which is the later row. A thread state row says how long of its length n the thread was on a CPU and how long
 * it was runnable; the rest it was blocked. Each is spread evenly over the row: of a total t, the first k ns hold floor(k t / n).
 *
 * <p>Where the thread waited for hand-overs in w ns of such a row and was blocked for b of them and no more, its blocked time lies there:
 * the first k ns hold floor(v b / w) of it, v being what was waited in them. Otherwise the waits are blocked, and of the rest of the row the
 * first j ns hold floor(j (b - w) / (n - w)). Of what is left, in order, the first l ns hold floor(l c / (n - b)) on a CPU.
 *
 * <p>A sample counts where no activity is, and inside a range without frames of its own if that range was innermost at an instant of the
 * sample; else the sample before counts, then the one behind, each if it is one of that range and no further away than its weight.
 *
 * <p>Of a part with a state row, what ran is that of the next sample of the same row, on either side, that did not see the thread wait, and what
 * was blocked that of the next that did not see it run, where there is one.
 *
 * <p>Waiting that a hand-over explains is what the giver did in the same time, in proportion. Of b ns of other waiting on a futex inside the
 * model, min(b, r) are those of the threads of the process of which nothing but states is known, which were ready for r ns meanwhile, c of
 * them on a CPU: floor(min(b, r) c / r) compute, and the rest waits for a CPU.
 */
final class NaiveThread {
    private record Piece(long startNs, long endNs, int row, int sample, int state, boolean waits) {
        long durationNs() {
            return endNs - startNs;
        }

        Piece toldBy(int other) {
            return new Piece(startNs, endNs, row, other, state, waits);
        }

        Piece until(long laterNs) {
            return new Piece(startNs, laterNs, row, sample, state, waits);
        }
    }

    /** An amount of time somewhere in a stretch: whose, what for, and how sure. A weight above 0 is that of the sample that says so. */
    record Bit(
            int thread,
            int row,
            long startNs,
            long endNs,
            long ns,
            LedgerClass cause,
            boolean counted,
            List<NaiveAccount.Room> rooms,
            long weight,
            @Nullable LedgerClass awaited) {
        Bit of(long partNs, long fromNs, long toNs) {
            double ratio = partNs == ns ? 1 : (double) partNs / ns;
            List<NaiveAccount.Room> parts =
                    rooms.stream().map(room -> room.of(ratio)).toList();
            return new Bit(thread, row, fromNs, toNs, partNs, cause, counted, parts, weight, awaited);
        }

        Bit as(LedgerClass other) {
            return new Bit(thread, row, startNs, endNs, ns, other, counted, rooms, weight, null);
        }
    }

    private final Timeline timeline;
    private final int track;
    private final int[] activities;
    private final int[] samples;
    private final int[] states;
    private final int[] handOvers;
    private final NaiveDevice.Opinion opinion;
    private final ElementaryIntervals intervals;
    private final Map<Integer, NaiveThread> all;
    private @Nullable Map<Integer, Long> late;

    NaiveThread(
            Timeline timeline,
            int track,
            NaiveDevice.Opinion opinion,
            ElementaryIntervals intervals,
            Map<Integer, NaiveThread> all) {
        this.timeline = timeline;
        this.track = track;
        this.opinion = opinion;
        this.intervals = intervals;
        this.all = all;
        this.activities = rows(kind -> kind.isHostActivity());
        this.samples = rows(kind -> kind == RowKind.STACK_SAMPLE);
        this.states = rows(kind -> kind == RowKind.THREAD_STATE);
        this.handOvers = rows(kind -> kind == RowKind.HAND_OVER);
    }

    private int[] rows(Predicate<RowKind> wanted) {
        return IntStream.range(0, timeline.rowCount())
                .filter(r -> timeline.track(r) == track && wanted.test(timeline.kind(r)))
                .toArray();
    }

    /** Returns the time of {@code [fromNs, toNs)} by class. */
    NaiveAccount account(long fromNs, long toNs) {
        NaiveAccount account = new NaiveAccount();
        explain(fromNs, toNs, (thread, part) -> account.addAll(part));
        return account;
    }

    /** Hands out the time of {@code [fromNs, toNs)} by the thread whose doing it was. */
    void explain(long fromNs, long toNs, BiConsumer<Integer, NaiveAccount> sink) {
        for (Bit bit : bits(fromNs, toNs, List.of(track))) {
            NaiveAccount account = new NaiveAccount();
            if (bit.weight > 0) {
                account.addSampled(new NaiveAccount.Sampled(bit.cause, bit.ns, bit.weight));
            } else {
                account.add(bit.cause, new Time(bit.ns, bit.counted, 0));
            }
            account.addRooms(bit.cause, bit.rooms);
            sink.accept(bit.thread, account);
        }
    }

    private List<Bit> bits(long fromNs, long toNs, List<Integer> way) {
        List<Bit> bits = new ArrayList<>();
        for (Piece piece : pieces(fromNs, toNs)) {
            if (piece.state < 0) {
                LedgerClass cause = opinion.told().of(piece.row, piece.sample, false);
                Bit bit = bit(piece, piece.durationNs(), cause, false, List.of(), weight(piece));
                bits.addAll(followed(bit, way));
            } else {
                apportion(piece, way, bits);
            }
        }
        return bits;
    }

    private Bit bit(
            Piece piece, long ns, LedgerClass cause, boolean counted, List<NaiveAccount.Room> rooms, long weight) {
        LedgerClass awaited = opinion.awaited().of(piece.state, piece.row, piece.sample);
        return new Bit(track, piece.row, piece.startNs, piece.endNs, ns, cause, counted, rooms, weight, awaited);
    }

    private long weight(Piece piece) {
        boolean decides =
                piece.sample >= 0 && (piece.row < 0 || opinion.coarse().test(piece.row));
        return decides ? weightNs(piece.sample) : 0;
    }

    private long weightNs(int sample) {
        long count = Math.max(1, timeline.attribute(sample, Attribute.SAMPLES));
        return Math.max(1, timeline.durationNs(sample) / count);
    }

    /** The longest pieces with one innermost row, one sample and one state row each. */
    private List<Piece> pieces(long fromNs, long toNs) {
        List<Piece> pieces = new ArrayList<>();
        int[] rows = IntStream.concat(
                        IntStream.concat(IntStream.of(activities), IntStream.of(handOvers)),
                        IntStream.concat(IntStream.of(samples), IntStream.of(states)))
                .toArray();
        intervals.visit(rows, fromNs, toNs, (startNs, endNs, covering) -> {
            int row = innermost(covering, RowKind::isHostActivity);
            int own = innermost(covering, kind -> kind == RowKind.STACK_SAMPLE);
            int state = IntStream.of(covering)
                    .filter(r -> timeline.kind(r) == RowKind.THREAD_STATE)
                    .findFirst()
                    .orElse(-1);
            boolean waits = innermost(covering, kind -> kind == RowKind.HAND_OVER) >= 0 && mixes(state);
            if (row < 0 || !opinion.placed().test(row)) {
                add(pieces, new Piece(startNs, endNs, row, row < 0 ? own : -1, state, waits));
            } else {
                tell(pieces, new Piece(startNs, endNs, row, -1, state, waits), own);
            }
        });
        return pieces;
    }

    private static void add(List<Piece> pieces, Piece piece) {
        int last = pieces.size() - 1;
        Piece before = last < 0 ? null : pieces.get(last);
        boolean same = before != null
                && before.row == piece.row
                && before.sample == piece.sample
                && before.state == piece.state
                && before.waits == piece.waits;
        pieces.add(same ? pieces.remove(last).until(piece.endNs) : piece);
    }

    private boolean mixes(int state) {
        return state >= 0 && blockedNs(state) > 0 && blockedNs(state) < timeline.durationNs(state);
    }

    private int innermost(int[] covering, Predicate<RowKind> among) {
        int best = -1;
        for (int row : covering) {
            if (among.test(timeline.kind(row)) && (best < 0 || startsLater(row, best))) {
                best = row;
            }
        }
        return best;
    }

    private boolean startsLater(int row, int other) {
        long byStart = timeline.startNs(row) - timeline.startNs(other);
        return byStart > 0 || (byStart == 0 && row > other);
    }

    private void tell(List<Piece> pieces, Piece untold, int own) {
        int row = untold.row;
        long startNs = untold.startNs;
        long endNs = untold.endNs;
        int index = own >= 0
                ? IntStream.range(0, samples.length)
                        .filter(i -> samples[i] == own)
                        .findFirst()
                        .orElseThrow()
                : (int) IntStream.of(samples)
                        .filter(s -> timeline.startNs(s) <= startNs)
                        .count();
        int before = index - 1;
        int behind = own >= 0 ? index + 1 : index;
        boolean beforeTells = before >= 0 && tells(samples[before], row);
        boolean behindTells = behind < samples.length && tells(samples[behind], row);
        long untilNs = beforeTells ? timeline.endNs(samples[before]) + weightNs(samples[before]) : Long.MIN_VALUE;
        long sinceNs = behindTells ? timeline.startNs(samples[behind]) - weightNs(samples[behind]) : Long.MAX_VALUE;
        long[] cuts = LongStream.of(startNs, untilNs, sinceNs, endNs)
                .filter(cut -> cut >= startNs && cut <= endNs)
                .sorted()
                .distinct()
                .toArray();
        for (int i = 0; i + 1 < cuts.length; i++) {
            int sample = own >= 0 && tells(own, row)
                    ? own
                    : cuts[i] < untilNs ? samples[before] : cuts[i] >= sinceNs ? samples[behind] : -1;
            add(pieces, new Piece(cuts[i], cuts[i + 1], row, sample, untold.state, untold.waits));
        }
    }

    /** Whether a row was innermost at an instant of a sample: the middle of each of its equal parts. */
    private boolean tells(int sample, int row) {
        long lengthNs = timeline.durationNs(sample);
        long parts = Math.min(lengthNs, Math.min(4096, Math.max(1, timeline.attribute(sample, Attribute.SAMPLES))));
        for (long part = 0; part < parts; part++) {
            long instantNs = timeline.startNs(sample) + part * (lengthNs / parts) + lengthNs / parts / 2;
            int[] covering = IntStream.of(activities)
                    .filter(r -> timeline.startNs(r) <= instantNs && instantNs < timeline.endNs(r))
                    .toArray();
            if (innermost(covering, RowKind::isHostActivity) == row) {
                return true;
            }
        }
        return false;
    }

    private void apportion(Piece piece, List<Integer> way, List<Bit> bits) {
        long onCpuNs = onCpuNs(piece.state);
        long runnableNs = runnableNs(piece.state);
        Spent spent = spent(piece);
        Piece awake = piece.toldBy(next(piece, this::sawNoWork));
        LedgerClass running = opinion.told().of(piece.row, awake.sample, true);
        List<NaiveAccount.Room> ran = awake(piece, Kind.ON_CPU, onCpuNs, spent);
        add(bits, bit(awake, spent.runs, running, onCpuNs, ran, weight(awake)), List.of());
        List<NaiveAccount.Room> queued = awake(piece, Kind.RUNNABLE, runnableNs, spent);
        add(bits, bit(awake, spent.queues, LedgerClass.WAIT_RUN_QUEUE, runnableNs, queued, 0), List.of());
        Piece asleep = piece.toldBy(next(piece, this::sawAtWork));
        LedgerClass waits = opinion.blocked().of(piece.state, piece.row, asleep.sample);
        List<NaiveAccount.Room> blocked = List.of(blockedRoom(piece, Kind.BLOCKED, 1));
        add(bits, bit(asleep, spent.blocks, waits, blockedNs(piece.state), blocked, 0), way);
    }

    /** Asleep, in the queue for the GIL, or without the GIL at a stack that is seen blocked at least half as often as that. */
    private boolean sawNoWork(int sample) {
        long gil = timeline.attribute(sample, Attribute.GIL);
        return opinion.sawWaiting().test(sample) || gil == 2 || (gil == 3 && 2 * looks(sample, 4) >= looks(sample, 3));
    }

    /** How many looks at the thread saw the stack of a sample with a state of the GIL. */
    private long looks(int sample, int gil) {
        return Arrays.stream(samples)
                .filter(other ->
                        timeline.attribute(other, Attribute.STACK) == timeline.attribute(sample, Attribute.STACK))
                .filter(other -> timeline.attribute(other, Attribute.GIL) == gil)
                .mapToLong(other -> Math.max(1, timeline.attribute(other, Attribute.SAMPLES)))
                .sum();
    }

    private boolean sawAtWork(int sample) {
        boolean ran = timeline.attribute(sample, Attribute.GIL) == 1
                || (timeline.attribute(sample, Attribute.GIL) == 3
                        && Arrays.stream(samples).anyMatch(other -> timeline.attribute(other, Attribute.GIL) == 4))
                || timeline.attribute(sample, Attribute.FRAMES_READ_NS) != Attribute.ABSENT;
        return ran && !opinion.sawWaiting().test(sample);
    }

    /** The piece's own sample; where that is unfit, the next on either side that is not, of two the nearer one, up to 64 samples and a second away. */
    private int next(Piece piece, IntPredicate unfit) {
        int own = IntStream.range(0, samples.length)
                .filter(i -> samples[i] == piece.sample)
                .findFirst()
                .orElse(-1);
        for (int away = 1; own >= 0 && unfit.test(piece.sample) && away <= 64; away++) {
            long[] distances = LongStream.of(own - away, own + away)
                    .map(i -> i >= 0
                                    && i < samples.length
                                    && tells(samples[(int) i], piece.row)
                                    && !unfit.test(samples[(int) i])
                            ? Math.abs(middleNs(samples[(int) i]) - middleNs(piece.sample))
                            : Long.MAX_VALUE)
                    .toArray();
            if (Math.min(distances[0], distances[1]) <= 1_000_000_000L) {
                return samples[distances[0] <= distances[1] ? own - away : own + away];
            }
        }
        return piece.sample;
    }

    private long middleNs(int sample) {
        return timeline.startNs(sample) + timeline.durationNs(sample) / 2;
    }

    private void add(List<Bit> bits, Bit bit, List<Integer> way) {
        if (bit.ns > 0) {
            bits.addAll(way.isEmpty() ? List.of(bit) : followed(bit, way));
        }
    }

    /** What fills its whole row is measured. */
    private Bit bit(Piece piece, long ns, LedgerClass cause, long totalNs, List<NaiveAccount.Room> rooms, long weight) {
        boolean whole = totalNs == timeline.durationNs(piece.state);
        return bit(piece, ns, cause, !whole, whole ? List.of() : rooms, weight);
    }

    /** Blocked time lies anywhere in the waits, or, where it fills them, what is left of it anywhere else. */
    private NaiveAccount.Room blockedRoom(Piece piece, Kind kind, double ratio) {
        long lengthNs = timeline.durationNs(piece.state);
        long blockedNs = blockedNs(piece.state);
        long waitedNs = mixes(piece.state) ? waitedNs(piece.state, timeline.endNs(piece.state)) : 0;
        long waitNs = piece.waits ? piece.durationNs() : 0;
        return waitedNs > 0 && blockedNs <= waitedNs
                ? new NaiveAccount.Room(track, kind, piece.state, blockedNs, waitedNs, waitNs * ratio)
                : new NaiveAccount.Room(
                        track,
                        kind,
                        piece.state,
                        blockedNs - waitedNs,
                        lengthNs - waitedNs,
                        (piece.durationNs() - waitNs) * ratio);
    }

    /** The thread was awake where it was not blocked. Without waits to tell, each of its times lies anywhere in the row. */
    private List<NaiveAccount.Room> awake(Piece piece, Kind kind, long totalNs, Spent spent) {
        long lengthNs = timeline.durationNs(piece.state);
        long awakeNs = lengthNs - blockedNs(piece.state);
        if (!mixes(piece.state) || waitedNs(piece.state, timeline.endNs(piece.state)) == 0) {
            return List.of(
                    new NaiveAccount.Room(track, kind, piece.state, totalNs, lengthNs, (double) piece.durationNs()));
        }
        return List.of(
                new NaiveAccount.Room(
                        track, kind, piece.state, totalNs, awakeNs, (double) (piece.durationNs() - spent.blocks)),
                blockedRoom(piece, Kind.NOT_AWAKE, (double) totalNs / awakeNs));
    }

    private record Spent(long runs, long queues, long blocks) {}

    private Spent spent(Piece piece) {
        int state = piece.state;
        if (mixes(state) && waitedNs(state, timeline.endNs(state)) > 0) {
            long blocks = blockedUntil(state, piece.endNs) - blockedUntil(state, piece.startNs);
            long runs = onCpuUntil(state, piece.endNs) - onCpuUntil(state, piece.startNs);
            return new Spent(runs, piece.durationNs() - runs - blocks, blocks);
        }
        long runs = share(piece, onCpuNs(state));
        long queues = Math.min(share(piece, runnableNs(state)), piece.durationNs() - runs);
        long blocks = piece.durationNs() - runs - queues;
        return blockedNs(state) == 0 ? new Spent(runs + blocks, queues, 0) : new Spent(runs, queues, blocks);
    }

    private long onCpuNs(int state) {
        return within(
                timeline.attribute(state, Attribute.ON_CPU_NS) + lateNs().getOrDefault(state, 0L),
                timeline.durationNs(state));
    }

    /**
     * By state row: what it spent on a CPU beyond what was counted in it. The surplus of a row is its waiting in hand-overs of a millisecond
     * and more less its blocked time; of what is more than that, its time ready explains what it can. A surplus meets the next one of the other
     * sign, if no row between has a wait: the smaller of the two, 10 ms at most, is moved.
     */
    private Map<Integer, Long> lateNs() {
        if (late != null) {
            return late;
        }
        late = new HashMap<>();
        List<long[]> waits = longWaits();
        int open = -1;
        long surplusNs = 0;
        long lastEndNs = Long.MIN_VALUE;
        for (int state : states) {
            long startNs = timeline.startNs(state);
            long endNs = timeline.endNs(state);
            boolean asleep = waits.stream().anyMatch(wait -> wait[0] < startNs && startNs < wait[1]);
            if (startNs > lastEndNs || asleep) {
                surplusNs = 0;
            }
            lastEndNs = endNs;
            long cpuNs = counted(state, Attribute.ON_CPU_NS, endNs - startNs);
            long readyNs = counted(state, Attribute.RUNNABLE_NS, Long.MAX_VALUE);
            long blockedNs = Math.max(0, endNs - startNs - cpuNs - readyNs);
            long waitedNs = waits.stream()
                    .mapToLong(wait -> Math.max(0, Math.min(endNs, wait[1]) - Math.max(startNs, wait[0])))
                    .sum();
            long ownNs = waitedNs - blockedNs;
            ownNs = ownNs > 0 ? Math.max(0, ownNs - readyNs) : ownNs;
            if (waits.isEmpty() || (ownNs == 0 && waitedNs == 0)) {
                continue;
            }
            if (ownNs != 0 && Long.signum(surplusNs) == -Long.signum(ownNs)) {
                int giver = ownNs > 0 ? state : open;
                int taker = ownNs > 0 ? open : state;
                long hasNs =
                        counted(giver, Attribute.ON_CPU_NS, timeline.durationNs(giver)) + late.getOrDefault(giver, 0L);
                long movedNs = Math.min(hasNs, Math.min(Math.abs(surplusNs), Math.abs(ownNs)));
                late.merge(giver, -movedNs, Long::sum);
                late.merge(taker, movedNs, Long::sum);
                ownNs -= Long.signum(ownNs) * movedNs;
            }
            open = state;
            surplusNs = Math.max(-10_000_000, Math.min(10_000_000, ownNs));
        }
        return late;
    }

    private long counted(int state, Attribute counter, long mostNs) {
        return Math.max(0, Math.min(mostNs, timeline.attribute(state, counter)));
    }

    /** The union of the hand-overs' waits, without those below a millisecond. */
    private List<long[]> longWaits() {
        List<long[]> waits = new ArrayList<>();
        for (int row : handOvers) {
            long[] last = waits.isEmpty() ? null : waits.get(waits.size() - 1);
            if (timeline.durationNs(row) > 0 && last != null && timeline.startNs(row) <= last[1]) {
                last[1] = Math.max(last[1], timeline.endNs(row));
            } else if (timeline.durationNs(row) > 0) {
                waits.add(new long[] {timeline.startNs(row), timeline.endNs(row)});
            }
        }
        waits.removeIf(wait -> wait[1] - wait[0] < 1_000_000);
        return waits;
    }

    private long runnableNs(int state) {
        return within(timeline.attribute(state, Attribute.RUNNABLE_NS), timeline.durationNs(state) - onCpuNs(state));
    }

    private long blockedNs(int state) {
        return timeline.durationNs(state) - onCpuNs(state) - runnableNs(state);
    }

    /** How long the thread waited for hand-overs since a state row began. */
    private long waitedNs(int state, long untilNs) {
        long[] total = new long[1];
        intervals.visit(handOvers, timeline.startNs(state), untilNs, (startNs, endNs, covering) -> {
            total[0] += covering.length > 0 ? endNs - startNs : 0;
        });
        return total[0];
    }

    private long blockedUntil(int state, long untilNs) {
        long lengthNs = timeline.durationNs(state);
        long blockedNs = blockedNs(state);
        long allWaitedNs = waitedNs(state, timeline.endNs(state));
        long waitedNs = waitedNs(state, untilNs);
        if (blockedNs <= allWaitedNs) {
            return shareOfFirst(waitedNs, blockedNs, allWaitedNs);
        }
        long restNs = untilNs - timeline.startNs(state) - waitedNs;
        return waitedNs + shareOfFirst(restNs, blockedNs - allWaitedNs, lengthNs - allWaitedNs);
    }

    private long onCpuUntil(int state, long untilNs) {
        long awakeNs = untilNs - timeline.startNs(state) - blockedUntil(state, untilNs);
        return shareOfFirst(awakeNs, onCpuNs(state), timeline.durationNs(state) - blockedNs(state));
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

    /** Somebody that a thread waited for, up to a time. */
    private record Giver(int thread, long fromNs, long toNs) {}

    private List<Bit> followed(Bit waiting, List<Integer> way) {
        List<Giver> givers = way.size() >= 8 ? List.of() : givers(waiting);
        List<Bit> bits = new ArrayList<>();
        long cursorNs = waiting.startNs;
        for (Giver giver : givers) {
            long fromNs = Math.max(cursorNs, Math.min(giver.fromNs, waiting.endNs));
            long toNs = Math.max(fromNs, Math.min(giver.toNs, waiting.endNs));
            own(waiting, cursorNs, fromNs, bits);
            if (way.contains(giver.thread)) {
                own(waiting, fromNs, toNs, bits);
            } else {
                theirs(waiting, giver.thread, fromNs, toNs, way, bits);
            }
            cursorNs = toNs;
        }
        if (givers.isEmpty()) {
            return way.size() < 8 && waiting.cause == LedgerClass.WAIT_UNKNOWN && waiting.awaited != null
                    ? pooled(waiting, waiting.awaited)
                    : List.of(waiting);
        }
        own(waiting, cursorNs, waiting.endNs, bits);
        return bits;
    }

    private List<Bit> pooled(Bit waiting, LedgerClass compute) {
        long onCpuNs = 0;
        long readyNs = 0;
        long othersNs = 0;
        for (NaiveThread thread : all.values()) {
            boolean other = process() == thread.process()
                    && thread != this
                    && thread.activities.length + thread.samples.length > 0;
            for (Piece piece : other ? thread.pieces(waiting.startNs, waiting.endNs) : List.<Piece>of()) {
                othersNs += piece.state >= 0 ? thread.spent(piece).runs : 0;
            }
            boolean pool = process() == thread.process() && thread.activities.length + thread.samples.length == 0;
            for (Piece piece : pool ? thread.pieces(waiting.startNs, waiting.endNs) : List.<Piece>of()) {
                if (piece.state >= 0) {
                    onCpuNs += thread.spent(piece).runs;
                    readyNs += thread.spent(piece).runs + thread.spent(piece).queues;
                }
            }
        }
        if (compute == LedgerClass.CPU_NATIVE && othersNs > 0) {
            return List.of(waiting);
        }
        long knownNs = Math.min(waiting.ns, readyNs);
        long computesNs = readyNs == 0 ? 0 : shareOfFirst(knownNs, onCpuNs, readyNs);
        List<Bit> bits = new ArrayList<>();
        part(waiting.as(compute), computesNs, bits);
        part(waiting.as(LedgerClass.WAIT_RUN_QUEUE), knownNs - computesNs, bits);
        part(waiting, waiting.ns - knownNs, bits);
        return bits;
    }

    private static void part(Bit of, long ns, List<Bit> bits) {
        if (ns > 0) {
            bits.add(of.of(ns, of.startNs, of.endNs));
        }
    }

    private int process() {
        return timeline.tracks().get(track).parent();
    }

    private List<Giver> givers(Bit waiting) {
        List<Giver> found = new ArrayList<>();
        boolean child = waiting.cause == LedgerClass.WAIT_CHILD_PROCESS;
        boolean toldByHandOvers = states.length == 0; // Nothing else says when the thread waited.
        if (child
                || toldByHandOvers
                || waiting.cause == LedgerClass.WAIT_UNKNOWN
                || waiting.cause == LedgerClass.WAIT_SOCKET) {
            for (int row : handOvers) {
                int giver = giver(row);
                boolean meets = timeline.startNs(row) < waiting.endNs
                        && timeline.endNs(row) > waiting.startNs
                        && timeline.durationNs(row) > 0
                        && !(toldByHandOvers && beganIn(row, waiting));
                if (meets && giver >= 0 && timeline.track(giver) != track) {
                    long untilNs = Math.min(timeline.endNs(row), timeline.endNs(giver));
                    found.add(new Giver(timeline.track(giver), timeline.startNs(row), untilNs));
                }
            }
        }
        return found.isEmpty() && child ? child(waiting) : found;
    }

    /** Whether a measured row that is no wait began while the thread waited, other than a function that the wait may be made of. */
    private boolean beganIn(int wait, Bit bit) {
        return bit.row >= 0
                && timeline.kind(bit.row) != RowKind.PYTHON_FUNCTION
                && !bit.cause.isWaiting()
                && timeline.startNs(bit.row) > timeline.startNs(wait);
    }

    private int giver(int taker) {
        return IntStream.range(0, timeline.links().count())
                .filter(l -> timeline.links().toRow(l) == taker)
                .filter(l -> timeline.links().kind(l) == LinkKind.HAND_OVER
                        || timeline.links().kind(l) == LinkKind.LOCK)
                .map(l -> timeline.links().fromRow(l))
                .reduce(-1, (first, last) -> last);
    }

    /** The child process that ends first of those that live meanwhile. */
    private List<Giver> child(Bit waiting) {
        String pid =
                timeline.tracks().get(timeline.tracks().get(track).parent()).key();
        Map<Long, Giver> byEnd = new HashMap<>();
        for (int row = timeline.rowCount() - 1; row >= 0; row--) {
            Track process = timeline.tracks().get(timeline.track(row));
            boolean alive = timeline.kind(row) == RowKind.PROCESS
                    && pid.equals(timeline.properties().get("process." + process.key() + ".parent"))
                    && timeline.startNs(row) < waiting.endNs
                    && timeline.endNs(row) > waiting.startNs;
            if (alive) {
                int main = timeline.tracks().stream()
                        .filter(t -> t.kind() == TrackKind.THREAD && t.parent() == process.id())
                        .filter(t -> t.key().equals(process.key()))
                        .mapToInt(Track::id)
                        .findFirst()
                        .orElse(-1);
                byEnd.put(timeline.endNs(row), new Giver(main, timeline.startNs(row), timeline.endNs(row)));
            }
        }
        return byEnd.keySet().stream().min(Long::compare).map(byEnd::get).filter(g -> g.thread >= 0).stream()
                .toList();
    }

    private static long part(Bit waiting, long fromNs, long toNs) {
        long lengthNs = waiting.endNs - waiting.startNs;
        return shareOfFirst(toNs - waiting.startNs, waiting.ns, lengthNs)
                - shareOfFirst(fromNs - waiting.startNs, waiting.ns, lengthNs);
    }

    private static void own(Bit waiting, long fromNs, long toNs, List<Bit> bits) {
        long ns = part(waiting, fromNs, toNs);
        if (ns > 0) {
            bits.add(waiting.of(ns, fromNs, toNs));
        }
    }

    private void theirs(Bit waiting, int giver, long fromNs, long toNs, List<Integer> way, List<Bit> bits) {
        long partNs = part(waiting, fromNs, toNs);
        List<Integer> further = new ArrayList<>(way);
        further.add(giver);
        long doneNs = 0;
        for (Bit did : toNs > fromNs ? all.get(giver).bits(fromNs, toNs, further) : List.<Bit>of()) {
            long ns =
                    shareOfFirst(doneNs + did.ns, partNs, toNs - fromNs) - shareOfFirst(doneNs, partNs, toNs - fromNs);
            doneNs += did.ns;
            if (ns > 0) {
                Bit own = waiting.of(ns, did.startNs, did.endNs);
                bits.add(explains(waiting.cause, did.cause) ? both(own, did.of(ns, did.startNs, did.endNs)) : own);
            }
        }
    }

    /** Work explains a wait; so does what keeps from work; another wait explains one for data or for nobody knows what. */
    private static boolean explains(LedgerClass waits, LedgerClass did) {
        return switch (did) {
            case UNATTRIBUTED, WAIT_UNKNOWN -> false;
            case WAIT_IO, WAIT_SOCKET, WAIT_TIMER, WAIT_CHILD_PROCESS ->
                waits == LedgerClass.WAIT_UNKNOWN || waits == LedgerClass.WAIT_SOCKET;
            default -> true;
        };
    }

    private static Bit both(Bit own, Bit did) {
        return new Bit(
                did.thread,
                did.row,
                did.startNs,
                did.endNs,
                did.ns,
                did.cause,
                own.counted || did.counted,
                Stream.concat(own.rooms.stream(), did.rooms.stream()).toList(),
                Math.max(own.weight, did.weight),
                null);
    }
}
