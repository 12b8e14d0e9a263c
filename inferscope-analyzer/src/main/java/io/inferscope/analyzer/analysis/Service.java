package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.ThreadActivity;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Pools.Item;
import io.inferscope.analyzer.analysis.Pools.Pool;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.blame.BlameAmounts.Phase;
import io.inferscope.analyzer.blame.DividedTime;
import io.inferscope.analyzer.blame.PhaseStepCursor;
import io.inferscope.analyzer.knowledge.FrameRole;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A process, or the worker processes of one server, that answer several requests at once with several threads; and when
 * each thread served requests.
 *
 * <pre>
 *   requests    [a       ]     [c     ]
 *                 [b         ]
 *   event loop  p.p...p..p.p...p....p        p: in a task, or at work; . : waits for the next event, serves no request
 *   worker 1     [a   ]         [c  ]         from the take of a call to the wait for the next one
 *   worker 2        [b    ]
 * </pre>
 *
 * <p>A handler is a thread that the recorder of the requests names. If each request has its own handler, the handler
 * serves from the request's arrival to its answer. A process's single handler of requests that overlap serves whenever it
 * is not waiting for events. A thread to which handlers give work serves while it has work.
 */
public final class Service {
    private static final int FEWEST = 5;

    /** Requests that are open at once, on average, from which a process is a concurrent service. */
    private static final double AT_ONCE = 1.5;

    /** The part of the requests' time from which the one thread that served it stands for all, unless they overlap. */
    private static final double MOST_OF_ONE = 0.5;

    /**
     * So many sampled threads stand for others of their kind: the share of a cause is then off by at most 22 points, 19
     * times of 20 (binomial).
     */
    private static final int ENOUGH = 20;

    /** The part of a thread's time from which it served all the time. */
    private static final double BACK_TO_BACK = 0.95;

    private final Stretch stretch;
    private final Map<Integer, Intervals> serving;
    private final Set<Integer> loops;
    private final boolean[] inTask;
    private final Timeline timeline;
    private final boolean concurrent;

    private Service(
            Timeline timeline,
            Stretch stretch,
            Map<Integer, Intervals> serving,
            Set<Integer> loops,
            boolean concurrent) {
        this.timeline = timeline;
        this.concurrent = concurrent;
        this.stretch = stretch;
        this.serving = serving;
        this.loops = loops;
        this.inTask = inTask(timeline.stacks());
    }

    /**
     * Finds the process that answered most requests, with the other workers of its server; empty if the requests did not
     * overlap or one thread served them all.
     *
     * @param rows the rows of requests
     */
    static Optional<Service> find(Timeline timeline, int[] rows, List<Pool> pools) {
        Map<String, List<Integer>> byServer = new TreeMap<>();
        for (int row : rows) {
            int process = timeline.tracks().get(timeline.track(row)).parent();
            if (process >= 0 && timeline.durationNs(row) > 0) {
                byServer.computeIfAbsent(server(timeline, process), s -> new ArrayList<>())
                        .add(row);
            }
        }
        return byServer.values().stream()
                .max(Order.comparingInt(List::size))
                .flatMap(most -> of(timeline, most, pools));
    }

    /**
     * Returns what the worker processes of one server have in common: the process that started them, and their name; the
     * process alone where its parent was not recorded.
     */
    private static String server(Timeline timeline, int process) {
        Track worker = timeline.tracks().get(process);
        int parent = Threads.parent(timeline, process);
        return parent < 0 ? worker.key() : timeline.tracks().get(parent).key() + " " + worker.name();
    }

