package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Pools;
import io.inferscope.analyzer.analysis.Pools.Pool;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reports pools whose threads pass through a lock one by one. */
final class LockSerialisedPoolRule extends Rule {
    static final String ID = "lock-serialised-pool";
    private static final Threshold SHARE = Threshold.of(ID + ".share");
    private static final Threshold AT_WORK = Threshold.of(ID + ".at-work");
    private static final Threshold CONTENDED = Threshold.of(ID + ".contended");
    private static final int MOST_PLACES = 2;

    /** The threads of a pool that wait for locks, and their times. */
    private record Turns(Pool pool, List<Integer> threads, PoolTime time) {
        static Turns of(Analysis analysis, Pool pool, Stretch part) {
            List<Integer> threads = pool.threads().stream()
                    .filter(track -> isHeldUp(time(analysis, List.of(track), part)))
                    .toList();
            return new Turns(pool, threads, time(analysis, threads, part));
        }

        private static PoolTime time(Analysis analysis, List<Integer> threads, Stretch part) {
            return new PoolTime(
                    analysis,
                    threads,
                    part,
                    piece -> piece.ledgerClass() != LedgerClass.WAIT_LOCK
                            || Contention.mayBeLock(analysis.classifier(), piece));
        }

        private static boolean isHeldUp(PoolTime one) {
            return 4 * lockNs(one) >= workNs(one) && lockNs(one) > 0;
        }

        static long lockNs(PoolTime time) {
            return time.ns(cause -> cause == LedgerClass.WAIT_LOCK);
        }

        /**
         * The time in which threads had work, in ns. Waits without a known reason are no work; nor are waits for the
         * GIL, because the lock does not cause them.
         */
        static long workNs(PoolTime time) {
            return time.ns(cause -> cause != LedgerClass.WAIT_LOCK
                    && cause != LedgerClass.WAIT_GIL
                    && cause != LedgerClass.WAIT_UNKNOWN
                    && cause != LedgerClass.UNATTRIBUTED);
        }

        long meanLockNs() {
            return threads.isEmpty() ? 0 : lockNs(time) / threads.size();
        }

        /** Returns how many threads work at once, on average over the time in which they have work. */
        double atWork() {
            long inUseNs = lockNs(time) + workNs(time);
            return inUseNs == 0 ? 0 : (double) threads.size() * workNs(time) / inUseNs;
        }
    }

    /**
     * The pool whose threads wait longest for a lock and take turns, null for none; and the threads of all such pools.
     */
    private record Worst(@Nullable Turns turns, Set<Integer> threads) {
        static Worst of(Analysis analysis) {
            if (!analysis.threadStatesRecorded() || analysis.threadLedger().isEmpty()) {
                return new Worst(null, Set.of());
            }
            Stretch part = analysis.judgedHostStretch();
            Ledger ledger = HostShare.wall(analysis);
            Turns worst = null;
            Set<Integer> threads = new HashSet<>();
            for (Pool pool : Pools.of(analysis)) {
                if (pool.threads().size() < 2) {
                    continue;
                }
                Turns turns = Turns.of(analysis, pool, part);
                boolean serial = turns.threads.size() >= 2
                        && ledger.share(turns.meanLockNs()) >= analysis.threshold(SHARE)
                        && turns.atWork() <= analysis.threshold(AT_WORK)
                        && Contention.of(analysis, turns.threads, part).share() >= analysis.threshold(CONTENDED);
                if (serial) {
                    threads.addAll(pool.threads());
                }
                worst = serial && (worst == null || turns.meanLockNs() > worst.meanLockNs()) ? turns : worst;
            }
            return new Worst(worst, threads);
        }
    }

    /**
     * Returns whether the threads that the program mostly waits for take turns at a lock: more threads would not help.
     */
    static boolean takesTurns(Analysis analysis) {
        Set<Integer> threads = analysis.once(Worst.class, Worst::of).threads;
        return !threads.isEmpty()
                && 2 * PoolTime.followedNs(analysis, threads::contains) > PoolTime.followedNs(analysis, thread -> true);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Turns worst = analysis.once(Worst.class, Worst::of).turns;
        return worst == null
                ? Verdict.clean("no pool's threads take turns at a lock")
                : Verdict.found(finding(analysis, HostShare.wall(analysis), worst));
    }

    private FindingBuilder finding(Analysis analysis, Ledger ledger, Turns turns) {
        FindingBuilder finding = finding(ledger, Math.min(ledger.durationNs(), turns.meanLockNs()))
                .measure("count", Units.count(turns.threads.size()))
                .measure("pool", turns.pool.name())
                .measure("at work", Units.fixed(turns.atWork(), 1));
        turns.time.places(finding, MOST_PLACES, cause -> cause == LedgerClass.WAIT_LOCK);
        turns.time.places(finding, MOST_PLACES, cause -> !cause.isWaiting() && cause != LedgerClass.UNATTRIBUTED);
        return finding.causes(List.of(LedgerClass.WAIT_LOCK))
                .advice(analysis)
                .noGain("how much of the work needs the lock is not recorded");
    }
}
