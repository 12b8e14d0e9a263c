package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The table of counters of the machine, of processes and of models. */
final class MachineTable {
    /** By name. */
    private static final Map<String, String> DESCRIPTIONS =
            KnowledgeTable.read(MachineTable.class, "counters.tsv", cells -> Map.entry(cells[0], cells[1])).stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));

    private MachineTable() {}

    static Table of(List<CounterFigures> counters) {
        return new Table(
                "Machine and memory",
                "Counters read during the recording: memory, swap, limits of the control group and what they cost, and the driver's counters of devices.",
                columns(texts("Counter"), names("Process"), numbers("First", "Last", "Least", "Most")),
                counters.stream()
                        .map(c -> List.of(
                                DESCRIPTIONS.getOrDefault(c.name(), c.name()),
                                c.process(),
                                value(c.plainName(), c.first()),
                                value(c.plainName(), c.last()),
                                value(c.plainName(), c.least()),
                                value(c.plainName(), c.most())))
                        .toList());
    }

    private static String value(String name, double value) {
        if (!Double.isFinite(value)) {
            return "";
        }
        if (name.endsWith("_bytes")) {
            return Units.bytes(value);
        }
        return name.endsWith("_ns")
                ? Units.duration(Math.round(value))
                : value == Math.rint(value)
                        ? Units.count(Math.round(value))
                        : String.format(Locale.ROOT, "%.3g", value);
    }
}
