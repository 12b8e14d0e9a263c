package io.inferscope.report.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.ColumnKind;
import io.inferscope.analyzer.model.Columns;
import io.inferscope.analyzer.model.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RowTableTest {
    private record Line(
            String name, String callers, @Nullable Long ns) implements Row {
        @Override
        public void columns(Columns to) {
            to.add("name", ColumnKind.NAME, "Line", name);
            to.add("callers", ColumnKind.NAME_OR_NONE, "Called from", callers);
            to.add("ns", ColumnKind.NS_OR_NONE, "Time", ns);
        }
    }

    private static Table table(Line... lines) {
        return RowTable.of("Lines", "", List.of(lines), 0, 0);
    }

    @Test
    void aColumnOfTextThatAllRowsLackIsLeftOut() {
        Table table = table(new Line("a.py:1", "", 2_000L), new Line("", "", null));

        assertThat(table.columns()).extracting(Table.Column::name).containsExactly("Line", "Time");
        assertThat(table.rows()).containsExactly(List.of("a.py:1", "2.00 us"), List.of("", "-"));
    }

    @Test
    void aColumnThatOneRowHasIsShownInAll() {
        Table table = table(new Line("a.py:1", "", null), new Line("b.py:2", "c.py:3", null));

        assertThat(table.columns()).extracting(Table.Column::name).containsExactly("Line", "Called from", "Time");
        assertThat(table.rows()).containsExactly(List.of("a.py:1", "", "-"), List.of("b.py:2", "c.py:3", "-"));
    }
}
