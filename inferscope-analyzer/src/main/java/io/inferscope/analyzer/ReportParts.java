package io.inferscope.analyzer;

import io.inferscope.analyzer.model.FigureTables;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.Failure;
import io.inferscope.analyzer.model.Row;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.TableNotes;
import io.inferscope.analyzer.model.TableRows;
import io.inferscope.analyzer.tables.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Makes the parts of a report one by one. If one fails by a defect, the report lacks that part and names it. */
final class ReportParts {
    /** The tables that the console reads. */
    private static final Set<TableId<?>> CONSOLE =
            Set.of(Report.DEVICES, Report.KERNELS, Report.OPERATORS, Report.SCOPES, Report.THREADS);

    private final boolean detailed;
    private final List<Failure> failures = new ArrayList<>();

    /** Makes a report with or without the details that the console does not show. */
    ReportParts(boolean detailed) {
        this.detailed = detailed;
    }

    /**
     * Makes a part.
     *
     * @param part its name if it fails
     * @param otherwise its value if it fails
     */
    <T> T at(String part, T otherwise, Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException | StackOverflowError e) {
            failed(Failure.of(part, e));
            return otherwise;
        }
    }

    /** Makes a list; empty if that fails. */
    <T> List<T> list(String part, Supplier<List<T>> work) {
        return at(part, List.of(), work);
    }

    /**
     * Makes the tables of a report, those of the critical path if {@code withPath}; without details, those alone that
     * the console shows.
     */
    TableRows tables(Tables of, boolean withPath) {
        TableRows made = new TableRows();
        for (TableId<?> table : Tables.all()) {
            boolean shown = CONSOLE.contains(table)
                    && (table != Report.OPERATORS || made.rows(Report.DEVICES).isEmpty());
            if (detailed ? withPath || !table.isOfPath() : shown) {
                add(made, of, table);
            }
        }
        return made.with(detailed ? at("notes on tables", TableNotes.NONE, () -> of.notes(withPath)) : TableNotes.NONE);
    }

    private <R extends Record & Row> void add(TableRows made, FigureTables of, TableId<R> table) {
        made.with(table, list("table " + table, () -> of.rows(table)));
    }

    /** Adds a failure from elsewhere. */
    void failed(Failure failure) {
        failures.add(failure);
    }

    /** Returns the parts that failed. */
    List<Failure> failures() {
        return List.copyOf(failures);
    }
}
