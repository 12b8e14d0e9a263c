package io.inferscope.analyzer.knowledge;

import io.inferscope.analyzer.model.KernelCategory;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What a kernel computes, and which library it belongs to, by its name: the table {@code kernels.tsv}, in which the
 * first matching row decides.
 */
public final class KernelPatterns {
    private static final String TABLE = "kernels.tsv";
    private static final String LIBRARY = "library ";

    private static final List<Knowledge.Row> ROWS = Knowledge.rows(TABLE);
    private static final PatternTable<KernelCategory> CATEGORIES =
            table(row -> !isLibrary(row), row -> KernelCategory.valueOf(row.means()));
    private static final PatternTable<String> LIBRARIES =
            table(KernelPatterns::isLibrary, row -> row.means().substring(LIBRARY.length()));

    private KernelPatterns() {}

    private static <T> PatternTable<T> table(Predicate<Knowledge.Row> wanted, Function<Knowledge.Row, T> meaning) {
        return new PatternTable<>(
                Knowledge.patterns(ROWS.stream().filter(wanted).toList(), meaning));
    }

    /** Returns whether a row of the table tells a library. */
    public static boolean isLibrary(Knowledge.Row row) {
        return row.means().startsWith(LIBRARY);
    }

    /** Returns what a kernel computes. */
    public static KernelCategory category(String kernel) {
        return CATEGORIES
                .in(small(kernel))
                .orElseGet(() -> NameRole.ELEMENTWISE.in(kernel) ? KernelCategory.ELEMENTWISE : KernelCategory.OTHER);
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
