package io.inferscope.analyzer.calls;

import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Decides which waits of threads are idle: the thread has nothing to do, and nobody waits for it.
 *
 * <pre>
 *   acceptor   AAAAAAAAAA.AAAAAAAAAAAA    A: waits for what brings work: clients, or an event loop's next event
 *   worker 1   FFFFFFFFFF.rr.FFFFFFFFF    F: on a futex that only a thread of its own process can wake
 *   worker 2   FFFFFFFFFFFFFFFFFFFFFFF
 *   idle       iiiiiiiii      iiiiiiii
 * </pre>
 *
 * A wait for clients is idle, unless a request of the process is recorded as open. A wait of an event loop without any
 * connection is idle if the process is quiet meanwhile: no thread works, and none waits for anything that may end it
 * from outside, such as a connection that the process opened, a file, or a child. It is not if a thread to which the
 * loop gave work ends it. So is a wait on a futex while a thread of its process waits for clients or in such a loop. Of
 * a process without clients, a thread that sleeps by itself is not quiet either, nor is another observed process that
 * works: it may make what is waited for.
 */
public final class IdleWaits {
    /** The part of a wait in which others work beside it: whoever is waited for works, or waits outside, all the time. */
    private static final double OTHERS_WORK = 0.25;

    /** The largest part of the time in which a program that rests is on a CPU, and in which it is ready for one. */
    private static final double HARDLY = 0.1;

    private static final double MOSTLY = 0.5;

    /** The part of a wait in which a thread waits for clients. The sampler does not read all threads at one time. */
    private static final double SERVES = 0.9;

    /** Times of work are summed up in pieces of this length. */
    private static final long PIECE_NS = 10_000_000L;

    /** Least pieces: a recording of milliseconds is divided into shorter ones. */
    private static final int LEAST_PIECES = 100;

    /** Most pieces: a recording of a day is divided into longer ones. */
    private static final int MOST_PIECES = 1 << 20;

    /** Waits of a thread that has work: something outside of the process ends them, or who holds a lock. */
    private static final Set<WaitReason> HELD_UP = EnumSet.of(
            WaitReason.SOCKET, WaitReason.FILE_IO, WaitReason.CHILD_PROCESS, WaitReason.DRIVER, WaitReason.LOCK);

    private static final Set<WaitReason> INSIDE = EnumSet.of(WaitReason.PIPE, WaitReason.UNKNOWN);

    private final Timeline timeline;

    /** By track of a process. */
    private final Map<Integer, Work> processes = new HashMap<>();

    private final Work all = new Work();

    private final Work onCpu = new Work();

    /** What a process did, or all of them. */
    private static final class Work {
        private final Intervals.Builder forClients = new Intervals.Builder(16);
        private final Intervals.Builder inLoops = new Intervals.Builder(16);
        private final Intervals.Builder asleep = new Intervals.Builder(16);
        private final Intervals.Builder heldUp = new Intervals.Builder(16);
        private final Intervals.Builder requests = new Intervals.Builder(16);
        private final Intervals.Builder wakeUps = new Intervals.Builder(16);
        private boolean callsThreads;
        private Intervals awaits = Intervals.EMPTY;
        private Intervals serves = Intervals.EMPTY;
        private Intervals awaitsWork = Intervals.EMPTY;
        private Intervals sleeps = Intervals.EMPTY;
        private Intervals held = Intervals.EMPTY;
        private Intervals open = Intervals.EMPTY;
        private double[] workNs = {};
        private long startNs = Long.MAX_VALUE;
        private long endNs = Long.MIN_VALUE;
        private long pieceNs = PIECE_NS;

        void prepare() {
            serves = forClients.build();
            awaitsWork = serves.union(inLoops.build());
            sleeps = asleep.build();
            held = heldUp.build();
            open = requests.build();
            awaits = callsThreads ? wakeUps.build() : Intervals.EMPTY;
            long lengthNs = Math.max(1, endNs - startNs);
            pieceNs = Math.max(Math.min(PIECE_NS, lengthNs / LEAST_PIECES + 1), lengthNs / MOST_PIECES + 1);
            workNs = new double[(int) (lengthNs / pieceNs) + 1];
        }

