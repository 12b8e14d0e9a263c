package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.FramePatterns;
import io.inferscope.analyzer.activity.Piece;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Pools.Item;
import io.inferscope.analyzer.analysis.Pools.Pool;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.blame.BlameAmounts.Phase;
import io.inferscope.analyzer.blame.Cuts;
import io.inferscope.analyzer.blame.DividedTime;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A process that answers several requests at once with several threads, and when each thread served requests.
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
 * serves from the request's arrival to its answer. A single handler of all requests serves whenever it is not waiting
 * for events. A thread to which handlers give work serves while it has work.
 */
public final class Service {
    private static final int FEWEST = 5;

    /** Requests that are open at once, on average, from which a process is a concurrent service. */
    private static final double AT_ONCE = 1.5;

    private final Stretch stretch;
    private final Map<Integer, Intervals> serving;
    private final int loop;
    private final boolean[] inTask;
    private final Timeline timeline;

    private Service(Timeline timeline, Stretch stretch, Map<Integer, Intervals> serving, int loop) {
        this.timeline = timeline;
        this.stretch = stretch;
        this.serving = serving;
        this.loop = loop;
        this.inTask = inTask(timeline.stacks());
    }

    /**
     * Finds the process that answered most requests; empty if its requests did not overlap or one thread served them
     * all.
     *
     * @param rows the rows of requests
     */
    static Optional<Service> find(Timeline timeline, int[] rows, List<Pool> pools) {
        Map<Integer, List<Integer>> byProcess = new TreeMap<>();
        for (int row : rows) {
            int process = timeline.tracks().get(timeline.track(row)).parent();
            if (process >= 0 && timeline.durationNs(row) > 0) {
                byProcess.computeIfAbsent(process, p -> new ArrayList<>()).add(row);
            }
        }
        return byProcess.entrySet().stream()
                .max(Map.Entry.<Integer, List<Integer>>comparingByValue(Comparator.comparingInt(List::size))
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .flatMap(most -> of(timeline, most.getKey(), most.getValue(), pools));
    }

    private static Optional<Service> of(Timeline timeline, int process, List<Integer> rows, List<Pool> pools) {
        Intervals.Builder union = new Intervals.Builder(16);
        Map<Integer, Intervals.Builder> handlers = new HashMap<>();
        long totalNs = 0;
        for (int row : rows) {
            union.add(timeline.startNs(row), timeline.endNs(row));
            totalNs += timeline.durationNs(row);
            handlers.computeIfAbsent(servedBy(timeline, row), t -> new Intervals.Builder(16))
                    .add(timeline.startNs(row), timeline.endNs(row));
        }
        handlers.remove(-1);
        Intervals open = union.build();
        if (rows.size() < FEWEST || handlers.isEmpty() || totalNs < AT_ONCE * open.totalNs()) {
            return Optional.empty();
        }
        Map<Integer, Intervals> serving = new TreeMap<>();
        handlers.forEach((track, times) -> serving.put(track, times.build()));
        for (Pool pool : pools) {
            boolean fed = pool.process() == process
                    && pool.items().stream().anyMatch(item -> handlers.containsKey(item.giver()));
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
        int loop = handlers.size() == 1 ? handlers.keySet().iterator().next() : -1;
        return Optional.of(new Service(timeline, stretch, serving, loop));
    }

    /**
     * Returns when a thread had a job while requests were open: from the take of an item until it waited for the next.
     */
    private static Intervals jobs(List<Item> items, int track, Intervals open) {
        List<Item> own = items.stream()
                .filter(item -> item.thread() == track)
                .sorted(Comparator.comparingLong(Item::takenNs))
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
     * Returns the track of the thread that served a request: the thread that the recorder names, otherwise the first of
     * the process; -1 if neither is known.
     */
    public static int servedBy(Timeline timeline, int request) {
        int process = timeline.tracks().get(timeline.track(request)).parent();
        if (process < 0) {
            return -1;
        }
        long tid = timeline.attribute(request, Attribute.OTHER_THREAD);
        int named = tid == Attribute.ABSENT ? -1 : timeline.knownTrack(TrackKind.THREAD, process, Long.toString(tid));
        String pid = timeline.tracks().get(process).key();
        return named >= 0 ? named : timeline.knownTrack(TrackKind.THREAD, process, pid);
    }

    /**
     * Returns, by stack, whether it contains an event loop's frame that runs a task or callback. A stack's id is
     * greater than its caller's, so one pass suffices.
     */
    public static boolean[] inTask(Stacks stacks) {
        boolean[] inTask = new boolean[stacks.count()];
        for (int stack = 0; stack < inTask.length; stack++) {
            int caller = stacks.caller(stack);
            inTask[stack] = caller >= 0 && (inTask[caller] || FramePatterns.runsTask(stacks.frame(caller)));
        }
        return inTask;
    }

    /** Returns from the first arrival to the last answer. */
    public Stretch stretch() {
        return stretch;
    }

    /** Returns when each serving thread served, by track. */
    public Map<Integer, Intervals> serving() {
        return serving;
    }

    /** Returns, in words, the threads whose time is judged. */
    public String subject() {
        int thread = serving.keySet().iterator().next();
        return serving.size() + " threads of process " + Threads.process(timeline, thread);
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
        DividedTime time = new DividedTime(classifier, Cuts.none(), null);
        long[] totalNs = {0};
        serving.forEach((track, served) -> {
            for (int i = 0; i < served.count(); i++) {
                time.begin(served.startNs(i), served.endNs(i));
                while (time.next()) {
                    threads.explain(track, time.partStartNs(), time.partEndNs(), piece -> {
                        if (isService(track, piece)) {
                            totalNs[0] += piece.ns();
                            time.take(piece);
                        }
                    });
                }
            }
        });
        time.end();
        Ledger ledger = time.ledger(Phase.SPAN).build(subject(), LedgerPart.REQUESTS, totalNs[0]);
        return new Time(ledger, time.whole().all());
    }

    /**
     * Returns whether a piece counts as service. A wait that was followed to another serving thread does not: that
     * thread's own time counts already.
     */
    private boolean isService(int track, Piece piece) {
        return piece.thread() == track ? !servesNobody(piece) : !serving.containsKey(piece.thread());
    }

    /** Returns whether in a piece the single handler of all requests waited for an event outside of any task. */
    public boolean servesNobody(Piece piece) {
        boolean waits = piece.ledgerClass().isWaiting() && !piece.ledgerClass().isHostWork();
        long stack = piece.sample() < 0 ? -1 : timeline.attribute(piece.sample(), Attribute.STACK);
        return piece.thread() == loop && waits && (stack < 0 || !inTask[(int) stack]);
    }
}
