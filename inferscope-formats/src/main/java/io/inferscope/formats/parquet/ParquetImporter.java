package io.inferscope.formats.parquet;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder of Parquet files that {@link ParquetExporter} wrote. */
public final class ParquetImporter extends Importer {
    private static final int MAX_MANIFEST_BYTES = 1 << 20;
    private static final String REMEDY = "convert the trace again";

    public ParquetImporter() {
        super("parquet", "Parquet folder that inferscope convert wrote");
    }

    @Override
    public boolean recognises(TraceHead head) {
        return head.isDirectory() && Files.isRegularFile(head.file().resolve(Folder.MANIFEST));
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws IOException, ImportException {
        builder.ownRows();
        manifest(source.file().resolve(Folder.MANIFEST), source, builder);
        new FolderReader(source.file(), builder).read();
        source.requireRows(builder, "usable row", "", REMEDY);
    }

    private static void manifest(Path file, TraceSource source, TimelineBuilder builder)
            throws IOException, ImportException {
        long version = 0;
        if (Files.size(file) > MAX_MANIFEST_BYTES) {
            throw new ImportException(source.file().toString(), Folder.MANIFEST + " is too large", REMEDY);
        }
        try (JsonParser json = new JsonFactory().createParser(Files.readAllBytes(file))) {
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String key = json.currentName();
                JsonToken value = json.nextToken();
                if (key.equals("inferscope_parquet") && value == JsonToken.VALUE_NUMBER_INT) {
                    version = json.getLongValue();
                } else if (key.equals("origin_unix_ns") && value == JsonToken.VALUE_NUMBER_INT) {
                    builder.originUnixNs(json.getLongValue());
                }
                json.skipChildren();
            }
        } catch (com.fasterxml.jackson.core.JacksonException damaged) {
            builder.stats().count(Reason.MALFORMED, -1, Folder.MANIFEST);
        }
        if (version > Folder.VERSION) {
            throw new ImportException(
                    source.file().toString(),
                    "written by a later version (format " + version + ")",
                    "use that version to read it");
        }
    }
}
