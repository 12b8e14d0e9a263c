package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.ThreadTime;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.HostTables.PlaceFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Set;

/** Reports work of other threads and processes that the host thread waits for. Basis and threshold: docs/rules/waiting-for-worker.md. */
final class WaitingForWorkerRule implements Rule {
    @Override
    public RuleInfo info() {
        return new RuleInfo(
                "waiting-for-worker", "The program waits for a worker of its own", Set.of(Needs.HOST_ACTIVITY));
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = analysis.threadLedger().orElse(analysis.ledger());
        if (analysis.tables().host().time().isEmpty()) {
            return new Verdict.NotApplicable("neither hand-overs between threads nor stacks are recorded");
        }
        ThreadTime time = analysis.tables().time();
        long costNs = time.followedNs(ledger);
        if (ledger.share(costNs) < analysis.threshold("waiting-for-worker.share")) {
            return Verdict.clean("work of other threads that is waited for takes " + Units.percent(ledger.share(costNs))
                    + " of the window");
        }
        List<ThreadTime.Function> functions = time.functions(PlaceFigures::followed);
        FindingBuilder finding = FindingBuilder.of("waiting-for-worker", ledger, costNs)
                .measure(
                        "worker",
                        functions.isEmpty() ? "others" : functions.get(0).thread())
                .claim(
                        "The thread that is judged waits {cost}, {share} of the {part}, for what other threads of the program do,"
                                + " above all {worker}.")
                .evidence(new Evidence.Quantity("waited for other threads", costNs, "ns"));
        functions.stream()
                .limit(4)
                .forEach(f -> finding.evidence(
                        new Evidence.Place(f.cause().label() + " in " + f.thread(), f.hottest(), f.ns(), 1)));
        return Verdict.found(finding.advice(
                        "Make the worker's hottest lines cheaper, use more workers, or let them work further ahead"
                                + " (`num_workers`, `prefetch_factor`, a longer queue).")
                .savesAtMost(costNs, "the workers are always ahead"));
    }
}
