package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.calls.IdleWaits;
import io.inferscope.analyzer.model.Basis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.ThreadState;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Explains time in which a thread only waited by what the awaited thread did over the same interval.
 *
 * <pre>
 *   taker    [ queue.get .............. ]        HAND_OVER row from the begin of the wait to the return with the item
 *   giver    [ decode ][ compress ] put          the item is given here
 *   blame     dddddddddccccccccccccc ww          w: the taker's own wait, waking up
 * </pre>
 *
 * <p>The giver's work during the wait is its cause: the wait gets the giver's class and the giver's line. If the giver
 * itself waited for a third thread, that thread is followed in turn. If the giver only waited for something outside the
 * program, that is the cause of a wait for a socket, or of one without a reason; other waits stay the taker's. A taker that polls waits
 * until the item is given, though it is on a CPU or ready for one. A thread that waits for a
 * child process is followed to the child that ends first, and one that waits inside {@code multiprocessing} to what the
 * child processes do around the wait; so is one that waits for a future while a helper thread waits there, and one
 * that sleeps in a library's code, which asks its processes again and again. A thread that waits for one socket is
 * followed to what the process at the other end does around the wait. A thread that is blocked inside an operator waits
 * for the {@link NativePools pool} that computes the operator. A pool's thread that waits for an item waits for the main
 * thread and the pool's other threads, as far as these work. A wait that nothing recorded explains is followed to the
 * threads that {@link Alternation work only while} the thread waits.
 *
 * <p>Before a thread was started there is nothing of its own to explain: what counts then is what its starter did, of a
 * native thread the process' main thread; after it has ended, the main thread.
 *
 * <p>A walk visits no thread twice and takes at most {@link #MOST_STEPS} steps.
 */
final class WaitFollower {
    private static final int MOST_STEPS = 8;
    private static final int[] NONE = {};

    private final Timeline timeline;
    private final Threads threads;
    private final ActivityClassifier classifier;
    private final NativePools pools;
    private final Alternation alternation;
    private final Lazy<@Nullable IntervalTree[]> waits = new Lazy<>(() -> findWaits(row -> true));
    private final Lazy<@Nullable IntervalTree[]> polls = new Lazy<>(() -> findWaits(this::isPolled));
    private final Lazy<Map<Integer, IntervalTree>> children = new Lazy<>(this::findChildren);

    /** By the track of a process. */
    private final Map<Integer, int[]> threadsOfChildren = new HashMap<>();

    /** By the track of a process: whether one of its threads waits for other processes all the time. */
    private final Map<Integer, Boolean> helpers = new HashMap<>();

    /** By the track of a process. */
    private final Map<Integer, int[]> threadsOfPeers = new HashMap<>();

    /** By track of a pool's thread. */
    private final Map<Integer, int[]> feeders = new HashMap<>();

    /** By track: when the thread lived. An array, because it is read for each interval that is explained. */
    private final @Nullable Life[] lives;

    private final int[] givers;
    private final boolean hasParents;
    private final boolean hasStates;

    /**
     * When a thread lived, as far as its rows and states tell: always, where no other thread can count instead.
     *
     * @param before the thread that counts before
     * @param after the thread that counts afterwards
     */
    private record Life(long startNs, long endNs, int before, int after) {
        private static final Life UNKNOWN = new Life(Long.MIN_VALUE, Long.MAX_VALUE, -1, -1);
    }

    WaitFollower(Timeline timeline, Threads threads, ActivityClassifier classifier) {
        this.timeline = timeline;
        this.threads = threads;
        this.classifier = classifier;
        this.lives = new Life[timeline.tracks().size()];
        this.pools = new NativePools(timeline, threads);
        this.alternation = new Alternation(timeline, threads, classifier);
        this.hasStates = timeline.has(Attribute.ON_CPU_NS);
        this.givers = timeline.has(Attribute.HAND_OVER) ? givers() : NONE;
        this.hasParents = !ProcessFact.PARENT.all(timeline).isEmpty();
    }

    private int[] givers() {
        int[] found = new int[timeline.rowCount()];
        Arrays.fill(found, -1);
        Links links = timeline.links();
        for (int link = 0; link < links.count(); link++) {
            LinkKind kind = links.kind(link);
            if (kind == LinkKind.HAND_OVER || kind == LinkKind.LOCK) {
                found[links.toRow(link)] = links.fromRow(link);
            }
        }
        return found;
    }

    /**
     * Hand-over rows of each thread whose giver is on another thread, as far as asked for, in the order of their starts.
     * Rows of broken recordings may overlap.
     */
    private @Nullable IntervalTree[] findWaits(IntPredicate asked) {
        Map<Integer, IntervalTree.Builder> found = new HashMap<>();
        for (int row = 0; row < givers.length; row++) {
            if (givers[row] >= 0
                    && timeline.kind(row) == RowKind.HAND_OVER
                    && timeline.durationNs(row) > 0
                    && isThread(timeline.track(givers[row]))
                    && timeline.track(givers[row]) != timeline.track(row)
                    && asked.test(row)) {
                add(found, timeline.track(row), row);
            }
        }
        @Nullable IntervalTree[] byTrack = new IntervalTree[timeline.tracks().size()];
        built(found).forEach((track, spans) -> byTrack[track] = spans);
        return byTrack;
    }

    private boolean isPolled(int row) {
        return timeline.name(row).equals(HandOver.POLLED);
    }

    private boolean isThread(int track) {
        return timeline.tracks().get(track).kind() == TrackKind.THREAD;
    }

    private void add(Map<Integer, IntervalTree.Builder> to, int track, int row) {
        to.computeIfAbsent(track, t -> new IntervalTree.Builder()).add(row, timeline.startNs(row), timeline.endNs(row));
    }

    private static Map<Integer, IntervalTree> built(Map<Integer, IntervalTree.Builder> builders) {
        Map<Integer, IntervalTree> spans = new HashMap<>();
        builders.forEach((track, builder) -> spans.put(track, builder.build()));
        return spans;
    }

    /** The rows of the processes that each process started, by the track of the parent. */
    private Map<Integer, IntervalTree> findChildren() {
        Map<String, Integer> processes = new HashMap<>();
        for (Track track : timeline.tracks()) {
            if (track.kind() == TrackKind.PROCESS) {
                processes.put(track.key(), track.id());
            }
        }
        Map<Integer, IntervalTree.Builder> found = new HashMap<>();
        processes.forEach((pid, track) -> {
            Integer parent = processes.get(ProcessFact.PARENT.of(timeline, pid));
            int row = timeline.firstRow(track);
            if (parent != null && row < timeline.endRow(track) && timeline.kind(row) == RowKind.PROCESS) {
                add(found, parent, row);
            }
        });
        return built(found);
    }

    /** Returns the threads of the processes that a thread's process started, and that those started. */
    private int[] threadsOfChildren(int thread) {
        return threadsOfChildren.computeIfAbsent(
                timeline.tracks().get(thread).parent(), process -> threadsOf(descendants(process)));
    }

    private int[] threadsOf(Set<Integer> processes) {
        return threads.all().stream()
                .filter(track -> processes.contains(track.parent()) && !Threads.isRecorders(timeline, track.id()))
                .mapToInt(Track::id)
                .toArray();
    }

    /** Returns the main thread of a pool thread's process, and the other threads of the pool. */
    private int[] feeders(int thread) {
        return feeders.computeIfAbsent(thread, t -> {
            int process = timeline.tracks().get(t).parent();
            int main = mainThread(process);
            return threads.all().stream()
                    .filter(track -> track.parent() == process && !Threads.isRecorders(timeline, track.id()))
                    .mapToInt(Track::id)
                    .filter(other -> other != t && (other == main || alternation.areAlike(t, new int[] {other})))
                    .toArray();
        });
    }

    /** Returns the threads of the process at the other end of a socket that a thread waits for. */
    private int[] threadsOfPeer(Piece waiting) {
        int own = timeline.tracks().get(waiting.thread()).parent();
        long pid = timeline.attribute(waiting.stateRow(), Attribute.OTHER_THREAD);
        int peer = timeline.knownTrack(
                TrackKind.PROCESS, timeline.tracks().get(own).parent(), Long.toString(pid));
        return peer < 0 || peer == own ? NONE : threadsOfPeers.computeIfAbsent(peer, p -> threadsOf(Set.of(p)));
    }

    /** Returns whether a thread of a process, by most of its samples, waits for other processes. */
    private boolean hasHelper(int process) {
        return threads.all().stream().filter(track -> track.parent() == process).anyMatch(track -> {
            long samplesNs = 0;
            long waitsNs = 0;
            for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
                if (timeline.kind(row) == RowKind.STACK_SAMPLE) {
                    samplesNs += timeline.durationNs(row);
                    waitsNs += classifier.waitsForProcess(row) ? timeline.durationNs(row) : 0;
                }
            }
            return 2 * waitsNs > samplesNs;
        });
    }

    private Set<Integer> descendants(int process) {
        Set<Integer> found = new HashSet<>();
        Deque<Integer> parents = new ArrayDeque<>(List.of(process));
        while (!parents.isEmpty()) {
            IntervalTree started = children.get().get(parents.remove());
            if (started != null) {
                started.meeting(Long.MIN_VALUE, Long.MAX_VALUE, row -> {
                    if (found.add(timeline.track(row))) {
                        parents.add(timeline.track(row));
                    }
                });
            }
        }
        return found;
    }

    /**
     * Splits {@code [fromNs, toNs)} of a thread into pieces. Waits for other threads become the pieces of those
     * threads.
     */
    void cover(int track, long fromNs, long toNs, ThreadActivity.Sink sink) {
        if (givers.length == 0 && !hasParents && !hasStates) {
            threads.activity(track).cover(fromNs, toNs, sink);
            return;
        }
        coverLives(track, fromNs, toNs, sink, 0);
    }

    /** Covers what a thread did while it lived, and what others did before and afterwards. */
    private void coverLives(int track, long fromNs, long toNs, ThreadActivity.Sink sink, int others) {
        Life life = hasStates && others < MOST_STEPS ? life(track) : Life.UNKNOWN;
        long bornNs = Math.max(fromNs, Math.min(toNs, life.startNs));
        long endedNs = Math.max(bornNs, Math.min(toNs, life.endNs));
        if (fromNs < bornNs) {
            coverLives(life.before, fromNs, bornNs, sink, others + 1);
        }
        if (bornNs < endedNs) {
            new Walk(sink).cover(track, bornNs, endedNs);
        }
        if (endedNs < toNs) {
            coverLives(life.after, endedNs, toNs, sink, others + 1);
        }
    }

    long ownFromNs(int track) {
        return hasStates ? life(track).startNs : Long.MIN_VALUE;
    }

    private Life life(int track) {
        Life known = lives[track];
        if (known == null) {
            known = findLife(track);
            lives[track] = known;
        }
        return known;
    }

    private Life findLife(int track) {
        boolean counted = false;
        long endNs = Long.MIN_VALUE;
        int starter = -1;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            counted |= timeline.kind(row) == RowKind.THREAD_STATE;
            endNs = Math.max(endNs, timeline.endNs(row));
            if (starter < 0 && givers.length > 0 && givers[row] >= 0 && isStart(row)) {
                starter = timeline.track(givers[row]);
            }
        }
        if (!counted) {
            return Life.UNKNOWN;
        }
        int main = mainThread(timeline.tracks().get(track).parent());
        int before = starter >= 0 ? starter : main;
        int after = main >= 0 ? main : starter;
        return new Life(
                before < 0 || before == track ? Long.MIN_VALUE : timeline.startNs(timeline.firstRow(track)),
                after < 0 || after == track ? Long.MAX_VALUE : endNs,
                before,
                after);
    }

    private boolean isStart(int row) {
        return timeline.kind(row) == RowKind.HAND_OVER
                && timeline.attribute(row, Attribute.HAND_OVER) == HandOver.START.ordinal();
    }

    private int mainThread(int process) {
        return process < 0
                ? -1
                : timeline.knownTrack(
                        TrackKind.THREAD,
                        process,
                        timeline.tracks().get(process).key());
    }

    private @Nullable IntervalTree takers(int track) {
        return givers.length == 0 ? null : waits.get()[track];
    }

    /**
     * Whether the thread has a hand-over wait in the interval. Without states and processes, only hand-overs lead to
     * another thread.
     */
    private boolean mayTake(int track, long fromNs, long toNs) {
        IntervalTree takers = takers(track);
        return takers != null && takers.meet(fromNs, toNs);
    }

    /**
     * One walk from waiting thread to awaited thread: {@code walked} holds its threads, beginning with the explained
     * one.
     */
    private final class Walk {
        private final ThreadActivity.Sink sink;
        private final int[] walked = new int[MOST_STEPS];
        private int steps;

        Walk(ThreadActivity.Sink sink) {
            this.sink = sink;
        }

        void cover(int track, long fromNs, long toNs) {
            cover(track, fromNs, toNs, sink);
        }

        private void cover(int track, long fromNs, long toNs, ThreadActivity.Sink to) {
            if (!hasStates && !hasParents && !mayTake(track, fromNs, toNs)) {
                threads.activity(track).cover(fromNs, toNs, to);
                return;
            }
            walked[steps++] = track;
            long cursorNs = fromNs;
            for (int row : polls(track, fromNs, toNs)) {
                long startNs = Math.max(cursorNs, timeline.startNs(row));
                long endNs = Math.min(toNs, untilNs(row));
                if (startNs < endNs) {
                    coverOwn(track, cursorNs, startNs, to);
                    threads.activity(track).cover(startNs, endNs, piece -> poll(piece, to));
                    cursorNs = endNs;
                }
            }
            coverOwn(track, cursorNs, toNs, to);
            steps--;
        }

        private void coverOwn(int track, long fromNs, long toNs, ThreadActivity.Sink to) {
            if (fromNs < toNs) {
                threads.activity(track).cover(fromNs, toNs, to, waiting -> follow(waiting, to));
            }
        }

        /** A thread that polls for an item has nothing else to do, whether it is on a CPU, wants one or is blocked. */
        private void poll(Piece piece, ThreadActivity.Sink to) {
            spend(piece, LedgerClass.WAIT_SOCKET);
            follow(piece, to);
        }

        /** The hand-over waits of an interval in which the thread polls. */
        private int[] polls(int track, long fromNs, long toNs) {
            IntervalTree polled = givers.length == 0 ? null : polls.get()[track];
            if (polled == null) {
                return NONE;
            }
            IntStream.Builder rows = IntStream.builder();
            polled.meeting(fromNs, toNs, rows::add);
            return rows.build().toArray();
        }

        private boolean isOnWalk(int track) {
            for (int i = 0; i < steps; i++) {
                if (walked[i] == track) {
                    return true;
                }
            }
            return false;
        }

        private void follow(Piece waiting, ThreadActivity.Sink to) {
            LedgerClass seen = waiting.ledgerClass();
            if (seen == LedgerClass.WAIT_IDLE && steps > 1) {
                // Another thread waits for this one, which idles only if nothing but clients can end its wait.
                spend(
                        waiting,
                        ThreadState.blockedIn(timeline, waiting.stateRow()).ledgerClass());
            }
            boolean followed = steps < MOST_STEPS
                    && switch (waiting.ledgerClass()) {
                        case WAIT_UNKNOWN ->
                            alongHandOvers(waiting, to)
                                    || toPool(waiting, to)
                                    || toPeer(waiting, to)
                                    || toProcesses(waiting, to)
                                    || toWorkers(waiting, to)
                                    || toProcessesOfHelper(waiting, to)
                                    || toFeeders(waiting, to);
                        case WAIT_SOCKET ->
                            alongHandOvers(waiting, to) || toPeer(waiting, to) || toProcesses(waiting, to);
                        case WAIT_CHILD_PROCESS -> alongHandOvers(waiting, to) || toChild(waiting, to);
                        case WAIT_TIMER -> alongOnlyHandOvers(waiting, to) || toProcesses(waiting, to);
                        default -> alongOnlyHandOvers(waiting, to);
                    };
            if (!followed) {
                if (seen == LedgerClass.WAIT_IDLE && IdleWaits.isForClients(timeline, waiting.stateRow())) {
                    spend(waiting, seen);
                }
                to.take(waiting);
            }
        }

        private static void spend(Piece piece, LedgerClass on) {
            piece.spent(piece.ns(), on, piece.state(), piece.basis());
        }

        /** Along hand-overs if nothing else records the thread's waits. */
        private boolean alongOnlyHandOvers(Piece waiting, ThreadActivity.Sink to) {
            return threads.activity(waiting.thread()).waitsByHandOver() && alongHandOvers(waiting, to);
        }

        private boolean alongHandOvers(Piece waiting, ThreadActivity.Sink to) {
            IntervalTree takers = takers(waiting.thread());
            if (takers == null || !takers.meet(waiting.fromNs(), waiting.toNs())) {
                return false; // This holds for nearly every piece of a thread without recorded states.
            }
            IntStream.Builder rows = IntStream.builder();
            takers.meetingUntil(leastStartNs(waiting), waiting.fromNs(), waiting.toNs(), row -> {
                rows.add(row);
                return untilNs(row) >= waiting.toNs();
            });
            int[] taking = rows.build().toArray();
            if (taking.length == 0) {
                return false;
            }
            Shares shares = new Shares(waiting, to);
            for (int row : taking) {
                shares.own(timeline.startNs(row));
                shares.of(timeline.track(givers[row]), untilNs(row));
            }
            shares.own(waiting.toNs());
            return true;
        }

        /** Returns until when the thread that ends a wait is waited for. */
        private long untilNs(int wait) {
            return Math.min(timeline.endNs(wait), timeline.endNs(givers[wait]));
        }

        /**
         * Returns when a wait that explains the piece starts at the earliest: not before the piece's activity, which
         * the thread began instead of waiting, unless its state shows a wait. A Python function may be the wait itself
         * and does not count.
         */
        private long leastStartNs(Piece piece) {
            boolean active = piece.row() >= 0
                    && !piece.ledgerClass().isWaiting()
                    && timeline.kind(piece.row()) != RowKind.PYTHON_FUNCTION;
            return active ? timeline.startNs(piece.row()) : Long.MIN_VALUE;
        }

        private boolean toPool(Piece waiting, ThreadActivity.Sink to) {
            LedgerClass compute = classifier.awaitedCompute(waiting.stateRow(), waiting.row(), waiting.sample());
            long onCpuNs = compute == null ? 0 : pools.onCpuNs(waiting.thread(), waiting.fromNs(), waiting.toNs());
            long queuedNs = compute == null ? 0 : pools.runnableNs(waiting.thread(), waiting.fromNs(), waiting.toNs());
            if (compute == null || onCpuNs + queuedNs == 0 || mayWaitForOthers(compute, waiting)) {
                return false;
            }
            long knownNs = Math.min(waiting.ns(), onCpuNs + queuedNs);
            long computesNs = ThreadStates.shareOfFirst(knownNs, onCpuNs, onCpuNs + queuedNs);
            Shares shares = new Shares(waiting, to);
            shares.give(computesNs, compute, ThreadState.RUNNING);
            shares.give(knownNs - computesNs, LedgerClass.WAIT_RUN_QUEUE, ThreadState.RUNNABLE);
            shares.give(waiting.ns() - knownNs, waiting.ledgerClass(), waiting.state());
            return true;
        }

        /**
         * A native call may as well take from a queue that another thread of the program fills, and an import may wait
         * for another thread's; no operator of a model does.
         */
        private boolean mayWaitForOthers(LedgerClass compute, Piece waiting) {
            return (compute == LedgerClass.CPU_NATIVE || compute == LedgerClass.FRAMEWORK_COMPILE_LOAD)
                    && pools.othersRun(waiting.thread(), waiting.fromNs(), waiting.toNs());
        }

        private boolean toWorkers(Piece waiting, ThreadActivity.Sink to) {
            return hasStates && toWork(waiting, alternation.around(waiting), to);
        }

        /** To the process at the other end of the socket: what its threads do around the wait. */
        private boolean toPeer(Piece waiting, ThreadActivity.Sink to) {
            int state = waiting.stateRow();
            boolean isSocket = state >= 0
                    && WaitReason.of(timeline, state) == WaitReason.SOCKET
                    && timeline.attribute(state, Attribute.OTHER_THREAD) != Attribute.ABSENT;
            return isSocket && toWork(waiting, alternation.around(waiting, threadsOfPeer(waiting)), to);
        }

        private boolean toProcesses(Piece waiting, ThreadActivity.Sink to) {
            boolean mayFollow = hasStates && hasParents && waiting.sample() >= 0;
            return mayFollow
                    && (classifier.waitsForProcess(waiting.sample()) || asksProcesses(waiting))
                    && toWork(waiting, alternation.around(waiting, threadsOfChildren(waiting.thread())), to);
        }

        /**
         * A library that sleeps and looks again whether its processes are done, such as joblib, waits for these. In
         * code of the program's own, the sleeping is what can be changed.
         */
        private boolean asksProcesses(Piece waiting) {
            return waiting.ledgerClass() == LedgerClass.WAIT_TIMER && classifier.sleepsInLibrary(waiting.sample());
        }

        /**
         * A thread that waits for a future or a condition, while a helper of its process waits for child processes,
         * waits for these: the helper passes on their results.
         */
        private boolean toProcessesOfHelper(Piece waiting, ThreadActivity.Sink to) {
            int process = timeline.tracks().get(waiting.thread()).parent();
            return hasStates
                    && hasParents
                    && waiting.sample() >= 0
                    && classifier.sawWaiting(waiting.sample())
                    && children.get().containsKey(process)
                    && helpers.computeIfAbsent(process, WaitFollower.this::hasHelper)
                    && toWork(waiting, alternation.around(waiting, threadsOfChildren(waiting.thread())), to);
        }

        /** A pool's thread that waits for an item waits for the threads that make items, or whose results they wait for. */
        private boolean toFeeders(Piece waiting, ThreadActivity.Sink to) {
            return hasStates
                    && waiting.sample() >= 0
                    && classifier.sawTakingWork(waiting.sample())
                    && toWork(waiting, alternation.around(waiting, feeders(waiting.thread())), to);
        }

        private boolean toWork(Piece waiting, Alternation.Stretch stretch, ThreadActivity.Sink to) {
            if (stretch.workedNs() == 0) {
                return false;
            }
            Shares shares = new Shares(waiting, to);
            long explainedNs = stretch.explainsNs(waiting.ns());
            long doneNs = 0;
            for (Alternation.Work did : stretch.works()) {
                long partNs = ThreadStates.shareOfFirst(doneNs + did.ns(), explainedNs, stretch.workedNs())
                        - ThreadStates.shareOfFirst(doneNs, explainedNs, stretch.workedNs());
                doneNs += did.ns();
                shares.give(partNs, did);
            }
            shares.give(waiting.ns() - explainedNs, waiting.ledgerClass(), waiting.state());
            return true;
        }

        private boolean toChild(Piece waiting, ThreadActivity.Sink to) {
            int process = timeline.tracks().get(waiting.thread()).parent();
            IntervalTree started = children.get().get(process);
            int child = started == null ? -1 : endingFirst(started, waiting);
            int thread = child < 0 ? -1 : mainThread(timeline.track(child));
            if (thread < 0) {
                return false;
            }
            Shares shares = new Shares(waiting, to);
            shares.own(timeline.startNs(child));
            shares.of(thread, timeline.endNs(child));
            shares.own(waiting.toNs());
            return true;
        }

        private int endingFirst(IntervalTree started, Piece waiting) {
            int[] child = {-1};
            started.meeting(waiting.fromNs(), waiting.toNs(), row -> {
                boolean earlier = child[0] < 0
                        || timeline.endNs(row) < timeline.endNs(child[0])
                        || (timeline.endNs(row) == timeline.endNs(child[0]) && row < child[0]);
                child[0] = earlier ? row : child[0];
            });
            return child[0];
        }

        /**
         * Divides a piece of waiting between the waiting thread and those it waited for, so that the parts sum to the
         * piece.
         */
        private final class Shares {
            private final LedgerClass waits;
            private final ThreadState state;
            private final Basis basis;
            private final int thread;
            private final int row;
            private final int sample;
            private final int stateRow;
            private final long fromNs;
            private final long lengthNs;
            private final long ns;
            private final ThreadActivity.Sink to;
            private final Piece piece = new Piece();
            private long cursorNs;

            Shares(Piece waiting, ThreadActivity.Sink to) {
                waits = waiting.ledgerClass();
                state = waiting.state();
                basis = waiting.basis();
                thread = waiting.thread();
                row = waiting.row();
                sample = waiting.sample();
                stateRow = waiting.stateRow();
                fromNs = waiting.fromNs();
                cursorNs = fromNs;
                lengthNs = waiting.toNs() - fromNs;
                ns = waiting.ns();
                this.to = to;
            }

            /** The time that falls on an interval inside the piece, in proportion to its length. */
            private long share(long startNs, long endNs) {
                return ThreadStates.shareOfFirst(endNs - fromNs, ns, lengthNs)
                        - ThreadStates.shareOfFirst(startNs - fromNs, ns, lengthNs);
            }

            private long within(long timeNs) {
                return Math.max(cursorNs, Math.min(timeNs, fromNs + lengthNs));
            }

            /** Attributes the wait up to a time to the waiting thread itself. */
            void own(long untilNs) {
                long endNs = within(untilNs);
                give(share(cursorNs, endNs), cursorNs, endNs);
                cursorNs = endNs;
            }

            private void give(long partNs, long startNs, long endNs) {
                give(partNs, startNs, endNs, waits, state);
            }

            /**
             * Attributes a part of the piece, at no known place inside it, to the waiting thread with another class.
             */
            void give(long partNs, LedgerClass on, ThreadState in) {
                give(partNs, fromNs, fromNs + lengthNs, on, in);
            }

            private void give(long partNs, long startNs, long endNs, LedgerClass on, ThreadState in) {
                if (partNs > 0) {
                    piece.place(thread, row, sample, startNs, endNs);
                    piece.stateRow(stateRow);
                    piece.spent(partNs, on, in, basis.ofPart(partNs, ns));
                    to.take(piece);
                }
            }

            /** Attributes a part of the piece, at no known place inside it, to what another thread did. */
            void give(long partNs, Alternation.Work did) {
                if (did.ledgerClass() == LedgerClass.UNATTRIBUTED) {
                    give(partNs, waits, state);
                } else if (partNs > 0) {
                    Basis both = basis.ofPart(partNs, ns).and(did.basis().ofPart(partNs, did.ns()));
                    piece.place(did.thread(), did.row(), did.sample(), fromNs, fromNs + lengthNs);
                    piece.awaitedAt(row, sample);
                    piece.spent(partNs, did.ledgerClass(), state, both);
                    to.take(piece);
                }
            }

            /** Attributes the wait up to a time to the work of another thread. */
            void of(int giver, long untilNs) {
                long endNs = within(untilNs);
                if (isOnWalk(giver)) {
                    own(endNs);
                    return;
                }
                cover(giver, cursorNs, endNs, new Part(share(cursorNs, endNs), endNs - cursorNs));
                cursorNs = endNs;
            }

            /**
             * Scales the giver's pieces to the waited time, because the taker may have waited during a part of the
             * interval only.
             */
            private final class Part implements ThreadActivity.Sink {
                private final long partNs;
                private final long stretchNs;
                private long doneNs;

                Part(long partNs, long stretchNs) {
                    this.partNs = partNs;
                    this.stretchNs = stretchNs;
                }

                @Override
                public void take(Piece did) {
                    long scaledNs = ThreadStates.shareOfFirst(doneNs + did.ns(), partNs, stretchNs)
                            - ThreadStates.shareOfFirst(doneNs, partNs, stretchNs);
                    doneNs += did.ns();
                    if (scaledNs <= 0) {
                        return;
                    }
                    if (!explains(waits, did.ledgerClass())) {
                        give(scaledNs, did.fromNs(), did.toNs());
                        return;
                    }
                    LedgerClass cause = did.ledgerClass();
                    Basis both = basis.ofPart(scaledNs, ns).and(did.basis().ofPart(scaledNs, did.ns()));
                    piece.place(did.thread(), did.row(), did.sample(), did.fromNs(), did.toNs());
                    piece.awaitedAt(row, sample);
                    piece.stateRow(did.stateRow());
                    piece.spent(scaledNs, cause, state, both);
                    to.take(piece);
                }
            }
        }
    }

    /** Returns whether the giver's class explains the wait better than the wait's own class. */
    static boolean explains(LedgerClass waits, LedgerClass did) {
        if (did == LedgerClass.UNATTRIBUTED || did == LedgerClass.WAIT_UNKNOWN) {
            return false;
        }
        boolean anyReason = waits == LedgerClass.WAIT_UNKNOWN || waits == LedgerClass.WAIT_SOCKET;
        return anyReason || !did.isWaiting() || did.isHostWork();
    }
}
