package io.inferscope.formats.parquet;

import io.inferscope.formats.tables.ExtraTable;
import io.inferscope.formats.tables.OutputColumn;
import io.inferscope.timeline.files.WholeFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tables that are not a timeline's, as folders of Parquet files that appear whole or not at all. */
public final class ParquetTables {
    private ParquetTables() {}

    /** Writes the files of a folder. */
    interface Content {
        void writeTo(Path folder) throws IOException;
    }

    /** Writes tables, each to a file, in the place of the folder that has the name. */
    public static void write(Path folder, List<ExtraTable> tables) throws IOException {
        List<String> files =
                tables.stream().map(table -> Folder.file(table.name())).toList();
        replace(folder, files, unfinished -> {
            for (ExtraTable table : tables) {
                try (TableWriter out =
                        new TableWriter(unfinished.resolve(Folder.file(table.name())), table.columns())) {
                    table.write(out);
                    out.finish();
                }
            }
        });
    }

    /**
     * Reads columns of a table that {@link #write} wrote. A column that the file lacks is null in each row.
     *
     * @param rows takes each row: a {@link Long}, a {@link Double}, a {@link String} or null per column
     * @throws IOException if the file is missing or damaged
     */
    public static void read(
            Path folder, String table, List<OutputColumn> columns, Consumer<List<@Nullable Object>> rows)
            throws IOException {
        Path file = folder.resolve(Folder.file(table));
        try (TableReader reader = new TableReader(file)) {
            int[] numbers = columns.stream().mapToInt(reader::column).toArray();
            reader.read(row -> {
                @Nullable Object[] values = new Object[numbers.length];
                for (int i = 0; i < numbers.length; i++) {
                    if (row.has(numbers[i])) {
                        values[i] = switch (columns.get(i).type()) {
                            case NUMBER -> row.number(numbers[i], 0);
                            case REAL -> row.real(numbers[i]);
                            case TEXT -> row.text(numbers[i]);
                        };
                    }
                }
                rows.accept(Arrays.asList(values));
            });
        } catch (RuntimeException | EOFException damage) {
            throw new IOException(file + " is damaged: " + damage.getMessage(), damage);
        }
    }

    /**
     * Writes a folder under another name, and renames it when it is complete.
     *
     * @param names the names of its files, which a signal that ends the JVM deletes
     */
    static void replace(Path output, Collection<String> names, Content content) throws IOException {
        Path folder = WholeFile.place(output).toAbsolutePath().normalize();
        Path parent = Objects.requireNonNull(folder.getParent(), "a file lies in a folder");
        Files.createDirectories(parent);
        Path unfinished = WholeFile.ownFolder(parent);
        try {
            // Files registered last are deleted first, so they are deleted before the folder, which was registered
            // earlier.
            names.forEach(name -> unfinished.resolve(name).toFile().deleteOnExit());
            content.writeTo(unfinished);
            delete(folder);
            Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            delete(unfinished);
        }
    }

    /**
     * Deletes a folder with its files, if it is there. It loses its name first, so that nobody sees a part of it. Fails if
     * it contains folders, which InferScope does not write.
     */
    public static void delete(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        Path nameless = WholeFile.ownFolder(
                Objects.requireNonNull(folder.toAbsolutePath().getParent(), "not the root"));
        Files.move(folder, nameless, StandardCopyOption.ATOMIC_MOVE); // In the place of the empty folder.
        try (Stream<Path> files = Files.list(nameless)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(nameless);
    }
}