        void work(long fromNs, long toNs, double ns) {
            for (int piece = piece(fromNs); piece <= piece(toNs - 1); piece++) {
                long beginNs = Math.max(fromNs, startNs + piece * pieceNs);
                long finishNs = Math.min(toNs, startNs + (piece + 1) * pieceNs);
                workNs[piece] += ns * (finishNs - beginNs) / (toNs - fromNs);
            }
        }

        void lasts(long fromNs, long toNs) {
            startNs = Math.min(startNs, fromNs);
            endNs = Math.max(endNs, toNs);
        }

        /** Returns how long any thread worked in the pieces that an interval overlaps, in proportion. */
        double worked(long fromNs, long toNs) {
            double sum = 0;
            for (int piece = piece(fromNs); piece <= piece(toNs - 1); piece++) {
                long beginNs = Math.max(fromNs, startNs + piece * pieceNs);
                long finishNs = Math.min(toNs, startNs + (piece + 1) * pieceNs);
                sum += Math.min(1, workNs[piece] / pieceNs) * (finishNs - beginNs);
            }
            return sum;
        }

        private int piece(long atNs) {
            return (int) Math.max(0, Math.min(workNs.length - 1L, (atNs - startNs) / pieceNs));
        }
    }

    public IdleWaits(Timeline timeline) {
        this.timeline = timeline;
        eachState((process, row) -> {
            long fromNs = timeline.startNs(row);
            long toNs = timeline.endNs(row);
            Work work = processes.computeIfAbsent(process, p -> new Work());
            work.lasts(fromNs, toNs);
            all.lasts(fromNs, toNs);
            onCpu.lasts(fromNs, toNs);
            if (isForClients(timeline, row)) {
                work.forClients.add(fromNs, toNs);
            } else if (WaitDetail.OF_LOOP.isOf(timeline, row)) {
                work.inLoops.add(fromNs, toNs);
            } else if (WaitReason.of(timeline, row) == WaitReason.TIMER && !WaitDetail.callsFutex(timeline, row)) {
                work.asleep.add(fromNs, toNs);
            } else if (HELD_UP.contains(WaitReason.of(timeline, row))) {
                work.heldUp.add(fromNs, toNs);
            }
        });
        if (processes.isEmpty()) {
            return;
        }
        timeline.tracks(TrackKind.REQUEST).forEach(this::addRequests);
        timeline.tracks().forEach(this::addHandOvers);
        processes.values().forEach(Work::prepare);
        all.prepare();
        onCpu.prepare();
        eachState((process, row) -> {
            long fromNs = timeline.startNs(row);
            long toNs = timeline.endNs(row);
            Work work = processes.get(process);
            if (work != null && toNs > fromNs) {
                work.work(fromNs, toNs, busyNs(row));
                all.work(fromNs, toNs, (double) workNs(row));
                onCpu.work(fromNs, toNs, (double) Math.max(0, timeline.attribute(row, Attribute.ON_CPU_NS)));
            }
        });
    }

    private interface State {
        void take(int process, int row);
    }

    /** Passes the states of threads that may run the program's code. */
    private void eachState(State state) {
        timeline.tracks().stream()
                .filter(track -> track.parent() >= 0
                        && !NameRole.JVM_THREAD.in(track.name())
                        && !NameRole.RECORDER_THREAD.in(track.name()))
                .forEach(track -> timeline.rows(track.id(), RowKind.THREAD_STATE)
                        .forEach(row -> state.take(track.parent(), row)));
    }

    private void addRequests(Track track) {
        Work work = processes.get(track.parent());
        if (work != null) {
            timeline.rows(track.id()).forEach(row -> work.requests.add(timeline.startNs(row), timeline.endNs(row)));
        }
    }

    private void addHandOvers(Track thread) {
        Work work = processes.get(thread.parent());
        if (work != null) {
            timeline.rows(thread.id(), RowKind.HAND_OVER).forEach(row -> {
                HandOver.What what = HandOver.What.of(timeline, row);
                boolean takes = timeline.attribute(row, Attribute.TAKES) == 1;
                work.callsThreads |= what == HandOver.What.CALL && !takes;
                if (what == HandOver.What.WAKE_UP && takes) {
                    work.wakeUps.add(timeline.startNs(row), timeline.endNs(row));
                }
            });
        }
    }

