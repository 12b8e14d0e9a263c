package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.collectives.CollectiveTable;
import io.inferscope.analyzer.model.WorkTables;

/** The tables about what devices computed. */
final class WorkFigures {
    private WorkFigures() {}

    static WorkTables of(Analysis analysis) {
        return analysis.devices().isEmpty()
                ? WorkTables.NONE
                : new WorkTables(
                        KernelCategories.of(analysis),
                        ModuleTable.of(analysis),
                        SequenceTable.of(analysis),
                        QueueTable.of(analysis),
                        CollectiveTable.of(analysis));
    }
}
