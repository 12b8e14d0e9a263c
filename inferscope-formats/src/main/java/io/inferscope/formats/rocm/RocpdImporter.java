package io.inferscope.formats.rocm;

import io.inferscope.formats.sqlite.SqliteFile;
import io.inferscope.formats.sqlite.SqliteHead;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.CorrelationLinker;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * rocprofv3's SQLite output, rocpd, its default from ROCm 7 on. Mapping of tables: docs/formats.md.
 *
 * <p>The schema is version 3 of rocprofiler-sdk (source/share/rocprofiler-sdk-rocpd/rocpd_tables.sql). Every table's
 * name ends in the id of its recording; a database may contain several recordings.
 */
public final class RocpdImporter extends Importer {
    private static final Pattern STRINGS = Pattern.compile("rocpd_string((?:_[0-9A-Fa-f_]*+(?<!_))?)");

    public RocpdImporter() {
        super("rocpd", "rocprofv3 database (rocpd, _results.db)");
    }

    @Override
    public boolean recognises(TraceHead head) throws IOException {
        return SqliteHead.holdsTable(head, table -> STRINGS.matcher(table).matches());
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws ImportException, IOException {
        String name = source.file().toString();
        try (SqliteFile file = SqliteFile.open(source.file(), builder.stats())) {
            RocmTracks tracks = new RocmTracks(builder);
            CorrelationLinker linker = new CorrelationLinker(builder::startNsAt);
            RocpdEvents events = new RocpdEvents(builder);
            for (String suffix : suffixes(file)) {
                try (RocpdTables tables = new RocpdTables(file, suffix, builder)) {
                    new RocpdRows(tables, tracks, linker, events).read();
                }
            }
            events.link(linker);
        } catch (SQLException damage) {
            throw new ImportException(name, "damaged database: " + damage.getMessage(), "record it again", damage);
        }
        source.requireRows(builder, "its event tables are empty", "record with rocprofv3 --runtime-trace");
        builder.clockDomain(new ClockDomain("rocprofv3", 0, -1));
    }

    private static Set<String> suffixes(SqliteFile file) {
        Set<String> suffixes = new TreeSet<>();
        for (String table : file.schema().tables()) {
            Matcher matcher = STRINGS.matcher(table);
            if (matcher.matches()) {
                suffixes.add(matcher.group(1));
            }
        }
        return suffixes;
    }
}
