package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Pools;
import io.inferscope.analyzer.analysis.Pools.Item;
import io.inferscope.analyzer.analysis.Pools.Pool;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Intervals;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reports pools whose threads are all taken while work waits for one of them. */
final class ExhaustedPoolRule extends Rule {
    static final String ID = "exhausted-pool";
    private static final Threshold SHARE = Threshold.of(ID + ".share");
    private static final Threshold BUSY = Threshold.of(ID + ".busy");
    private static final Threshold WAITING = Threshold.of(ID + ".waiting");

    /** Least share of the threads' time in waits for something outside, from which a larger pool does more. */
    private static final double MOSTLY = 0.5;

    /** Samples show less of it, between short waits for work. */
    private static final double KNOWN = 0.25;

    private static final double WORTH_NAMING = 0.1;

    /**
     * Least share of the pool's time in which other threads wait for it. A shorter wait does not prove that they need
     * its results.
     */
    private static final double AWAITED = 0.01;

    private static final int MOST_PLACES = 3;

    /** A pool, the interval in which it took work, and when any of its threads had work. */
    private record Use(Pool pool, Stretch taking, List<Integer> workers, Intervals working) {
        static Use of(Pool pool, Stretch part) {
            Stretch taking = pool.taking(part);
            List<Integer> workers = pool.items().stream()
                    .filter(item -> item.takenNs() >= taking.startNs() && item.takenNs() <= taking.endNs())
                    .map(Item::thread)
                    .distinct()
                    .sorted()
                    .toList();
            Intervals idle = Intervals.of(taking.startNs(), taking.endNs());
            for (int worker : workers) {
                idle = idle.intersect(pool.idle(worker));
            }
            return new Use(pool, taking, workers, idle.complementWithin(taking.startNs(), taking.endNs()));
        }

        /** Returns what the threads did while any of them had work. */
        PoolTime time(Analysis analysis) {
            return new PoolTime(
                    analysis,
                    workers,
                    taking,
                    piece -> 2 * working.totalWithinNs(piece.fromNs(), piece.toNs()) >= piece.toNs() - piece.fromNs());
        }

        /** Returns the threads' time while any of them had work, without waiting for a CPU, in ns. */
        long allNs(PoolTime time) {
            return Math.max(
                    1, workers.size() * working.totalNs() - time.ns(cause -> cause == LedgerClass.WAIT_RUN_QUEUE));
        }

        /** Returns whether the threads mostly wait for something outside the program, so that more would do more. */
        boolean waitsOutside(PoolTime time) {
            long knownNs = allNs(time) - time.ns(cause -> cause == LedgerClass.WAIT_UNKNOWN);
            long outsideNs = time.ns(ExhaustedPoolRule::isOutside);
            return outsideNs >= MOSTLY * knownNs && outsideNs >= KNOWN * allNs(time);
        }

        double busy() {
            long allNs = Math.max(1, workers.size() * taking.durationNs());
            return 1 - (double) Math.min(allNs, pool.idleNs(taking)) / allNs;
        }

        /**
         * Returns whether the pool is one thread that others wait for only to make room in a queue: a pipeline stage,
         * whose speed is its own.
         */
        boolean isStage() {
            return workers.size() == 1 && pool.bounded();
        }

        /** Returns whether other threads wait for the pool's results. */
        boolean isAwaited(Stretch part) {
            return pool.awaitedNs(part) >= Math.max(1, AWAITED * taking.durationNs());
        }

        double waiting() {
            return pool.meanWaiting(taking) * taking.durationNs() / Math.max(1, working.totalNs());
        }

        long longestWaitNs() {
            return pool.items().stream()
                    .filter(item -> item.takenNs() >= taking.startNs() && item.takenNs() <= taking.endNs())
                    .mapToLong(item -> item.takenNs() - item.givenNs())
                    .max()
                    .orElse(0);
        }
    }

    /** The pools that took work, and the one with most waiting items. */
    private record Uses(List<Use> all, @Nullable Use worst) {
        static Uses of(Analysis analysis) {
            Stretch part = analysis.judgedHostStretch();
            List<Use> uses = Pools.of(analysis).stream()
                    .filter(pool -> !pool.items().isEmpty() && !pool.threads().contains(analysis.subjectThread()))
                    .map(pool -> Use.of(pool, part))
                    .filter(use -> use.taking.durationNs() > 0)
                    .toList();
            Use worst = null;
            for (Use use : uses) {
                boolean more = worst == null || use.waiting() > worst.waiting();
                worst = more && isExhausted(analysis, use) ? use : worst;
            }
            return new Uses(uses, worst);
        }
    }

