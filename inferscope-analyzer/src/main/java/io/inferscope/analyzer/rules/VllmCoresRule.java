package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.ProcessFact;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Reports a vLLM server with fewer CPU cores than it has busy processes. */
final class VllmCoresRule extends Rule {
    private static final String LIMIT = "run.host.cgroup.cpu_limit_cores";

    /** The API server and the engine core; each GPU's worker comes on top (vLLM's documentation, CPU resources). */
    private static final int WITHOUT_WORKERS = 2;

    @Override
    public Verdict evaluate(Analysis analysis) {
        Map<String, String> properties = analysis.timeline().properties();
        Collection<String> roles = ProcessFact.ROLE.all(analysis.timeline()).values();
        long workers = roles.stream().filter(NameRole.ENGINE_WORKER::in).count();
        if (roles.stream().noneMatch(NameRole.ENGINE_PROCESS::in)) {
            return notApplicable("unrecorded");
        }
        String limit = properties.getOrDefault(LIMIT, "");
        if (!limit.matches("\\d{1,6}(\\.\\d{1,6})?")) {
            return new Verdict.NotApplicable("how many cores the program may use is not limited, or not recorded");
        }
        double cores = Double.parseDouble(limit);
        long wanted = WITHOUT_WORKERS
                + Math.max(workers, Math.max(1, analysis.devices().size()));
        if (cores >= wanted) {
            return Verdict.clean(limit + " cores suffice for " + wanted + " busy processes");
        }
        Ledger ledger = HostShare.window(analysis);
        long costNs = ledger.ns(LedgerClass.WAIT_RUN_QUEUE);
        return Verdict.found(finding(ledger, costNs)
                .severity(Severity.WARNING)
                .measure("cores", limit)
                .measure("wanted", Units.count(wanted))
                .quantity("cores that the program may use", cores, "count")
                .quantity("cores that it needs", wanted, "count")
                .advice(analysis)
                .saves(analysis, List.of(LedgerClass.WAIT_RUN_QUEUE), "a CPU is always free"));
    }
}
