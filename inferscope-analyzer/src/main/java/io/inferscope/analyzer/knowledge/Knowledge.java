package io.inferscope.analyzer.knowledge;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What names mean: the tables of patterns beside this class, in each of which the first matching row decides. */
public final class Knowledge {
    /**
     * A row of a table.
     *
     * @param means what the table tells of such names
     * @param pattern of such names
     * @param example such a name
     */
    public record Row(String means, String pattern, String example) {}

    /**
     * What names of a pattern mean. The pattern is compiled when a name first contains one of its words: most programs
     * show few of the names, and compiling all patterns takes longer than the analysis of a small trace.
     */
    public static final class Meaning<T> {
        private final T means;
        private final String regex;

        /** Those of which a match contains one; empty if it may contain none; null until a name is compared. */
        private @Nullable List<String> words;

        /** What the last comparison used, for the next one; null while a comparison uses it, and before the first. */
        private final AtomicReference<@Nullable Matcher> spare = new AtomicReference<>();

        /** Names of a pattern mean this. */
        public Meaning(T means, String regex) {
            this.means = means;
            this.regex = regex;
        }

        private boolean mayHold(String text) {
            List<String> known = words;
            if (known == null) {
                known = PatternTable.words(regex);
                words = known;
            }
            String letters = regex.startsWith(PatternTable.ANY_CASE) ? text.toLowerCase(Locale.ROOT) : text;
            for (String word : known) {
                if (letters.contains(word)) {
                    return true;
                }
            }
            return known.isEmpty();
        }

        private boolean holds(String text, Predicate<Matcher> question) {
            if (!mayHold(text)) {
                return false;
            }
            Matcher matcher = spare.getAndSet(null);
            matcher = matcher == null ? Pattern.compile(regex).matcher(text) : matcher.reset(text);
            boolean holds = question.test(matcher);
            spare.set(matcher.reset(""));
            return holds;
        }
    }

    private Knowledge() {}

    /** Returns the rows of a table, in its order. */
    public static List<Row> rows(String table) {
        return KnowledgeTable.read(Knowledge.class, table, cells -> new Row(cells[0], cells[1], cells[2]));
    }

    /** Returns patterns and meanings, in order; neighbours that mean the same are one pattern. */
    public static <T> List<PatternTable.Row<T>> patterns(List<Row> rows, Function<Row, T> meaning) {
        List<PatternTable.Row<T>> table = new ArrayList<>();
        int from = 0;
        for (int i = 1; i <= rows.size(); i++) {
            if (i == rows.size() || !rows.get(i).means().equals(rows.get(from).means())) {
                String pattern = String.join(
                        "|", rows.subList(from, i).stream().map(Row::pattern).toList());
                table.add(new PatternTable.Row<>(meaning.apply(rows.get(from)), pattern, 0));
                from = i;
            }
        }
        return table;
    }

    /** Returns the patterns of a table whose meanings are classes of time. */
    public static List<Meaning<LedgerClass>> classes(String table) {
        return patterns(rows(table), Knowledge::ledgerClass).stream()
                .map(row -> new Meaning<>(row.means(), row.regex()))
                .toList();
    }

    /** Returns patterns of names in any case, and their rows. */
    public static List<PatternTable.Row<Row>> inAnyCase(String table) {
        return patterns(rows(table), row -> row).stream()
                .map(row -> new PatternTable.Row<>(row.means(), row.regex(), Pattern.CASE_INSENSITIVE))
                .toList();
    }

    /** Returns the class that a row means; what follows a blank says more. */
    public static LedgerClass ledgerClass(Row row) {
        return LedgerClass.valueOf(row.means().split(" ", 2)[0]);
    }

    /** Returns the meaning of the first row whose pattern is that of the whole text, null for none. */
    public static <T> @Nullable T whole(List<Meaning<T>> rows, String text) {
        for (Meaning<T> row : rows) {
            if (row.holds(text, Matcher::matches)) {
                return row.means;
            }
        }
        return null;
    }

    /** Returns the meaning of the first row whose pattern is found in a text, null for none. */
    public static <T> @Nullable T found(List<Meaning<T>> rows, String text) {
        for (Meaning<T> row : rows) {
            if (row.holds(text, Matcher::find)) {
                return row.means;
            }
        }
        return null;
    }
}