    private static boolean isExhausted(Analysis analysis, Use use) {
        return !use.isStage()
                && HostShare.wall(analysis).share(use.working.totalNs()) >= analysis.threshold(SHARE)
                && use.waiting() >= analysis.threshold(WAITING) * use.workers.size()
                && (use.busy() >= analysis.threshold(BUSY)
                        || (use.isAwaited(analysis.judgedHostStretch()) && use.waitsOutside(use.time(analysis))));
    }

    /**
     * Returns whether a thread submits most of the items that wait for an exhausted pool whose results other threads
     * wait for.
     */
    static boolean isFedBy(Analysis analysis, int track) {
        Use worst = analysis.once(Uses.class, Uses::of).worst;
        if (worst == null || !worst.isAwaited(analysis.judgedHostStretch())) {
            return false;
        }
        List<Item> items = worst.pool.items();
        return 2 * items.stream().filter(item -> item.giver() == track).count() > items.size();
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Uses uses = analysis.once(Uses.class, Uses::of);
        if (uses.all.isEmpty()) {
            return new Verdict.NotApplicable("no work that threads take from a queue is recorded");
        }
        return uses.worst == null
                ? Verdict.clean("no pool has all its threads at work while as many items wait")
                : Verdict.found(finding(analysis, HostShare.wall(analysis), uses.worst));
    }

    private FindingBuilder finding(Analysis analysis, Ledger ledger, Use use) {
        PoolTime time = use.time(analysis);
        long allNs = use.allNs(time);
        long outsideNs = time.ns(ExhaustedPoolRule::isOutside);
        long starvedNs = time.ns(cause -> cause == LedgerClass.WAIT_RUN_QUEUE);
        boolean waits = use.waitsOutside(time);
        boolean eachOther = time.ns(ExhaustedPoolRule::isContended) >= MOSTLY * allNs;
        boolean awaited = use.isAwaited(analysis.judgedHostStretch());
        FindingBuilder finding = finding(ledger, awaited ? costNs(analysis, ledger, use) : 0)
                .measure("all", use.workers.size() == 1 ? "The one thread" : "All " + use.workers.size() + " threads")
                .measure("pool", use.pool.name())
                .measure("taking", Units.duration(use.taking.durationNs()))
                .measure("busy", Units.percent(use.busy()))
                .measure("waiting", Units.fixed(use.waiting(), 1))
                .measure("longest", Units.duration(use.longestWaitNs()))
                .measure("starved", starvedNs >= WORTH_NAMING * allNs ? ", apart from waiting for a CPU" : "")
                .measure("outside", Units.percent((double) outsideNs / allNs))
                .claim(ID, awaited ? "exhausted-pool.awaited" : "exhausted-pool.unawaited")
                .quantity("items waiting, on average", use.waiting(), "count")
                .quantity("threads that take them", use.workers.size(), "count");
        time.places(finding, MOST_PLACES, cause -> cause != LedgerClass.WAIT_UNKNOWN);
        if (!waits || !awaited) {
            finding.severity(Severity.INFO);
        }
        return finding.causes(time.classes((long) (WORTH_NAMING * allNs), cause -> cause != LedgerClass.WAIT_UNKNOWN))
                .advice(
                        waits
                                ? "The threads mostly wait: more of them (`max_workers`), or asynchronous calls, answer more at once."
                                        + bound(
                                                analysis,
                                                use,
                                                " Bound the queue, so that too much work is refused rather than delayed.")
                                : eachOther
                                        ? "More threads will not help: they wait for each other. Shorten the work that they take turns at"
                                                + bound(analysis, use, ", and bound the queue") + "."
                                        : "More threads help only while CPUs are free: make the hottest lines cheaper"
                                                + bound(analysis, use, ", and bound the queue") + ".")
                .noGain("how long more threads would take for each item is not recorded");
    }

    private static long costNs(Analysis analysis, Ledger ledger, Use use) {
        return Math.min(ledger.durationNs(), PoolTime.followedNs(analysis, use.workers::contains));
    }

    /** Returns advice on the queue of a pool that does not keep up even between the times at which work is given. */
    private static String bound(Analysis analysis, Use use, String advice) {
        return use.pool.bounded() || use.busy() < analysis.threshold(BUSY) ? "" : advice;
    }

    private static boolean isOutside(LedgerClass cause) {
        return cause.isWaiting()
                && !cause.isHostWork()
                && cause != LedgerClass.WAIT_UNKNOWN
                && cause != LedgerClass.WAIT_IDLE;
    }

    private static boolean isContended(LedgerClass cause) {
        return cause == LedgerClass.WAIT_GIL || cause == LedgerClass.WAIT_LOCK;
    }
}
