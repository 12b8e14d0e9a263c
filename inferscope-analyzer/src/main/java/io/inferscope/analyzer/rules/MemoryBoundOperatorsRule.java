package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import java.util.List;

/** Reports a model on the CPU that waits for memory. */
final class MemoryBoundOperatorsRule extends Rule {
    /** Bytes loaded by one miss of the last cache level, on x86 and most Arm CPUs. */
    private static final int CACHE_LINE_BYTES = 64;

    @Override
    public Verdict evaluate(Analysis analysis) {
        Tables tables = Tables.of(analysis);
        double cycles = tables.most("perf.cycles").orElse(-1);
        double instructions = tables.most("perf.instructions").orElse(-1);
        double misses = tables.most("perf.cache_misses").orElse(-1);
        if (cycles <= 0 || instructions <= 0 || misses < 0) {
            return new Verdict.NotApplicable(
                    "no processor counters are recorded (--perf, where the machine shows them)");
        }
        Ledger ledger = HostShare.window(analysis);
        long costNs = ledger.ns(LedgerClass.CPU_MODEL_COMPUTE);
        double perCycle = instructions / cycles;
        double missesPerThousand = 1_000 * misses / instructions;
        if (ledger.share(costNs) < leastShare(analysis)
                || perCycle >= limit(analysis, "instructions-per-cycle")
                || missesPerThousand < limit(analysis, "misses")) {
            return Verdict.clean(Units.fixed(perCycle, 2) + " instructions per cycle, "
                    + Units.fixed(missesPerThousand, 1) + " cache misses per thousand of them; the model computes "
                    + Units.percent(ledger.share(costNs)) + " of the window");
        }
        FindingBuilder finding = finding(ledger, costNs)
                .measure("ipc", Units.fixed(perCycle, 2))
                .measure("misses", Units.fixed(missesPerThousand, 1))
                .quantity("instructions per cycle", perCycle, "")
                .quantity("cache misses per thousand instructions", missesPerThousand, "");
        long onCpuNs = tables.rows(Report.THREADS).stream()
                .mapToLong(ThreadFigures::recordedCpuNs)
                .sum();
        if (onCpuNs > 0) {
            double rate = misses * CACHE_LINE_BYTES / (onCpuNs / 1e9);
            finding.quantity("read from memory per second of CPU time, at least", rate, "bytes/s");
        }
        HostShare.places(finding, analysis, List.of(LedgerClass.CPU_MODEL_COMPUTE));
        return Verdict.found(HostShare.operators(finding, analysis).advice(analysis));
    }
}
