package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.tables.Tables;

/** Reports waiting for child processes. */
final class ChildProcessRule extends WaitRule {
    /** Less CPU time is within the error of the kernel's count, in ns. */
    private static final double LEAST_UNSEEN_NS = 50e6;

    ChildProcessRule() {
        super("child-process", LedgerClass.WAIT_CHILD_PROCESS);
    }

    @Override
    void more(FindingBuilder finding, Analysis analysis) {
        double unseenNs = unseenNs(analysis);
        if (unseenNs >= LEAST_UNSEEN_NS) {
            finding.quantity("CPU time of children too short-lived to be seen, in the whole recording", unseenNs, "ns");
        }
    }

    /** Returns the CPU time of child processes that lived too shortly to be recorded, in ns. */
    static double unseenNs(Analysis analysis) {
        return Tables.of(analysis).rows(HostTables.MACHINE).stream()
                .filter(counter -> counter.name().equals("host.unseen_children_cpu_ns"))
                .mapToDouble(CounterFigures::most)
                .sum();
    }
}
