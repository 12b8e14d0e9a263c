package io.inferscope.fleet;

import io.inferscope.formats.parquet.ParquetTables;
import io.inferscope.formats.tables.ExtraTable;
import io.inferscope.formats.tables.OutputColumn;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
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
    public void write(Collection<RecordingRows> summaries) throws IOException {
        write(
                summaries.stream().map(RecordingRows::traceId).toList(),
                table -> summaries.stream()
                        .flatMap(summary -> summary.of(table).stream())
                        .toList());
    }

    private void write(List<String> traceIds, Function<FleetTable, List<List<@Nullable Object>>> rows)
            throws IOException {
        List<ExtraTable> tables = Arrays.stream(FleetTable.values())
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
    public void read(FleetTable table, String columns, Consumer<List<@Nullable Object>> rows) throws IOException {
        List<OutputColumn> wanted = table.columns(columns);
        for (Path set : sets()) {
            ParquetTables.read(set, table.id(), wanted, rows);
        }
    }

    /** Removes a recording. Where a build writes, too, only a set of its own is replaced. */
    public void remove(String traceId) throws IOException {
        Path alone = folder.resolve(name(List.of(traceId)));
        for (Path set : sets()) {
            if (set.equals(alone) || !String.valueOf(set.getFileName()).startsWith(ALONE)) {
                remove(
                        set,
                        Set.of(traceId)); // There may be many sets of other recordings alone, which need not be read.
            }
        }
    }

    /**
     * Removes recordings from a set. If it holds others, too, they get a set without them.
     *
     * @return the set that holds the others, null without any
     */
    @Nullable
    Path remove(Path set, Set<String> traceIds) throws IOException {
        List<String> kept = new ArrayList<>(ids(set));
        if (!kept.removeAll(traceIds)) {
            return set;
        }
        Path aside = set.resolveSibling("." + set.getFileName());
        Files.move(set, aside, StandardCopyOption.ATOMIC_MOVE);
        if (!kept.isEmpty()) {
            write(kept, rows(aside, traceIds)::of);
        }
        ParquetTables.delete(aside);
        return kept.isEmpty() ? null : folder.resolve(name(kept));
    }

    /** Repairs what a kill left: deletes what is unfinished, and restores the rows of sets that were being replaced. */
    void repair() throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, ".inferscope-*.unfinished")) {
            for (Path unfinished : left) {
                ParquetTables.delete(unfinished);
            }
        }
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, "." + SETS)) {
            for (Path aside : left) {
                Set<String> elsewhere = new HashSet<>();
                read(FleetTable.TRACE, "trace_id", row -> elsewhere.add(String.valueOf(row.get(0))));
                List<String> lost = new ArrayList<>(ids(aside));
                lost.removeAll(elsewhere);
                if (!lost.isEmpty()) {
                    write(lost, rows(aside, elsewhere)::of);
                }
                ParquetTables.delete(aside);
            }
        }
    }

    private static List<String> ids(Path set) throws IOException {
        List<String> ids = new ArrayList<>();
        ParquetTables.read(
                set,
                FleetTable.TRACE.id(),
                FleetTable.TRACE.columns("trace_id"),
                row -> ids.add(String.valueOf(row.get(0))));
        return ids;
    }

    /** Returns all rows of a set but those of some recordings. */
    private static RecordingRows rows(Path set, Set<String> without) throws IOException {
        Map<FleetTable, List<List<@Nullable Object>>> rows = new EnumMap<>(FleetTable.class);
        for (FleetTable table : FleetTable.values()) {
            List<OutputColumn> columns = table.columns();
            int id = columns.indexOf(OutputColumn.text("trace_id"));
            List<List<@Nullable Object>> kept = new ArrayList<>();
            ParquetTables.read(set, table.id(), columns, row -> {
                if (!without.contains(String.valueOf(row.get(id)))) {
                    kept.add(row);
                }
            });
            rows.put(table, kept);
        }
        return new RecordingRows("", rows);
    }
}
