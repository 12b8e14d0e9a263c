package io.inferscope.analyzer.activity;

import static io.inferscope.analyzer.model.LedgerClass.WAIT_CHILD_PROCESS;
import static io.inferscope.analyzer.model.LedgerClass.WAIT_SOCKET;
import static io.inferscope.analyzer.model.LedgerClass.WAIT_TIMER;
import static io.inferscope.analyzer.model.LedgerClass.WAIT_UNKNOWN;

import io.inferscope.analyzer.calls.IdleWaits;
import io.inferscope.analyzer.model.AmountBasis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.ThreadState;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Explains time in which a thread only waited by what the awaited thread did over the same interval: along the first of
 * its {@link #routes} that leads anywhere.
 *
 * <p>The giver's work during the wait is its cause: the wait gets the giver's class and the giver's line. If the giver
 * itself waited for a third thread, that thread is followed in turn. If the giver only waited for something outside the
 * program, that is the cause of a wait for a socket, or of one without a reason; other waits stay the taker's. A taker
 * that polls waits until the item is given, though it is on a CPU or ready for one.
 *
 * <p>Before a thread was started there is nothing of its own to explain: what counts then is what its starter did, of a
 * native thread the process' main thread; after it has ended, the main thread.
 *
 * <p>A walk visits no thread twice and takes at most {@link #MOST_STEPS} steps.
 */
final class WaitFollower {
    private static final int MOST_STEPS = 8;

    /** A state with more waits for some threads than this part of it may wait for them. */
    private static final double LEAST_OF_WAIT = 0.1;

    /** So many rows around a state are searched for another reason to wait. */
    private static final int FARTHEST = 1000;

    private final Timeline timeline;
    private final Threads threads;
    private final HandOverWaits handOvers;
    private final ChildProcesses children;
    private final AlternatingThreads alternation;

    /** By class of a wait, in the order in which they are tried. */
    private final Map<LedgerClass, List<WaitRoute>> routes = new EnumMap<>(LedgerClass.class);

    /** By track: when the thread lived. An array, because it is read for each interval that is explained. */
    private final @Nullable Life[] lives;

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
        this.lives = new Life[timeline.tracks().size()];
        this.hasStates = timeline.has(Attribute.ON_CPU_NS);
        this.handOvers = new HandOverWaits(timeline, threads);
        this.children = new ChildProcesses(timeline, threads);
        this.alternation = new AlternatingThreads(timeline, threads, classifier);
        add(handOvers, LedgerClass.values());
        add(new NativePools(threads, classifier), WAIT_UNKNOWN);
        add(new SocketWaits(timeline, threads), WAIT_UNKNOWN, WAIT_SOCKET);
        add(children, WAIT_CHILD_PROCESS);
        if (hasStates) {
            add(new WorkerProcesses(classifier, children), WAIT_UNKNOWN, WAIT_SOCKET, WAIT_TIMER);
            add(alternation, WAIT_UNKNOWN);
            add(new ProcessHelpers(timeline, threads, classifier, children), WAIT_UNKNOWN);
            add(new PoolFeeders(threads, classifier, alternation), WAIT_UNKNOWN);
        }
    }

    private void add(WaitRoute route, LedgerClass... waits) {
        for (LedgerClass wait : waits) {
            routes.computeIfAbsent(wait, w -> new ArrayList<>()).add(route);
        }
    }

    /**
     * Splits {@code [fromNs, toNs)} of a thread into pieces. Waits for other threads become the pieces of those
     * threads.
     */
    void cover(int track, long fromNs, long toNs, ThreadActivity.Sink sink) {
        if (!handOvers.areRecorded() && !children.areRecorded() && !hasStates) {
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
            new Walk().cover(track, bornNs, endedNs, sink);
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
            starter = starter < 0 ? handOvers.starter(row) : starter;
        }
        if (!counted) {
            return Life.UNKNOWN;
        }
        int main = threads.main(threads.process(track));
        int before = starter >= 0 ? starter : main;
        int after = main >= 0 ? main : starter;
        return new Life(
                before < 0 || before == track ? Long.MIN_VALUE : timeline.startNs(timeline.firstRow(track)),
                after < 0 || after == track ? Long.MAX_VALUE : endNs,
                before,
                after);
    }

    /**
     * One walk from waiting thread to awaited thread: {@code walked} holds its threads, beginning with the explained
     * one.
     */
    final class Walk {
        private final int[] walked = new int[MOST_STEPS];
        private int steps;

        private void cover(int track, long fromNs, long toNs, ThreadActivity.Sink to) {
            if (!hasStates && !children.areRecorded() && !handOvers.mayWait(track, fromNs, toNs)) {
                threads.activity(track).cover(fromNs, toNs, to);
                return;
            }
            walked[steps++] = track;
            long cursorNs = fromNs;
            for (int row : handOvers.polls(track, fromNs, toNs)) {
                long startNs = Math.max(cursorNs, timeline.startNs(row));
                long endNs = Math.min(toNs, handOvers.untilNs(row));
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
        private void poll(ThreadPiece piece, ThreadActivity.Sink to) {
            spend(piece, LedgerClass.WAIT_SOCKET);
            follow(piece, to);
        }

        private boolean isOnWalk(int track) {
            for (int i = 0; i < steps; i++) {
                if (walked[i] == track) {
                    return true;
                }
            }
            return false;
        }

        private void follow(ThreadPiece waiting, ThreadActivity.Sink to) {
            LedgerClass seen = waiting.ledgerClass();
            boolean idles = seen == LedgerClass.WAIT_IDLE;
            if (steps > 1 && 2 * waitedForWalkNs(waiting.thread(), waiting.fromNs(), waiting.toNs()) > waiting.ns()) {
                spend(waiting, WAIT_UNKNOWN); // Each waits for the other.
                to.take(waiting);
                return;
            }
            if (steps > 1 && isForWalk(waiting.stateRow())) {
                idles = false;
                spend(waiting, besideClients(waiting.stateRow()));
            } else if (steps > 1 && idles) {
                // Another thread waits for this one, which idles only if nothing but clients can end its wait.
                spend(waiting, blockedIn(waiting.stateRow()));
            }
            boolean followed = false;
            List<WaitRoute> ways = routes.getOrDefault(waiting.ledgerClass(), List.of());
            for (int way = 0; way < ways.size() && !followed && steps < MOST_STEPS; way++) {
                followed = ways.get(way).follow(waiting, this, to);
            }
            if (!followed) {
                if (idles && IdleWaits.isForClients(timeline, waiting.stateRow())) {
                    spend(waiting, seen);
                }
                to.take(waiting);
            }
        }

        /** Returns whether a state waits for clients, and these are threads that wait for its thread. */
        private boolean isForWalk(int state) {
            return state >= 0
                    && IdleWaits.isForClients(timeline, state)
                    && waitedForWalkNs(timeline.track(state), timeline.startNs(state), timeline.endNs(state))
                            > LEAST_OF_WAIT * timeline.durationNs(state);
        }

        private long waitedForWalkNs(int track, long fromNs, long toNs) {
            return handOvers.waitedNs(track, fromNs, toNs, this::isOnWalk);
        }

        private static void spend(ThreadPiece piece, LedgerClass on) {
            piece.spent(piece.ns(), on, piece.state(), piece.basis());
        }

        /**
         * Explains a wait by what some threads did around it, but those that wait for it; returns whether they did
         * anything.
         */
        boolean toWork(ThreadPiece waiting, int[] others, ThreadActivity.Sink to) {
            boolean anyOnWalk = Arrays.stream(others).anyMatch(this::isOnWalk);
            AlternatingThreads.Stretch stretch = alternation.around(
                    waiting,
                    anyOnWalk
                            ? Arrays.stream(others)
                                    .filter(other -> !isOnWalk(other))
                                    .toArray()
                            : others);
            if (stretch.workedNs() == 0) {
                return false;
            }
            Shares shares = new Shares(waiting, to);
            long explainedNs = stretch.explainsNs(waiting.ns());
            long doneNs = 0;
            for (AlternatingThreads.Work did : stretch.works()) {
                long partNs = ThreadStates.shareOfFirst(doneNs + did.ns(), explainedNs, stretch.workedNs())
                        - ThreadStates.shareOfFirst(doneNs, explainedNs, stretch.workedNs());
                doneNs += did.ns();
                shares.give(partNs, did);
            }
            shares.give(waiting.ns() - explainedNs, waiting.ledgerClass(), waiting.state());
            return true;
        }

        Shares shares(ThreadPiece waiting, ThreadActivity.Sink to) {
            return new Shares(waiting, to);
        }

        /**
         * Divides a piece of waiting between the waiting thread and those it waited for, so that the parts sum to the
         * piece.
         */
        final class Shares {
            private final LedgerClass waits;
            private final ThreadState state;
            private final AmountBasis basis;
            private final int thread;
            private final int row;
            private final int sample;
            private final int stateRow;
            private final long fromNs;
            private final long lengthNs;
            private final long ns;
            private final ThreadActivity.Sink to;
            private final ThreadPiece piece = new ThreadPiece();
            private long cursorNs;

            Shares(ThreadPiece waiting, ThreadActivity.Sink to) {
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
            void give(long partNs, AlternatingThreads.Work did) {
                if (did.ledgerClass() == LedgerClass.UNATTRIBUTED) {
                    give(partNs, waits, state);
                } else if (partNs > 0) {
                    AmountBasis both = basis.ofPart(partNs, ns).and(did.basis().ofPart(partNs, did.ns()));
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
                public void take(ThreadPiece did) {
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
                    AmountBasis both =
                            basis.ofPart(scaledNs, ns).and(did.basis().ofPart(scaledNs, did.ns()));
                    piece.place(did.thread(), did.row(), did.sample(), did.fromNs(), did.toNs());
                    piece.awaitedAt(row, sample);
                    piece.stateRow(did.stateRow());
                    piece.spent(scaledNs, cause, state, both);
                    to.take(piece);
                }
            }
        }
    }

    private LedgerClass blockedIn(int state) {
        return ThreadState.blockedIn(timeline, state).ledgerClass();
    }

    /**
     * Returns what a thread waits for that serves one of its clients in part of a state. A state has one reason, that of
     * its last wait: waits for something else have the reason of the nearest state with another one.
     */
    private LedgerClass besideClients(int state) {
        int first = timeline.firstRow(timeline.track(state));
        int end = timeline.endRow(timeline.track(state));
        for (int away = 1; away <= FARTHEST; away++) {
            for (int row : new int[] {state - away, state + away}) {
                if (row >= first && row < end && timeline.kind(row) == RowKind.THREAD_STATE) {
                    LedgerClass reason = blockedIn(row);
                    if (reason.isWaiting() && reason != WAIT_UNKNOWN && reason != WAIT_SOCKET) {
                        return reason;
                    }
                }
            }
        }
        return WAIT_UNKNOWN;
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