    private static Optional<Service> of(Timeline timeline, List<Integer> rows, List<Pool> pools) {
        Intervals.Builder union = new Intervals.Builder(16);
        Map<Integer, Intervals.Builder> handlers = new HashMap<>();
        Map<Integer, Long> handledNs = new HashMap<>();
        long totalNs = 0;
        for (int row : rows) {
            union.add(timeline.startNs(row), timeline.endNs(row));
            totalNs += timeline.durationNs(row);
            int handler = Threads.servedBy(timeline, row);
            handlers.computeIfAbsent(handler, t -> new Intervals.Builder(16))
                    .add(timeline.startNs(row), timeline.endNs(row));
            handledNs.merge(handler, timeline.durationNs(row), Long::sum);
        }
        handlers.remove(-1);
        Intervals open = union.build();
        if (rows.size() < FEWEST || handlers.isEmpty()) {
            return Optional.empty();
        }
        boolean concurrent = totalNs >= AT_ONCE * open.totalNs();
        if (!concurrent && Collections.max(handledNs.values()) >= MOST_OF_ONE * totalNs) {
            return Optional.empty();
        }
        Map<Integer, Intervals> serving = new TreeMap<>();
        handlers.forEach((track, times) -> serving.put(track, times.build()));
        Map<Integer, List<Integer>> handlersOf = handlers.keySet().stream()
                .collect(Collectors.groupingBy(
                        track -> timeline.tracks().get(track).parent()));
        Set<Integer> loops = handlersOf.values().stream()
                .filter(ofProcess -> ofProcess.size() == 1)
                .map(ofProcess -> ofProcess.get(0))
                .filter(track -> handledNs.getOrDefault(track, 0L)
                        > serving.getOrDefault(track, Intervals.EMPTY).totalNs())
                .collect(Collectors.toUnmodifiableSet());
        for (Pool pool : pools) {
            boolean fed = pool.items().stream().anyMatch(item -> handlers.containsKey(item.giver()));
            for (int track : fed ? pool.threads() : List.<Integer>of()) {
                if (!handlers.containsKey(track)) {
                    Intervals jobs = jobs(pool.items(), track, open);
                    serving.merge(track, jobs, (a, b) -> a);
                }
            }
        }
        serving.values().removeIf(Intervals::isEmpty);
        if (serving.size() < 2) {
            return Optional.empty();
        }
        Stretch stretch = new Stretch(open.startNs(0), open.endNs(open.count() - 1));
        return Optional.of(new Service(timeline, stretch, serving, loops, concurrent));
    }

    /**
     * Returns when a thread had a job while requests were open: from the take of an item until it waited for the next.
     */
    private static Intervals jobs(List<Item> items, int track, Intervals open) {
        List<Item> own = items.stream()
                .filter(item -> item.thread() == track)
                .sorted(Order.comparingLong(Item::takenNs))
                .toList();
        Intervals.Builder jobs = new Intervals.Builder(16);
        for (int i = 0; i < own.size(); i++) {
            long fromNs = own.get(i).takenNs();
            long untilNs = i + 1 < own.size() ? own.get(i + 1).idleSinceNs() : fromNs;
            if (untilNs > fromNs) {
                jobs.add(fromNs, untilNs);
            }
        }
        return jobs.build().intersect(open);
    }

    /**
     * Returns, by stack, whether an event loop runs it in a task or callback. A line of Python that calls a compiled loop,
     * as its own waits show, starts it: what Python follows is a task. A stack's id is greater than its caller's, so one
     * pass suffices.
     */
    public static boolean[] inTask(Stacks stacks) {
        boolean[] inTask = new boolean[stacks.count()];
        BitSet starts = linesThatStartLoops(stacks);
        for (int stack = 0; stack < inTask.length; stack++) {
            int caller = stacks.caller(stack);
            inTask[stack] = caller >= 0
                    && (inTask[caller]
                            || FrameRole.isCalledByLoop(stacks, stack)
                            || (stacks.frame(stack).isPython() && starts.get(stacks.frameNameId(caller))));
        }
        return inTask;
    }

    private static BitSet linesThatStartLoops(Stacks stacks) {
        BitSet starts = new BitSet();
        for (int stack = 0; stack < stacks.count(); stack++) {
            int caller = stacks.caller(stack);
            Frame frame = stacks.frame(stack);
            if (caller >= 0 && !frame.library().isEmpty() && FrameRole.COMPILED_LOOP.of(frame)) {
                starts.set(stacks.frameNameId(caller));
            }
        }
        return starts;
    }

    /** Returns from the first arrival to the last answer. */
    public Stretch stretch() {
        return stretch;
    }

    /**
     * Returns whether the process of a thread that serves nothing here started this server, whose requests come one after
     * the other: it is their client.
     */
    boolean isAskedBy(int thread) {
        int server = timeline.tracks().get(serving.keySet().iterator().next()).parent();
        int client = thread < 0 ? -1 : timeline.tracks().get(thread).parent();
        return !concurrent && server >= 0 && client >= 0 && Threads.parent(timeline, server) == client;
    }

    /** Returns when each serving thread served, by track. */
    public Map<Integer, Intervals> serving() {
        return serving;
    }

    /** Returns, in words, the threads whose time is judged. */
    public String subject() {
        int thread = serving.keySet().iterator().next();
        List<Integer> processes = serving.keySet().stream()
                .map(track -> timeline.tracks().get(track).parent())
                .distinct()
                .toList();
        String of = processes.size() == 1
                ? "process " + Threads.process(timeline, thread)
                : processes.size() + " processes of "
                        + timeline.tracks()
                                .get(Threads.parent(timeline, processes.get(0)))
                                .name();
        return serving.size() + " threads of " + of;
    }

