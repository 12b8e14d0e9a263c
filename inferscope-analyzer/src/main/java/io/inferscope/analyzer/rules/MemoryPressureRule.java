package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import java.util.List;

/** Reports a control group that is throttled, and memory that was swapped. */
final class MemoryPressureRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        Tables tables = Tables.of(analysis);
        List<CounterFigures> counters = tables.rows(HostTables.MACHINE);
        if (counters.isEmpty()) {
            return new Verdict.NotApplicable("no counters of the machine are recorded");
        }
        Ledger ledger = HostShare.window(analysis);
        long throttledNs = Math.min(
                ledger.durationNs(),
                Math.round(tables.most("host.cgroup_throttled_ns").orElse(0)));
        long stalledNs = Math.min(
                ledger.durationNs(),
                Math.round(tables.most("host.memory_pressure_ns").orElse(0)));
        double swappedBytes = counters.stream()
                .filter(c -> c.name().equals("host.swap_bytes"))
                .mapToDouble(c -> Math.max(0, c.most() - c.first()))
                .sum();
        long costNs = Math.max(throttledNs, stalledNs);
        if (ledger.share(costNs) < leastShare(analysis) && swappedBytes < limit(analysis, "swapped-bytes")) {
            return Verdict.clean("no control group was throttled for long, and memory sufficed");
        }
        boolean throttled = throttledNs >= stalledNs && throttledNs > 0;
        return Verdict.found(finding(ledger, costNs)
                .measure("throttled", Units.duration(throttledNs))
                .measure("stalled", Units.duration(stalledNs))
                .measure("swapped", Units.bytes(Math.round(swappedBytes)))
                .quantity("throttled by the CPU limit", throttledNs, "ns")
                .quantity("stalled for lack of memory", stalledNs, "ns")
                .quantity("swapped out", swappedBytes, "bytes")
                .advice(throttled ? "memory-pressure.throttled" : "memory-pressure", analysis)
                .savesAtMost(costNs, "the limit is lifted"));
    }
}
