package io.inferscope.report.json;

import io.inferscope.analyzer.model.BlankRow;
import io.inferscope.analyzer.model.ColumnKind;
import io.inferscope.analyzer.model.Columns;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Row;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists the columns of a row as a table in Markdown; of those of rows inside it the description begins with the name of these. */
final class Described implements Columns {
    private final String prefix;
    private final StringBuilder lines;
    private final List<Class<?>> inside;
    private @Nullable Described pending;

    private Described(String prefix, StringBuilder lines, List<Class<?>> inside) {
        this.prefix = prefix;
        this.lines = lines;
        this.inside = inside;
    }

    static String table(Class<?> type) {
        Described table = of(type);
        return "\n| Member | Type | What it is |\n| --- | --- | --- |\n" + table.lines;
    }

    /** Returns the types of the rows and parts inside a row. */
    static List<Class<?>> inside(Class<?> type) {
        return of(type).inside;
    }

    private static Described of(Class<?> type) {
        Described table = new Described("", new StringBuilder(), new ArrayList<>());
        ((Row) BlankRow.of(type.asSubclass(Record.class))).columns(table);
        return table;
    }

    private Columns line(String id, String type) {
        lines.append("| `").append(id).append("` | ").append(type).append(" | ").append(prefix);
        return this;
    }

    @Override
    public Columns take(String id, ColumnKind kind, String heading, Object blank) {
        return line(id, kind.type());
    }

    @Override
    public void doc(String doc) {
        lines.append(doc).append(" |\n");
        if (pending != null) {
            lines.append(pending.lines);
            pending = null;
        }
    }

    @Override
    public <T extends Record & Row> Columns rows(String id, Class<T> type, List<T> blank) {
        inside.add(type);
        pending = new Described("of `" + id + "`: ", new StringBuilder(), inside);
        BlankRow.of(type).columns(pending);
        return line(id, "array");
    }

    @Override
    public <T extends Record & Row> void part(Class<T> type, T part) {
        inside.add(type);
        part.columns(this);
    }

    @Override
    public void classes(Ledger blank) {
        line("classes", "array").doc("as in `ledgers`: what the time went to");
    }
}
