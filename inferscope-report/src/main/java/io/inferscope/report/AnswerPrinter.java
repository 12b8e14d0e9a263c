package io.inferscope.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import de.siegmar.fastcsv.writer.CsvWriter;
import io.inferscope.report.common.PlainText;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Prints the rows of a query. Tables are for people: cleaned, aligned and cut. CSV (RFC 4180) and JSON contain every
 * row. In CSV, texts that a spreadsheet or a terminal would execute are escaped; JSON contains them unchanged.
 */
public final class AnswerPrinter {
    private static final String BETWEEN = "  ";

    /** Number of rows between checks whether the output still has a reader. A check flushes the buffer. */
    private static final int LOOK_EVERY_ROWS = 256;

    private final Format format;
    private final PrintWriter out;
    private final int mostRows;
    private final int mostCharacters;
    private final List<String> columns = new ArrayList<>();
    private final List<List<Object>> kept = new ArrayList<>();
    private @Nullable JsonGenerator json;
    private @Nullable CsvWriter csv;
    private long rows;

    /** How rows are printed. */
    public enum Format {
        /** Aligned columns. */
        TABLE,
        /** Comma-separated values with a header. */
        CSV,
        /** An array with an object per row. */
        JSON
    }

    /**
     * Makes a printer.
     *
     * @param mostRows most rows of a table that are printed, the others are counted; 0 prints all
     * @param mostCharacters approximate longest text in a table; longer ones lose their middle
     */
    public AnswerPrinter(Format format, PrintWriter out, int mostRows, int mostCharacters) {
        this.format = format;
        this.out = out;
        this.mostRows = mostRows;
        this.mostCharacters = mostCharacters;
    }

    /** Takes the names of the columns, before any row. */
    public void columns(List<String> names) throws IOException {
        columns.addAll(format == Format.JSON ? toldApart(names) : names);
        if (format == Format.CSV) {
            csv(names);
        } else if (format == Format.JSON) {
            json = JsonFactory.builder()
                    .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                    .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                    .build()
                    .createGenerator(out)
                    .setPrettyPrinter(new DefaultPrettyPrinter()
                            .withObjectIndenter(new DefaultPrettyPrinter.NopIndenter())
                            .withArrayIndenter(new DefaultIndenter("  ", "\n")));
            json.writeStartArray();
        }
    }

    /** Makes names unique, because most readers of JSON keep only one of several equal members. */
    private static Set<String> toldApart(List<String> names) {
        Set<String> members = new LinkedHashSet<>();
        for (String name : names) {
            String member = name;
            for (int i = 2; !members.add(member); i++) {
                member = name + "_" + i;
            }
        }
        return members;
    }

    /** Prints a row: a number, a text or null per column. Returns false once the output has no reader. */
    public boolean row(List<@Nullable Object> values) throws IOException {
        rows++;
        if (format == Format.CSV) {
            csv(values);
        } else if (json != null) {
            object(json, values);
        } else if (mostRows == 0 || rows <= mostRows) {
            kept.add(values.stream()
                    .<Object>map(value -> value instanceof Number ? value : cell(value)) // Some have megabytes.
                    .toList());
        }
        return rows % LOOK_EVERY_ROWS != 0 || !out.checkError();
    }

    /** Prints the remaining rows. */
    public void finish() throws IOException {
        if (json != null) {
            json.writeEndArray();
            json.flush();
            out.write('\n');
        } else if (format != Format.CSV) {
            table();
        }
        out.flush();
    }

    private void csv(List<?> values) {
        if (csv == null) {
            csv = CsvWriter.builder().bufferSize(0).build(out);
        }
        csv.writeRecord(values.stream()
                .map(value -> value == null
                        ? ""
                        : value instanceof Number ? value.toString() : PlainText.csvCell(value.toString()))
                .toList());
    }

    private void object(JsonGenerator generator, List<@Nullable Object> values) throws IOException {
        generator.writeStartObject();
        for (int column = 0; column < columns.size(); column++) {
            generator.writeFieldName(columns.get(column));
            Object value = values.get(column);
            if (value instanceof Double real) {
                generator.writeNumber(real);
            } else if (value instanceof Number number) {
                generator.writeNumber(number.longValue());
            } else if (value == null) {
                generator.writeNull();
            } else {
                generator.writeString(value.toString());
            }
        }
        generator.writeEndObject();
    }

    private void table() throws IOException {
        List<List<String>> lines = new ArrayList<>();
        lines.add(columns.stream().map(this::cell).toList());
        kept.forEach(row -> lines.add(row.stream().map(String::valueOf).toList()));
        int[] widths = new int[columns.size()];
        boolean[] numbers = new boolean[columns.size()];
        for (int column = 0; column < widths.length; column++) {
            int at = column;
            widths[column] =
                    lines.stream().mapToInt(line -> line.get(at).length()).max().orElse(0);
            numbers[column] = kept.stream().allMatch(row -> row.get(at) instanceof Number || "".equals(row.get(at)));
        }
        for (int line = 0; line < lines.size(); line++) {
            line(lines.get(line), widths, numbers);
            if (line == 0) {
                line(Arrays.stream(widths).mapToObj("-"::repeat).toList(), widths, numbers);
            }
        }
        if (rows > kept.size()) {
            out.write("... " + (rows - kept.size()) + " more rows\n");
        }
    }

    private void line(List<String> cells, int[] widths, boolean[] numbers) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String cell = cells.get(column);
            String room = " ".repeat(widths[column] - cell.length());
            line.append(column == 0 ? "" : BETWEEN).append(numbers[column] ? room + cell : cell + room);
        }
        out.write(line.toString().stripTrailing() + "\n");
    }

    private String cell(@Nullable Object value) {
        return value == null ? "" : PlainText.clean(value.toString(), mostCharacters);
    }
}
