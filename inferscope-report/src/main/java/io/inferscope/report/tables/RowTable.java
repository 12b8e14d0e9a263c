package io.inferscope.report.tables;

import io.inferscope.analyzer.model.ColumnKind;
import io.inferscope.analyzer.model.Columns;
import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Row;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.TableNotes.PathSize;
import io.inferscope.analyzer.model.Units;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes tables of rows: the columns that have a heading, with values as text for people. A column of text that all rows
 * lack is left out.
 */
final class RowTable implements Columns {
    private final long zeroNs;
    private final long wholeNs;
    private final List<Table.Column> columns = new ArrayList<>();

    /** The indices of columns of text that a row may lack. */
    private final BitSet optionalTexts = new BitSet();

    private final List<String> cells = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    private RowTable(long zeroNs, long wholeNs) {
        this.zeroNs = zeroNs;
        this.wholeNs = wholeNs;
    }

    /** Returns a table of a report, with its own title and introduction. */
    static Table of(Report report, TableId<?> id) {
        return of(report, id, id.intro());
    }

    /** Returns a table of a report with an introduction that depends on it. */
    static Table of(Report report, TableId<?> id, String intro) {
        PathSize path = report.notesOnTables().path();
        long wholeNs = path == null ? 0 : path.pathNs();
        return of(id.title(), intro, report.rows(id), report.window().startNs(), wholeNs);
    }

    /**
     * Returns a table of rows.
     *
     * @param zeroNs zero of points in time
     * @param wholeNs the total for shares
     */
    static Table of(String title, String intro, List<? extends Row> rows, long zeroNs, long wholeNs) {
        RowTable table = new RowTable(zeroNs, wholeNs);
        for (Row row : rows) {
            row.columns(table);
            table.rows.add(List.copyOf(table.cells));
            table.cells.clear();
        }
        return table.build(title, intro);
    }

    /** Returns the table without the columns whose text every row lacks. */
    private Table build(String title, String intro) {
        int[] kept = IntStream.range(0, columns.size())
                .filter(column -> !optionalTexts.get(column)
                        || rows.stream().anyMatch(row -> !row.get(column).isEmpty()))
                .toArray();
        return new Table(
                title,
                intro,
                pick(columns, kept),
                rows.stream().map(row -> pick(row, kept)).toList());
    }

    private static <T> List<T> pick(List<T> all, int[] indices) {
        return IntStream.of(indices).mapToObj(all::get).toList();
    }

    @Override
    public Columns take(String id, ColumnKind kind, String heading, @Nullable Object value) {
        if (!heading.isEmpty()) {
            shown(kind, heading, value);
        }
        return this;
    }

    @Override
    public void shown(ColumnKind kind, String heading, @Nullable Object value) {
        if (rows.isEmpty()) {
            optionalTexts.set(columns.size(), kind.isOptional() && kindOf(kind) != Table.Kind.NUMBER);
            columns.add(new Table.Column(heading, kindOf(kind)));
        }
        cells.add(value == null ? none(kind) : value instanceof String text ? text(kind, text) : cell(kind, value));
    }

    @Override
    public void basis(boolean estimated, long boundNs) {
        shown(ColumnKind.WORDS, "Basis", ReportTables.basis(estimated, boundNs));
    }

    private static Table.Kind kindOf(ColumnKind kind) {
        return switch (kind) {
            case WORDS, WORDS_OR_NONE, ID, ID_OR_NONE, CLASS, BASIS, FLAG, COUNTS, TENSORS -> Table.Kind.WORDS;
            case NAME, NAME_OR_NONE, DIMS, TYPES_OR_NONE -> Table.Kind.NAME;
            default -> Table.Kind.NUMBER;
        };
    }

    private static String none(ColumnKind kind) {
        return kindOf(kind) == Table.Kind.NUMBER ? Units.ABSENT : "";
    }

    private static String text(ColumnKind kind, String text) {
        return switch (kind) {
            case DIMS -> sizes(text);
            case TYPES_OR_NONE -> types(text);
            default -> text;
        };
    }

    private String cell(ColumnKind kind, Object value) {
        return switch (kind) {
            case CLASS -> ((LedgerClass) value).label();
            case COUNT -> Units.count((Long) value);
            case NS, NS_OR_NONE -> Units.duration((Long) value);
            case ERROR_NS -> "± " + Units.duration((Long) value);
            case POINT -> Units.point((Long) value - zeroNs);
            case BYTES, BYTES_OR_NONE -> Units.bytes((Long) value);
            case SHARE -> Units.percent((double) (Long) value / wholeNs);
            case RATIO -> Units.percent((Double) value);
            case FLOPS -> Units.flops((Double) value);
            case FLOPS_PER_SECOND -> Units.flopsRate((Double) value);
            case TRAFFIC -> Units.bytes((Double) value);
            case BYTES_PER_SECOND -> Units.rate((Double) value);
            case COUNTS -> counts((Map<?, ?>) value);
            case ID, ID_OR_NONE -> ((HasStableId) value).id();
            default -> String.valueOf(value);
        };
    }

    private static String counts(Map<?, ?> counts) {
        List<String> words = new ArrayList<>();
        new TreeMap<>(counts).forEach((kind, count) -> words.add(Units.count((Long) count) + " " + kind));
        return String.join(", ", words);
    }

    /**
     * Returns {@code [8,768] [768,768]} of {@code [[8,768],[768,768],[],[]]}: inputs that are not tensors are left out.
     */
    private static String sizes(String dims) {
        String tensors = dims.replace(" ", "").replace(",[]", "");
        boolean nested = tensors.startsWith("[[") && tensors.endsWith("]]") && !tensors.contains("[[[");
        return nested ? tensors.substring(1, tensors.length() - 1).replace("],[", "] [") : tensors;
    }

    /** Returns the types of the tensors, each once. */
    private static String types(String types) {
        return Arrays.stream(types.replaceAll("[\\[\\]]", "").split(",", -1))
                .filter(type -> !type.isEmpty() && !type.startsWith("Scalar"))
                .map(type -> type.replaceAll("\\b\\w+::", ""))
                .distinct()
                .collect(Collectors.joining(", "));
    }
}
