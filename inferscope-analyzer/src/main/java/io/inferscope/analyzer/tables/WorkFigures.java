package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.collectives.CollectiveTable;
import io.inferscope.analyzer.model.WorkTables;
import org.jspecify.annotations.Nullable;

/** The tables about what devices computed. */
final class WorkFigures {
    private WorkFigures() {}

    static WorkTables of(Analysis analysis, @Nullable ShapeTable operators) {
        if (analysis.devices().isEmpty()) {
            return WorkTables.NONE;
        }
        ModuleTable.Cut modules = ModuleTable.of(analysis);
        return new WorkTables(
                KernelCategories.of(analysis),
                modules.kept(),
                modules.leftOut(),
                SequenceTable.of(analysis),
                QueueTable.of(analysis),
                CollectiveTable.of(analysis),
                ModelUtilisation.of(analysis, operators),
                HloTable.of(analysis));
    }
}
