package io.inferscope.cli.query;

import io.inferscope.cli.common.Options;
import io.inferscope.formats.sqlite.TimelineQueries;
import io.inferscope.report.AnswerPrinter;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** How commands print the rows of an answer. */
public final class AnswerOptions extends Options {
    private static final int MOST_ROWS = 40;
    private static final int MOST_CHARACTERS = 80;

    private final OptionSpec format =
            option("--format=FORMAT", String.class, "table", "How rows are printed: table (the default), csv, json.");

    private final OptionSpec mostRows = option(
            "--max-rows=N",
            Integer.class,
            Integer.toString(MOST_ROWS),
            "Rows of a table that are printed; the others are counted (default: " + MOST_ROWS
                    + "; 0: all). CSV and JSON have all.");

    public AnswerOptions(CommandSpec spec) {
        super(spec);
    }

    /**
     * Returns the printer. Long texts of a query's answer lose their middle; a list of tables is printed whole, unless
     * fewer rows are asked for.
     */
    public AnswerPrinter printer(boolean ofQuery) {
        int most = mostRows.<Integer>getValue();
        String name = format.getValue();
        AnswerPrinter.@Nullable Format known = Arrays.stream(AnswerPrinter.Format.values())
                .filter(f -> id(f).equals(name))
                .findFirst()
                .orElse(null);
        if (known == null || most < 0) {
            throw misuse(
                    known == null
                            ? "--format " + name + ": expected "
                                    + Arrays.stream(AnswerPrinter.Format.values())
                                            .map(AnswerOptions::id)
                                            .collect(Collectors.joining(", "))
                            : "--max-rows " + most + ": expected 0 or more");
        }
        return new AnswerPrinter(
                known, out(), ofQuery || most != MOST_ROWS ? most : 0, ofQuery ? MOST_CHARACTERS : Integer.MAX_VALUE);
    }

    private static String id(AnswerPrinter.Format format) {
        return format.name().toLowerCase(Locale.ROOT);
    }

    public static TimelineQueries.Answer answer(AnswerPrinter printer) {
        return new TimelineQueries.Answer() {
            @Override
            public void columns(List<String> names) throws IOException {
                printer.columns(names);
            }

            @Override
            public boolean row(List<@Nullable Object> values) throws IOException {
                return printer.row(values);
            }
        };
    }
}
