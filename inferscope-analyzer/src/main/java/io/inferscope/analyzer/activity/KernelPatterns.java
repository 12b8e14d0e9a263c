package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.KernelCategory;
import io.inferscope.timeline.KnowledgeTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What a kernel computes, and which library it belongs to, by its name: the table {@code kernels.tsv}, in which the
 * first matching row decides.
 */
public final class KernelPatterns {
    private static final String TABLE = "kernels.tsv";
    private static final String LIBRARY = "library ";

    /**
     * A row of the table.
     *
     * @param means a category, or {@code library} and a name
     * @param pattern is found in the names of such kernels, in lower case
     * @param example the name of such a kernel
     */
    record Row(String means, String pattern, String example) {
        boolean isLibrary() {
            return means.startsWith(LIBRARY);
        }
    }

    private static final List<Row> ROWS =
            KnowledgeTable.read(KernelPatterns.class, TABLE, cells -> new Row(cells[0], cells[1], cells[2]));
    private static final FirstMatch<KernelCategory> CATEGORIES =
            table(row -> !row.isLibrary(), row -> KernelCategory.valueOf(row.means()));
    private static final FirstMatch<String> LIBRARIES =
            table(Row::isLibrary, row -> row.means().substring(LIBRARY.length()));

    /** An operation that begins a word of a name in camel case, as in {@code MulFunctor}; {@code divergence} is none. */
    private static final Pattern OPERATION = Pattern.compile("(?<![A-Za-z])([aA]dd|[mM]ul|[sS]ub|[dD]iv)[A-Z]");

    private KernelPatterns() {}

    private static <T> FirstMatch<T> table(Predicate<Row> wanted, Function<Row, T> meaning) {
        List<FirstMatch.Row<T>> table = new ArrayList<>();
        for (Row row : ROWS) {
            if (wanted.test(row)) {
                table.add(new FirstMatch.Row<>(meaning.apply(row), row.pattern(), 0));
            }
        }
        return new FirstMatch<>(table);
    }

    /** Returns the table. */
    static List<Row> rows() {
        return ROWS;
    }

    /** Returns what a kernel computes. */
    public static KernelCategory category(String kernel) {
        return CATEGORIES
                .in(small(kernel))
                .orElseGet(() -> OPERATION.matcher(kernel).find() ? KernelCategory.ELEMENTWISE : KernelCategory.OTHER);
    }

    /** Returns the library that a kernel belongs to, empty if its name does not show it. */
    public static String library(String kernel) {
        return LIBRARIES.in(small(kernel)).orElse("");
    }

    /** Pattern and name are in lower case: a case-insensitive pattern costs twice as much, and names are long. */
    private static String small(String kernel) {
        return kernel.toLowerCase(Locale.ROOT);
    }
}
