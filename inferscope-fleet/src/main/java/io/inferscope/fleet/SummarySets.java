package io.inferscope.fleet;

import io.inferscope.formats.parquet.ParquetTables;
import io.inferscope.formats.tables.Column;
import io.inferscope.formats.tables.ExtraTable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A folder of sets, {@code set-COUNT-HASH/TABLE.parquet}. A set holds all rows of one or several recordings. It appears whole
 * or not at all, and the same recordings give a set of the same name, so that writing twice changes nothing.
 */
public final class SummarySets {
    /** Every set of a folder, for other programs; what is being written does not match. */
    public static final String SETS = "set-*";

    /** Begins the name of a set of one recording. */
    private static final String ALONE = "set-1-";

    private static final int NAME_DIGITS = 32;

    private final Path folder;

    public SummarySets(Path folder) {
        this.folder = folder;
    }

    /** Writes a set. */
    public void write(Collection<Summary> summaries) throws IOException {
        write(summaries.stream().map(Summary::traceId).toList(), table -> summaries.stream()
                .flatMap(summary -> summary.of(table).stream())
                .toList());
    }

    private void write(List<String> traceIds, Function<SummaryTable, List<List<@Nullable Object>>> rows)
            throws IOException {
        List<ExtraTable> tables = Arrays.stream(SummaryTable.values())
                .map(table -> new ExtraTable(table.id(), table.columns(), () -> rows.apply(table)))
                .toList();
        ParquetTables.write(folder.resolve(name(traceIds)), tables);
    }

    /** Returns the name of the set of some recordings: how many, and a hash of their ids. */
    public static String name(Collection<String> traceIds) {
        List<String> sorted = new ArrayList<>(traceIds);
        Collections.sort(sorted);
        String hash = Origin.ofText(String.join(" ", sorted)).substring(0, NAME_DIGITS);
        return SETS.replace("*", sorted.size() + "-" + hash);
    }

    /** Returns the sets, by name; none if the folder is not there. */
    public List<Path> sets() throws IOException {
        List<Path> sets = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, SETS)) {
                found.forEach(sets::add);
            }
        }
        Collections.sort(sets);
        return sets;
    }

    /**
     * Reads columns of a table in all sets.
     *
     * @param columns their names, divided by blanks
     * @param rows takes each row: a {@link Long}, a {@link Double}, a {@link String} or null per column
     */
    public void read(SummaryTable table, String columns, Consumer<List<@Nullable Object>> rows) throws IOException {
        List<Column> wanted = table.columns(columns);
        for (Path set : sets()) {
            ParquetTables.read(set, table.id(), wanted, rows);
        }
    }

    /** Removes recordings. A set that holds others, too, is written again without them. */
    public void remove(Set<String> traceIds) throws IOException {
        Set<String> alone = traceIds.stream().map(id -> name(List.of(id))).collect(Collectors.toUnmodifiableSet());
        for (Path set : sets()) {
            String name = String.valueOf(set.getFileName());
            if (name.startsWith(ALONE) && !alone.contains(name)) {
                continue; // There may be many of these, which need not be read.
            }
            List<String> kept = new ArrayList<>();
            int[] removed = new int[1];
            ParquetTables.read(set, SummaryTable.TRACE.id(), SummaryTable.TRACE.columns("trace_id"), row -> {
                String id = String.valueOf(row.get(0));
                if (traceIds.contains(id)) {
                    removed[0]++;
                } else {
                    kept.add(id);
                }
            });
            if (removed[0] > 0) {
                Summary rest = rows(set, traceIds);
                // In this order a kill between the two costs an analysis, and never doubles a recording.
                ParquetTables.delete(set);
                if (!kept.isEmpty()) {
                    write(kept, rest::of);
                }
            }
        }
    }

    /** Returns all rows of a set but those of some recordings. */
    private static Summary rows(Path set, Set<String> without) throws IOException {
        Map<SummaryTable, List<List<@Nullable Object>>> rows = new EnumMap<>(SummaryTable.class);
        for (SummaryTable table : SummaryTable.values()) {
            List<Column> columns = table.columns();
            int id = columns.indexOf(Column.text("trace_id"));
            List<List<@Nullable Object>> kept = new ArrayList<>();
            ParquetTables.read(set, table.id(), columns, row -> {
                if (!without.contains(String.valueOf(row.get(id)))) {
                    kept.add(row);
                }
            });
            rows.put(table, kept);
        }
        return new Summary("", rows);
    }
}
