package io.inferscope.formats.nsys;

import io.inferscope.formats.sqlite.SqliteFile;
import io.inferscope.formats.sqlite.SqliteHead;
import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.formats.sqlite.SqliteTexts;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
            if (file.schema().tables().contains("StringTable")
                    && !file.schema().tables().contains("StringIds")) {
                throw new ImportException(
                        name,
                        "is a database of nvprof or the Visual Profiler, whose tables are others than Nsight Systems'",
                        "record again with `nsys profile`, and export that: nsys export --type sqlite REPORT.nsys-rep");
            }
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

    /** The export's facts about the recording itself: its start and its losses. */
    private static final class NsysRecording {
        /** Values of ENUM_DIAGNOSTIC_SEVERITY_LEVEL from this on are warnings and errors. */
        private static final int WARNING = 2;

        private static final Pattern LOSS = Pattern.compile(
                "drop|lost|discard|overflow|truncat|incomplete|not all .*(events|data)|missing .*(events|data)|some .*(events|data)",
                Pattern.CASE_INSENSITIVE);
        /** What might be missing is not known to be: Nsight Systems says so of every library that the program does not use. */
        private static final Pattern PERHAPS = Pattern.compile("\\b(might|may|could)\\b", Pattern.CASE_INSENSITIVE);

        /** Why no device work, or not all of it, was recorded. */
        private static final Pattern OF_DEVICES =
                Pattern.compile("\\b(cuda|cupti|gpu|driver)\\b", Pattern.CASE_INSENSITIVE);

        private static final Pattern COUNT = Pattern.compile("(\\d{1,15}) \\w* ?(events?|records?|samples?|buffers?)");
        private static final int MAX_TEXT = 160;
        private static final int MOST_SAID = 5;

        private final NsysTables tables;
        private final TimelineBuilder builder;
        private long startUnixNs;
        private long startNs;
        private long stopNs;
        private final Set<String> said = new LinkedHashSet<>();

        NsysRecording(NsysTables tables) {
            this.tables = tables;
            this.builder = tables.builder();
        }

        /** The axis is the export's own; the session's start is known on it and in Unix time. */
        void read() {
            tables.scan("TARGET_INFO_SESSION_START_TIME", row -> startUnixNs = row.number(0, 0), "utcEpochNs");
            tables.scan(
                    "ANALYSIS_DETAILS",
                    row -> {
                        startNs = row.number(0, 0);
                        stopNs = Math.max(row.number(1, 0), startNs + row.number(2, 0));
                    },
                    "startTime",
                    "stopTime",
                    "duration");
            if (startUnixNs > startNs && startUnixNs > 0) {
                builder.originUnixNs(startUnixNs - startNs);
            }
            if (tables.file().schema().tables().stream().noneMatch(table -> table.startsWith("CUPTI_ACTIVITY_KIND_"))) {
                Set<String> gpus = new LinkedHashSet<>();
                tables.file().scan("TARGET_INFO_GPU", row -> gpus.add(row.text(0)), "name");
                if (!gpus.isEmpty()) {
                    builder.property(TimelineInfo.UNTRACED, String.join(", ", gpus));
                }
            }
            tables.scan("DIAGNOSTIC_EVENT", this::diagnostic, "severity", "text");
            if (!said.isEmpty()) {
                builder.property(TimelineInfo.RECORDER_SAYS, String.join(" ", said));
            }
            if (builder.rowCount() == 0 && stopNs > startNs) {
                tables.file()
                        .scan(
                                "PROCESSES",
                                row -> builder.row(
                                        RowKind.PROCESS,
                                        builder.track(TrackKind.PROCESS, -1, row.text(0)),
                                        startNs,
                                        stopNs,
                                        builder.name(row.text(1))),
                                "pid",
                                "name");
            }
        }

        private void diagnostic(SqliteRow row) throws SQLException {
            String text = row.text(1).replaceAll("\\s+", " ").trim();
            builder.stats().event();
            boolean warns = row.number(0, WARNING) >= WARNING;
            boolean lost = LOSS.matcher(text).find() && !PERHAPS.matcher(text).find();
            // A text with a path may tell more than its writer wants to pass on.
            boolean quotable = text.indexOf('/') < 0 && text.indexOf('\\') < 0;
            if (warns && !lost && quotable && OF_DEVICES.matcher(text).find() && said.size() < MOST_SAID) {
                said.add(shortened(text));
            }
            if (!warns || !lost) {
                builder.stats().count(Reason.NOT_USED, -1, "DIAGNOSTIC_EVENT");
                return;
            }
            Matcher count = COUNT.matcher(text);
            long records = count.find() ? Math.max(1, Long.parseLong(count.group(1))) : 1;
            builder.stats().count(Reason.RECORDER_DROPPED, records, -1, shortened(text));
        }

        private static String shortened(String text) {
            return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
        }
    }
}
