package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.HandOverChannels;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.analyzer.tables.ThreadTime;
import io.inferscope.timeline.HandOver;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reports work of other threads and processes that the host thread waits for. */
final class WaitingForWorkerRule extends Rule {
    static final String ID = "waiting-for-worker";

    private static final int MOST_PLACES = 4;

    @Override
    public Verdict evaluate(Analysis analysis) {
        boolean judged = analysis.devices().isEmpty();
        Ledger ledger =
                judged ? HostShare.judged(analysis) : analysis.threadLedger().orElse(analysis.ledger());
        if (Tables.of(analysis).rows(HostTables.HOST_TIME).isEmpty()) {
            return new Verdict.NotApplicable("neither hand-overs between threads nor stacks are recorded");
        }
        ThreadTime time =
                judged ? Tables.of(analysis).judgedTime() : Tables.of(analysis).time();
        long costNs = time.followedNs(ledger);
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("work of other threads that is waited for takes " + ledger.shareOfPart(costNs));
        }
        List<ThreadTime.Function> working = time.functions(
                p -> p.followed() && !p.cause().isWaiting() && !ThreadTime.isModels(p.cause(), analysis));
        List<ThreadTime.Function> held = time.functions(
                p -> p.followed() && p.cause().isWaiting() && p.cause().isHostWork());
        boolean engines = ledger.share(time.followedBesideEnginesNs(ledger)) < leastShare(analysis);
        FindingBuilder finding = finding(ledger, costNs)
                .measure(
                        "worker",
                        working.isEmpty() ? "" : ", above all " + working.get(0).thread())
                .measure("engine", engines ? " Nearly all of it is the engine's own work." : "")
                .quantity("waited for other threads", costNs, "ns");
        boolean locked = 2 * lockedNs(held) >= costNs && !RecordingProperty.TAKES_TURNS.holds(analysis);
        (locked ? Stream.concat(held.stream(), working.stream()) : Stream.concat(working.stream(), held.stream()))
                .limit(MOST_PLACES)
                .forEach(f -> finding.place(f.label() + " in " + f.thread(), f.hottest(), f.ns(), 1));
        if (engines) {
            finding.severity(Severity.INFO);
        }
        String topic = locked ? "waiting-for-worker.lock" : topic(working, HandOverChannels.of(analysis), analysis);
        return Verdict.found(finding.advice(topic, analysis)
                .causes((locked ? held : working)
                        .stream().map(ThreadTime.Function::cause).toList())
                .workersAhead(analysis));
    }

    /** Returns how long the workers wait for locks, in ns. */
    private static long lockedNs(List<ThreadTime.Function> held) {
        return held.stream()
                .filter(function -> function.cause() == LedgerClass.WAIT_LOCK)
                .mapToLong(ThreadTime.Function::ns)
                .sum();
    }

    /** Returns whether at least half of the work is the passing of data between processes. */
    private static boolean passesData(List<ThreadTime.Function> working) {
        long passingNs = working.stream()
                .filter(f -> NameRole.PASSES_DATA.in(f.hottest()))
                .mapToLong(ThreadTime.Function::ns)
                .sum();
        return passingNs > 0
                && 2 * passingNs
                        >= working.stream().mapToLong(ThreadTime.Function::ns).sum();
    }

    /**
     * Returns what is advised by the means of the wait (queue, pipe and the like). Without a recorded means, the thread
     * waited for a child process, or for threads that work only while it waits.
     */
    private static String topic(List<ThreadTime.Function> working, Optional<HandOver> means, Analysis analysis) {
        if (passesData(working)) {
            return "waiting-for-worker.data";
        }
        return means.map(m -> switch (m) {
                    case QUEUE, PIPE -> "waiting-for-worker.queue";
                    case FUTURE, EVENT -> "waiting-for-worker.pool";
                    case SOCKET -> "waiting-for-worker.socket";
                    case LOCK -> "waiting-for-worker.lock";
                    case START -> "waiting-for-worker.start";
                })
                .orElseGet(() -> RecordingProperty.PASSING_CHILDREN.holds(analysis)
                        ? "waiting-for-worker.child"
                        : "waiting-for-worker.queue");
    }
}
