package io.inferscope.formats.nsys;

import io.inferscope.formats.sqlite.SqliteFile;
import io.inferscope.formats.sqlite.SqliteHead;
import io.inferscope.formats.sqlite.SqliteTexts;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Set;

/**
 * Nsight Systems' SQLite export ({@code nsys export --type sqlite}). Mapping of tables: docs/formats.md.
 *
 * <p>Tables and columns differ between versions and recordings, so none is required. The schema is described in the
 * User Guide of Nsight Systems, "Exporter: SQLite Schema Reference", and in the comments of every export.
 */
public final class NsysImporter extends Importer {
    /** Tables without events, or with events that do not explain waits of threads or devices. */
    private static final Set<String> STAMP_COLUMNS = Set.of("start", "timestamp", "rawTimestamp");

    public NsysImporter() {
        super("nsys", "Nsight Systems SQLite export (.sqlite)");
    }

    /**
     * Recognises a database with tables of CUPTI activities or NVTX events and the table of texts that all exports
     * have.
     */
    @Override
    public boolean recognises(TraceHead head) throws IOException {
        return SqliteHead.holdsTable(
                head,
                table -> table.startsWith("CUPTI_ACTIVITY_KIND_")
                        || table.equals("NVTX_EVENTS")
                        || table.equals("OSRT_API")
                        || table.equals("StringIds"));
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws ImportException, IOException {
        String name = source.file().toString();
        try (SqliteFile file = SqliteFile.open(source.file(), builder.stats());
                SqliteTexts texts = new SqliteTexts(file, "StringIds", "id", "value", builder)) {
            read(new NsysTables(file, texts, builder), builder);
        } catch (SQLException damage) {
            throw new ImportException(name, "damaged database: " + damage.getMessage(), "export it again", damage);
        }
        source.requireRows(
                builder,
                "its event tables are empty",
                "record with nsys profile --trace=cuda,nvtx,osrt and export again");
    }

    private static void read(NsysTables tables, TimelineBuilder builder) {
        new NsysDeviceTables(tables).read();
        new NsysHostTables(tables).read();
        new NsysNvtx(tables).read();
        new NsysSamples(tables).read();
        new NsysRecording(tables).read();
        tables.finish();
        for (String table : tables.file().schema().tables()) {
            boolean events =
                    STAMP_COLUMNS.stream().anyMatch(c -> tables.file().schema().has(table, c));
            if (events && !tables.isRead(table)) {
                builder.stats().count(Reason.NOT_USED, tables.file().rowCount(table), -1, table);
            }
        }
        builder.clockDomain(new ClockDomain("nsys", 0, -1));
    }
}
