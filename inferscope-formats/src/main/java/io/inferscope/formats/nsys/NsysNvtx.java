package io.inferscope.formats.nsys;

import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * NVTX ranges and marks.
 *
 * <p>Event types are those of ENUM_NSYS_EVENT_TYPE: 34 mark, 59 push/pop range, 60 start/end range, 75 domain; 65, 70 and 71 are the same
 * of NVTX recorded as text.
 */
final class NsysNvtx {
    private static final String TABLE = "NVTX_EVENTS";
    private static final int DOMAIN = 75;

    /** Domains that libraries open for their own calls: NVIDIA's documentation of each. Their ranges are operators, not the program's scopes. */
    private static final Set<String> LIBRARIES =
            Set.of("nccl", "cccl", "cub", "cublas", "cudnn", "cusparse", "cusolver", "cufft", "tensorrt", "nvshmem");

    /**
     * How torch.autograd.profiler.emit_nvtx writes an operator: its name, then facts, separated by commas. With these
     * numbers in the name, every call would be a separate operator.
     */
    private static final Pattern TORCH = Pattern.compile("(.+?), (?:seq = |op_id = |sizes = \\[).*", Pattern.DOTALL);

    private static final Pattern TORCH_SIZES =
            Pattern.compile("sizes = (\\[.*?])(?:, input_op_ids = .*)?$", Pattern.DOTALL);
    private static final Pattern OPERATOR = Pattern.compile("[a-z][a-z0-9_]*::\\w.*");

    private final NsysTables tables;
    private final TimelineBuilder builder;
    private final Map<Long, String> domains = new HashMap<>();

    NsysNvtx(NsysTables tables) {
        this.tables = tables;
        this.builder = tables.builder();
    }

    void read() {
        if (tables.file().schema().has(TABLE, "eventType")
                && tables.file().schema().has(TABLE, "domainId")) {
            tables.file()
                    .scanWhere(
                            TABLE,
                            "eventType = " + DOMAIN,
                            row -> domains.put(domainKey(row.number(0), row.number(1, 0)), text(row, 2)),
                            "globalTid",
                            "domainId",
                            "text",
                            "textId");
        }
        tables.scan(
                TABLE,
                this::event,
                "@start",
                "@end",
                "eventType",
                "globalTid",
                "endGlobalTid",
                "domainId",
                "text",
                "textId");
    }

    private static long domainKey(long globalTid, long domainId) {
        return (NsysTables.processId(globalTid) << 32) ^ domainId;
    }

    private String text(SqliteRow row, int column) throws SQLException {
        String text = row.text(column);
        return text.isEmpty() ? tables.texts().text(row.number(column + 1)) : text;
    }

    private void event(SqliteRow row) throws SQLException {
        switch ((int) row.number(2, 59)) {
            case 34, 65 -> mark(row);
            case 59, 60, 70, 71 -> range(row);
            case DOMAIN -> {} // Already read: its name is part of its ranges' names.
            default -> builder.stats().count(Reason.NOT_USED, -1, TABLE);
        }
    }

    private void mark(SqliteRow row) throws SQLException {
        long atNs = row.number(0);
        String name = name(text(row, 6), domain(row));
        if (tables.spans().usable(atNs, atNs, name)) {
            builder.row(RowKind.INSTANT, tables.threadTrack(row.number(3)), atNs, atNs, builder.name(name));
        }
    }

    private void range(SqliteRow row) throws SQLException {
        long startNs = row.number(0);
        long recordedEndNs = row.number(1);
        boolean open = recordedEndNs == SqliteRow.ABSENT;
        String domain = domain(row);
        String text = text(row, 6);
        Matcher torch = TORCH.matcher(text);
        String name = name(torch.matches() ? torch.group(1) : text, domain);
        if (!tables.spans().usable(startNs, open ? startNs : recordedEndNs, name)) {
            return;
        }
        boolean operator = (torch.matches() && OPERATOR.matcher(name).matches())
                || LIBRARIES.contains(domain.toLowerCase(Locale.ROOT));
        int added = builder.row(
                operator ? RowKind.OPERATOR : RowKind.ANNOTATION,
                tables.threadTrack(row.number(3)),
                startNs,
                open ? startNs : recordedEndNs,
                builder.name(name));
        if (open) {
            tables.spans().leaveOpen(added);
        }
        Matcher sizes = TORCH_SIZES.matcher(text);
        if (torch.matches() && sizes.find()) {
            builder.attribute(added, Attribute.INPUT_DIMS, builder.name(sizes.group(1)));
        }
    }

    private String domain(SqliteRow row) throws SQLException {
        return domains.getOrDefault(domainKey(row.number(3), row.number(5, 0)), "");
    }

    private static String name(String text, String domain) {
        return domain.isEmpty() ? text : domain + ":" + text;
    }
}