    /** Returns whether a process, by its track, was seen to wait for clients. */
    public boolean serves(int process) {
        Work work = processes.get(process);
        return work != null && !work.serves.isEmpty();
    }

    /**
     * Returns whether hardly any thread has a CPU in an interval, for most of it none waits for one, and hardly any of a
     * process is held up.
     */
    public boolean rests(int process, long fromNs, long toNs) {
        Work work = processes.get(process);
        long ns = toNs - fromNs;
        return work != null
                && ns > 0
                && onCpu.worked(fromNs, toNs) <= HARDLY * ns
                && all.worked(fromNs, toNs) <= MOSTLY * ns
                && work.held.totalWithinNs(fromNs, toNs) <= HARDLY * ns;
    }

    /** Returns whether the blocked time of a state is idle. */
    public boolean isIdle(int state) {
        Work work = processes.get(process(state));
        if (work == null || isForClients(timeline, state)) {
            return work != null && timeline.durationNs(state) > 0 && !mostlyInRequests(work, state);
        }
        if (WaitDetail.OF_LOOP.isOf(timeline, state)) {
            return isQuiet(state) && !mostlyAwaits(work, state);
        }
        WaitReason reason = WaitReason.of(timeline, state);
        // A futex with a time limit counts as a timer once most of its waits run out.
        boolean futex =
                reason == WaitReason.FUTEX || (reason == WaitReason.TIMER && WaitDetail.callsFutex(timeline, state));
        Intervals doors = futex ? work.awaitsWork : INSIDE.contains(reason) ? work.serves : Intervals.EMPTY;
        return doors.totalWithinNs(timeline.startNs(state), timeline.endNs(state))
                        >= SERVES * timeline.durationNs(state)
                && isQuiet(state);
    }

    /** Returns whether nobody works, or waits for anything from outside, while a state's thread waits. */
    public boolean isQuiet(int state) {
        Work work = processes.get(process(state));
        long fromNs = timeline.startNs(state);
        long toNs = timeline.endNs(state);
        double mostNs = OTHERS_WORK * (toNs - fromNs);
        return work != null
                && toNs > fromNs
                && !mostlyInRequests(work, state)
                && work.worked(fromNs, toNs) - busyNs(state) <= mostNs
                && (!work.serves.isEmpty()
                        || (work.sleeps.totalWithinNs(fromNs, toNs) <= mostNs
                                && all.worked(fromNs, toNs) - workNs(state) <= mostNs));
    }

    private int process(int state) {
        return timeline.tracks().get(timeline.track(state)).parent();
    }

    /** Returns whether most of a state's blocked time is in open requests, even if all of its other time is. */
    private boolean mostlyInRequests(Work work, int state) {
        return mostly(
                (double) work.open.totalWithinNs(timeline.startNs(state), timeline.endNs(state)) - workNs(state),
                state);
    }

    /** Returns whether most of a state's blocked time is waits for threads that work for its loop. */
    private boolean mostlyAwaits(Work work, int state) {
        return mostly((double) work.awaits.totalWithinNs(timeline.startNs(state), timeline.endNs(state)), state);
    }

    private boolean mostly(double ns, int state) {
        return 2 * ns > timeline.durationNs(state) - workNs(state);
    }

    /** Returns whether a thread waits for a new connection, or for a request on one that a client opened. */
    public static boolean isForClients(Timeline timeline, int state) {
        return WaitDetail.FOR_CONNECTION.isOf(timeline, state) || WaitDetail.FOR_REQUEST.isOf(timeline, state);
    }

    /** Returns for how long a thread worked, was ready to, or was held up, in ns. */
    private double busyNs(int state) {
        boolean heldUp = HELD_UP.contains(WaitReason.of(timeline, state));
        return heldUp && !isForClients(timeline, state) ? timeline.durationNs(state) : workNs(state);
    }

    private long workNs(int state) {
        return Math.max(0, timeline.attribute(state, Attribute.ON_CPU_NS))
                + Math.max(0, timeline.attribute(state, Attribute.RUNNABLE_NS));
    }
}
