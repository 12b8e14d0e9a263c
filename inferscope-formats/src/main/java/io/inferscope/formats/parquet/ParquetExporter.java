package io.inferscope.formats.parquet;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.formats.common.Exporter;
import io.inferscope.formats.tables.TimelineTables;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.redact.Redaction;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder of Parquet files: one per kind of rows, and separate files for tracks, links, stacks and facts. Columns:
 * docs/convert.md.
 */
public final class ParquetExporter extends Exporter {
    public ParquetExporter() {
        super("parquet", ".parquet", ".parquet/");
    }

    @Override
    public String leftOut(Timeline timeline) {
        CharsetEncoder utf8 = StandardCharsets.UTF_8.newEncoder();
        long broken = Redaction.texts(timeline).stream()
                .filter(text -> !utf8.canEncode(text))
                .count();
        return broken == 0 ? "" : "characters of " + broken + " texts that are not Unicode, replaced by '?'";
    }

    /** A folder is replaced only if all its files are ones that InferScope writes. */
    @Override
    public void check(Path output) {
        if (Files.isDirectory(output) ? !isOurs(output) : Files.exists(output)) {
            throw new IllegalArgumentException("output " + output
                    + " exists and is not a folder that only InferScope wrote Parquet files to; name another");
        }
    }

    private static boolean isOurs(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            List<String> names =
                    files.map(file -> file.getFileName().toString()).toList();
            return names.isEmpty() || (names.contains(Folder.MANIFEST) && Folder.FILES.containsAll(names));
        } catch (IOException | UncheckedIOException unreadable) {
            return false;
        }
    }

    @Override
    public void write(Timeline timeline, Path output) throws IOException {
        ParquetTables.replace(output, Folder.FILES, unfinished -> {
            List<String> tables = new TimelineTables(
                            timeline,
                            (name, columns) -> new TableWriter(unfinished.resolve(Folder.file(name)), columns))
                    .write();
            manifest(timeline, tables, unfinished.resolve(Folder.MANIFEST));
        });
    }

    private static void manifest(Timeline timeline, List<String> tables, Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file);
                JsonGenerator json = new JsonFactory().createGenerator(out).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeNumberField("inferscope_parquet", Folder.VERSION);
            json.writeNumberField("origin_unix_ns", timeline.originUnixNs());
            json.writeNumberField("rows", timeline.rowCount());
            json.writeArrayFieldStart("tables");
            for (String table : tables) {
                json.writeString(table);
            }
            json.writeEndArray();
            json.writeEndObject();
            json.writeRaw('\n');
            json.flush();
        }
    }
}
