package io.inferscope.formats.nsys;

import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TrackKind;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The export's facts about the recording itself: its start and its losses. */
final class NsysRecording {
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