    /**
     * The time of the serving threads while they served, by cause.
     *
     * @param ledger of all of them together
     * @param amounts the same by thread, cause and place
     */
    public record Time(Ledger ledger, List<Amount> amounts) {}

    /** Returns the time of the threads by cause. */
    Time explain(Threads threads, ActivityClassifier classifier) {
        DividedTime time = new DividedTime(classifier, PhaseStepCursor.none(), null);
        long[] totalNs = {0};
        time.begin(stretch.startNs(), stretch.endNs());
        time.next();
        pieces(threads, piece -> {
            totalNs[0] += piece.ns();
            time.take(piece);
        });
        time.end();
        Ledger ledger = time.ledger(Phase.SPAN).build(subject(), LedgerPart.REQUESTS, totalNs[0]);
        return new Time(ledger, time.whole().all());
    }

    /** Gives the pieces of the threads' time while they served, each as long as the time that it stands for. */
    public void pieces(Threads threads, ThreadActivity.Sink sink) {
        Map<Integer, Crowd> crowds = crowds(threads);
        long[] accepting = new long[2];
        serving.forEach((track, served) -> threads.explain(track, served, piece -> {
            if (accepts(track, piece)) {
                accepting[waitsForClients(piece) ? 0 : 1] += piece.ns();
            }
        }));
        double more = accepting[1] == 0 ? 1 : 1 + (double) accepting[0] / accepting[1];
        serving.forEach((track, served) -> {
            Crowd crowd = crowds.getOrDefault(track, new Crowd());
            double factor = crowd.factor(track);
            if (factor == 0) {
                return;
            }
            double stood = factor * wholeOfSeen(threads, track, served);
            Unseen unseen = crowd.unseen;
            threads.explain(track, served, piece -> {
                double stands = partOfService(track, piece)
                        * stood
                        * unseen.factor(track, piece)
                        * (more == 1 || !accepts(track, piece) ? 1 : waitsForClients(piece) ? 0 : more);
                if (stands > 0) {
                    long ns = Math.round(piece.ns() * stands);
                    sink.take(stands == 1 ? piece : piece.standingFor(ns, crowd.weightNs()));
                }
            });
        });
    }

    /**
     * Returns whether a piece is of another thread and before a request's own thread began: it accepts the connection. Its
     * wait for one ended when it came; where in an interval of the sampler that was is not known.
     */
    private boolean accepts(int track, ThreadPiece piece) {
        return piece.thread() != track && piece.toNs() <= timeline.startNs(timeline.firstRow(track));
    }

    private static boolean waitsForClients(ThreadPiece piece) {
        return piece.ledgerClass() == LedgerClass.WAIT_SOCKET || piece.ledgerClass() == LedgerClass.WAIT_IDLE;
    }

    /**
     * Returns by how much the time of a thread in requests counts such that it makes up for the waits that belong between
     * them: a wait's place in an interval of the sampler is not known, the requests' lengths are.
     */
    private double wholeOfSeen(Threads threads, int track, Intervals served) {
        if (served.totalNs() >= BACK_TO_BACK * (served.endNs(served.count() - 1) - served.startNs(0))) {
            return 1;
        }
        long[] ns = new long[2];
        threads.explain(track, served, piece -> ns[isBetweenRequests(track, piece) ? 1 : 0] += piece.ns());
        return ns[0] == 0 ? 1 : (double) (ns[0] + ns[1]) / ns[0];
    }

    /** Returns whether a wait was seen only where its thread served no request. */
    private boolean isBetweenRequests(int track, ThreadPiece piece) {
        if (piece.sample() < 0
                || piece.thread() != track
                || !piece.ledgerClass().isWaiting()) {
            return false;
        }
        long lookedNs = timeline.attribute(piece.sample(), Attribute.LOOKED_NS);
        long fromNs = timeline.startNs(piece.sample()) + (lookedNs == Attribute.ABSENT ? 0 : lookedNs);
        long toNs = lookedNs == Attribute.ABSENT ? timeline.endNs(piece.sample()) : fromNs + 1;
        return serving.getOrDefault(track, Intervals.EMPTY).totalWithinNs(fromNs, toNs) == 0;
    }

    /**
     * Threads of one process whose names differ only in numbers, such as a thread for each request. Many of them live too
     * briefly to be sampled; those that were sampled stand for them.
     */
    private static final class Crowd {
        private final Set<Integer> seen = new HashSet<>();
        private final Unseen unseen = new Unseen();
        private long seenNs;
        private long unseenNs;

