package io.inferscope.fleet;

import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.formats.tables.OutputColumn;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.List;

/**
 * The tables that recordings are summarised in. Tables and columns are only ever added; a change of what a column means
 * is a new column. Columns are rows of {@code fleet-tables.tsv}; docs/fleet.md lists them from here.
 */
public enum FleetTable implements HasStableId {
    TRACE("One row per recording, also for one that could not be read."),
    LEDGER("The time of each class of each ledger. The classes of one subject and part sum to the part exactly."),
    BLAME("Idle time of devices by cause and place, the largest 200 of a recording; the others are summed by device,"
            + " part and cause in rows without a place."),
    FINDING("What rules found, most important first, and rules that failed by a defect."),
    METRIC("Every figure of docs/metrics.md that is known, by its long name."),
    STEP("Steps by name, kind and phase.");

    /** Version of all tables together: grows when a column is added. */
    public static final long SCHEMA_VERSION = 1;

    /**
     * A column.
     *
     * @param column its name and type
     * @param meaning what it holds, for docs
     */
    public record Described(OutputColumn column, String meaning) {}

    private final String meaning;

    @SuppressWarnings("ImmutableEnumChecker") // The list does not change.
    private final List<Described> columns;

    FleetTable(String meaning) {
        this.meaning = meaning;
        columns = KnowledgeTable.read(FleetTable.class, "fleet-tables.tsv", cells -> cells).stream()
                .filter(cells -> cells[0].equals(id()))
                .map(cells -> new Described(OutputColumn.of(cells[1]), cells.length > 2 ? cells[2] : ""))
                .toList();
    }

    /** Returns what the table holds, for docs. */
    public String meaning() {
        return meaning;
    }

    public List<Described> described() {
        return columns;
    }

    public List<OutputColumn> columns() {
        return columns.stream().map(Described::column).toList();
    }

    /** Returns columns of this table by their names, divided by blanks. */
    List<OutputColumn> columns(String names) {
        return List.of(names.split(" ")).stream()
                .map(name -> columns().stream()
                        .filter(column -> column.name().equals(name))
                        .findFirst()
                        .orElseThrow())
                .toList();
    }
}
