package io.inferscope.analyzer.calls;

import io.inferscope.timeline.Attribute;
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
 * Decides which waits of a server's threads are idle: nobody waits for the thread meanwhile.
 *
 * <pre>
 *   acceptor   AAAAAAAAAA.AAAAAAAAAAAA    A: waits for clients only
 *   worker 1   FFFFFFFFFF.rr.FFFFFFFFF    F: on a futex that only a thread of its own process can wake
 *   worker 2   FFFFFFFFFFFFFFFFFFFFFFF
 *   idle       iiiiiiiii      iiiiiiii
 * </pre>
 *
 * A wait for clients is idle, unless a request of the process is recorded as open. A wait on a futex is idle while a
 * thread of its process waits for clients, no thread works, and none waits for anything that may end it from outside: a
 * connection that the process opened, a file, a child.
 */
public final class IdleWaits {
    /** The part of a wait in which others work that is one wake-up of some timer, not work on its behalf. */
    private static final double OTHERS_WORK = 0.05;

    /** The part of a wait in which a thread waits for clients. The sampler does not read all threads at one time. */
    private static final double SERVES = 0.9;

    /** Times of work are summed up in pieces of this length. */
    private static final long PIECE_NS = 10_000_000L;

    /** Most pieces: a recording of a day is divided into longer ones. */
    private static final int MOST_PIECES = 1 << 20;

    /** Waits that something outside of the process ends. */
    private static final Set<WaitReason> OUTSIDE =
            EnumSet.of(WaitReason.SOCKET, WaitReason.FILE_IO, WaitReason.CHILD_PROCESS, WaitReason.DRIVER);

    private static final Set<WaitReason> INSIDE = EnumSet.of(WaitReason.FUTEX, WaitReason.PIPE, WaitReason.UNKNOWN);

    private final Timeline timeline;

    /** By track of a process; only processes that serve. */
    private final Map<Integer, Server> servers = new HashMap<>();

    /** What a server did. */
    private static final class Server {
        private final Intervals.Builder doors = new Intervals.Builder(16);
        private final Intervals.Builder requests = new Intervals.Builder(16);
        private Intervals serves = Intervals.EMPTY;
        private Intervals open = Intervals.EMPTY;
        private double[] workNs = {};
        private long startNs = Long.MAX_VALUE;
        private long endNs = Long.MIN_VALUE;
        private long pieceNs = PIECE_NS;

        void prepare() {
            serves = doors.build();
            open = requests.build();
            long lengthNs = Math.max(1, endNs - startNs);
            pieceNs = Math.max(PIECE_NS, lengthNs / MOST_PIECES + 1);
            workNs = new double[(int) (lengthNs / pieceNs) + 1];
        }

        void work(long fromNs, long toNs, double ns) {
            for (int piece = piece(fromNs); piece <= piece(toNs - 1); piece++) {
                long beginNs = Math.max(fromNs, startNs + piece * pieceNs);
                long finishNs = Math.min(toNs, startNs + (piece + 1) * pieceNs);
                workNs[piece] += ns * (finishNs - beginNs) / (toNs - fromNs);
            }
        }

        /** Returns the work of all threads in the pieces that an interval overlaps, in proportion. */
        double worked(long fromNs, long toNs) {
            double sum = 0;
            for (int piece = piece(fromNs); piece <= piece(toNs - 1); piece++) {
                long beginNs = Math.max(fromNs, startNs + piece * pieceNs);
                long finishNs = Math.min(toNs, startNs + (piece + 1) * pieceNs);
                sum += workNs[piece] * (finishNs - beginNs) / pieceNs;
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
            if (isForClients(timeline, row)) {
                servers.computeIfAbsent(process, p -> new Server());
            }
        });
        if (servers.isEmpty()) {
            return;
        }
        eachState((process, row) -> {
            Server server = servers.get(process);
            if (server != null) {
                server.startNs = Math.min(server.startNs, timeline.startNs(row));
                server.endNs = Math.max(server.endNs, timeline.endNs(row));
                if (isForClients(timeline, row)) {
                    server.doors.add(timeline.startNs(row), timeline.endNs(row));
                }
            }
        });
        timeline.tracks(TrackKind.REQUEST)
                .filter(track -> servers.containsKey(track.parent()))
                .forEach(this::addRequests);
        servers.values().forEach(Server::prepare);
        eachState((process, row) -> {
            Server server = servers.get(process);
            if (server != null && timeline.durationNs(row) > 0) {
                server.work(timeline.startNs(row), timeline.endNs(row), busyNs(row));
            }
        });
    }

    private interface State {
        void take(int process, int row);
    }

    private void eachState(State state) {
        timeline.tracks().stream()
                .filter(track -> track.parent() >= 0)
                .forEach(track -> timeline.rows(track.id(), RowKind.THREAD_STATE)
                        .forEach(row -> state.take(track.parent(), row)));
    }

    private void addRequests(Track track) {
        Server server = servers.computeIfAbsent(track.parent(), p -> new Server());
        timeline.rows(track.id()).forEach(row -> server.requests.add(timeline.startNs(row), timeline.endNs(row)));
    }

    /** Returns whether a process, by its track, was seen to wait for clients. */
    public boolean serves(int process) {
        return servers.containsKey(process);
    }

    /** Returns whether the blocked time of a state is idle. */
    public boolean isIdle(int state) {
        Server server = servers.get(timeline.tracks().get(timeline.track(state)).parent());
        long fromNs = timeline.startNs(state);
        long toNs = timeline.endNs(state);
        if (server == null || toNs <= fromNs || mostlyInRequests(server, state)) {
            return false;
        }
        if (isForClients(timeline, state)) {
            return true;
        }
        double others = server.worked(fromNs, toNs) - busyNs(state);
        return isEndedInside(state)
                && others <= OTHERS_WORK * (toNs - fromNs)
                && server.serves.totalWithinNs(fromNs, toNs) >= SERVES * (toNs - fromNs);
    }

    /** Returns whether most of a state's blocked time is in open requests, even if all of its other time is. */
    private boolean mostlyInRequests(Server server, int state) {
        double openNs = server.open.totalWithinNs(timeline.startNs(state), timeline.endNs(state));
        double blockedNs = timeline.durationNs(state) - workNs(state);
        return 2 * (openNs - workNs(state)) > blockedNs;
    }

    /** Returns whether a thread waits for a new connection, or for a request on one that a client opened. */
    public static boolean isForClients(Timeline timeline, int state) {
        return WaitDetail.FOR_CONNECTION.isOf(timeline, state) || WaitDetail.FOR_REQUEST.isOf(timeline, state);
    }

    /** A futex with a time limit counts as a timer once most of its waits run out. */
    private boolean isEndedInside(int state) {
        WaitReason reason = WaitReason.of(timeline, state);
        return INSIDE.contains(reason) || (reason == WaitReason.TIMER && WaitDetail.callsFutex(timeline, state));
    }

    /** Returns for how long a thread worked, was ready to, or waited for something that may come from outside, in ns. */
    private double busyNs(int state) {
        boolean outside = OUTSIDE.contains(WaitReason.of(timeline, state));
        return outside && !isForClients(timeline, state) ? timeline.durationNs(state) : workNs(state);
    }

    private long workNs(int state) {
        return Math.max(0, timeline.attribute(state, Attribute.ON_CPU_NS))
                + Math.max(0, timeline.attribute(state, Attribute.RUNNABLE_NS));
    }
}