        /** Returns by how much the time of a thread counts, 0 where others stand for it. */
        double factor(int track) {
            if (seen.size() < ENOUGH || unseenNs == 0) {
                return 1;
            }
            return seen.contains(track) ? (double) (seenNs + unseenNs) / seenNs : 0;
        }

        /** Returns the time that one sampled thread stands for. */
        long weightNs() {
            return (seenNs + unseenNs) / Math.max(1, seen.size());
        }
    }

    /**
     * Time of sampled threads of a crowd between samples, of which only counts at the thread's end are known: how long it
     * was on a CPU, and how long blocked. What was seen of the crowd on a CPU, or blocked, stands for it.
     */
    private static final class Unseen {
        private static final int WORKS = 0;
        private static final int WAITS = 1;
        private static final int NEITHER = 2;

        private final long[] seenNs = new long[NEITHER];
        private final long[] unseenNs = new long[NEITHER];

        void add(int track, ThreadPiece piece) {
            int kind = kind(track, piece);
            if (kind != NEITHER) {
                (isUnseen(track, piece) ? unseenNs : seenNs)[kind] += piece.ns();
            }
        }

        /** Returns by how much a piece counts. */
        double factor(int track, ThreadPiece piece) {
            int kind = kind(track, piece);
            boolean known = kind == NEITHER || unseenNs[kind] == 0 || seenNs[kind] == 0;
            return known ? 1 : isUnseen(track, piece) ? 0 : 1 + (double) unseenNs[kind] / seenNs[kind];
        }

        /** A followed wait is a wait, whatever the awaited thread did. */
        private static int kind(int track, ThreadPiece piece) {
            if (piece.thread() != track) {
                return WAITS;
            }
            return switch (piece.state()) {
                case RUNNING -> WORKS;
                case RUNNABLE, NOT_RECORDED -> NEITHER;
                default -> WAITS;
            };
        }

        private static boolean isUnseen(int track, ThreadPiece piece) {
            boolean unknown =
                    piece.ledgerClass() == LedgerClass.UNATTRIBUTED || piece.ledgerClass() == LedgerClass.WAIT_UNKNOWN;
            return unknown && piece.thread() == track && piece.describingRow() < 0;
        }
    }

    /** Returns each serving thread's crowd, by track. */
    private Map<Integer, Crowd> crowds(Threads threads) {
        Map<String, Crowd> byKind = new HashMap<>();
        Map<Integer, Crowd> crowds = new HashMap<>();
        serving.forEach((track, served) -> {
            Crowd crowd = byKind.computeIfAbsent(Pools.kind(timeline, track), kind -> new Crowd());
            crowds.put(track, crowd);
            if (threads.activity(track).isSampled()) {
                crowd.seen.add(track);
                crowd.seenNs += served.totalNs();
            } else {
                crowd.unseenNs += served.totalNs();
            }
        });
        byKind.values().stream()
                .filter(crowd -> crowd.seen.size() >= ENOUGH)
                .forEach(crowd -> crowd.seen.forEach(track -> addSeen(threads, track, crowd.unseen)));
        return crowds;
    }

    private void addSeen(Threads threads, int track, Unseen unseen) {
        threads.explain(track, serving.getOrDefault(track, Intervals.EMPTY), piece -> {
            if (partOfService(track, piece) > 0) {
                unseen.add(track, piece);
            }
        });
    }

    /**
     * Returns which part of a piece counts as service. Of a wait that was followed to another serving thread, the part in
     * which that one served does not: its own time counts already.
     */
    private double partOfService(int track, ThreadPiece piece) {
        if (piece.thread() == track) {
            return servesNobody(piece) || isBetweenRequests(track, piece) ? 0 : 1;
        }
        long ownNs = serving.getOrDefault(piece.thread(), Intervals.EMPTY).totalWithinNs(piece.fromNs(), piece.toNs());
        return 1 - (double) ownNs / Math.max(1, piece.toNs() - piece.fromNs());
    }

    /** Returns whether in a piece the single handler of a process's requests waited for an event outside of any task. */
    public boolean servesNobody(ThreadPiece piece) {
        boolean waits = piece.ledgerClass().isWaiting() && !piece.ledgerClass().isHostWork();
        long stack = piece.sample() < 0 ? -1 : timeline.attribute(piece.sample(), Attribute.STACK);
        return loops.contains(piece.thread()) && waits && (stack < 0 || !inTask[(int) stack]);
    }
}
