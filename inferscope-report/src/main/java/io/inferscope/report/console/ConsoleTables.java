package io.inferscope.report.console;

import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.PlainText;
import io.inferscope.report.console.ConsolePage.Tone;
import io.inferscope.report.tables.Table;
import java.util.ArrayList;
import java.util.List;

/** Tables for a terminal: right-aligned numbers first, then words; the last column is wrapped. */
public record ConsoleTables(ConsolePage page) {
    /** Widest column of words that is not the last. */
    private static final int WORDS = 44;
    /** Least room for the last column; with less, it begins on a line of its own. */
    private static final int ROOM = 24;

    /** Writes a table under its title; nothing for one without rows. */
    public void write(Table table) {
        if (table.rows().isEmpty()) {
            return;
        }
        List<Integer> order = order(table);
        List<String> heads =
                order.stream().map(column -> table.columns().get(column).name()).toList();
        List<List<String>> rows = table.rows().stream()
                .map(row -> order.stream().map(column -> cell(row.get(column))).toList())
                .toList();
        long numbers = table.columns().stream().filter(ConsoleTables::isNumber).count();
        int[] widths = widths(heads, rows, (int) numbers);
        page.blank().line(Tone.STRONG, table.title());
        if (!table.intro().isEmpty()) {
            page.line(Tone.FAINT, table.intro());
        }
        line(Tone.FAINT, heads, widths, (int) numbers);
        rows.forEach(row -> line(Tone.PLAIN, row, widths, (int) numbers));
    }

    private static boolean isNumber(Table.Column column) {
        return column.kind() == Table.Kind.NUMBER;
    }

    private static List<Integer> order(Table table) {
        List<Integer> order = new ArrayList<>();
        for (boolean number : new boolean[] {true, false}) {
            for (int i = 0; i < table.columns().size(); i++) {
                if (isNumber(table.columns().get(i)) == number) {
                    order.add(i);
                }
            }
        }
        return order;
    }

    private static String cell(String text) {
        String clean = PlainText.clean(text, PlainText.SENTENCE);
        return clean.isBlank() ? Units.ABSENT : clean;
    }

    private static int[] widths(List<String> heads, List<List<String>> rows, int numbers) {
        int[] widths = new int[heads.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = heads.get(i).length();
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
            widths[i] = i < numbers ? widths[i] : Math.min(WORDS, widths[i]);
        }
        return widths;
    }

    private void line(Tone tone, List<String> cells, int[] widths, int numbers) {
        StringBuilder lead = new StringBuilder();
        for (int i = 0; i < numbers; i++) {
            lead.append("  ")
                    .append(" ".repeat(widths[i] - cells.get(i).length()))
                    .append(cells.get(i));
        }
        int last = cells.size() - 1;
        int leadWidth = lead.length() + 2;
        for (int i = numbers; i < last; i++) {
            leadWidth += widths[i] + 2;
        }
        if (leadWidth + ROOM > page.width()) {
            String others = String.join("  ", cells.subList(numbers, Math.max(numbers, last)));
            page.wrapped(tone, lead + "  ", "      ", others);
            page.wrapped(tone, "      ", "      ", last < numbers ? "" : cells.get(last));
            return;
        }
        for (int i = numbers; i < last; i++) {
            String cell = PlainText.clean(cells.get(i), WORDS);
            lead.append("  ").append(cell).append(" ".repeat(Math.max(0, widths[i] - cell.length())));
        }
        page.wrapped(tone, lead + "  ", " ".repeat(lead.length() + 2), last < numbers ? "" : cells.get(last));
    }
}
