package io.inferscope.formats.rocm;

import io.inferscope.formats.sqlite.SqliteFile;
import io.inferscope.formats.sqlite.SqliteHead;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.sql.SQLException;

/** The database of rocmProfileData ({@code runTracer.sh}), .rpd. Mapping of tables: docs/formats.md. */
public final class RpdImporter extends Importer {
    public RpdImporter() {
        super("rpd", "rocmProfileData database (.rpd)");
    }

    /** rocprofv3's database has no table of calls, which are among its regions. */
    @Override
    public boolean recognises(TraceHead head) throws IOException {
        return SqliteHead.holdsTable(head, "rocpd_api"::equals);
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws ImportException, IOException {
        String name = source.file().toString();
        try (SqliteFile file = SqliteFile.open(source.file(), builder.stats());
                RpdRows rows = new RpdRows(file, builder)) {
            rows.read();
        } catch (SQLException damage) {
            throw new ImportException(name, "damaged database: " + damage.getMessage(), "record it again", damage);
        }
        source.requireRows(
                builder, "rocpd_api and rocpd_op are empty", "record with runTracer.sh -o trace.rpd COMMAND");
        builder.clockDomain(new ClockDomain("rocmProfileData", 0, -1));
    }
}
