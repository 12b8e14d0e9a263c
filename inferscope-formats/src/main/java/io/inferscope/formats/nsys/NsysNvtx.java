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
import org.jspecify.annotations.Nullable;

/**
 * NVTX ranges and marks.
 *
 * <p>Event types are those of ENUM_NSYS_EVENT_TYPE: 34 mark, 59 push/pop range, 60 start/end range, 75 domain; 65, 70
 * and 71 are the same of NVTX recorded as text.
 */
final class NsysNvtx {
    private static final String TABLE = "NVTX_EVENTS";
    private static final int DOMAIN = 75;

    /**
     * Domains that libraries open for their own calls: NVIDIA's documentation of each. Their ranges are operators, not
     * the program's scopes.
     */
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
    private final NcclPayloads payloads;
    private final Map<Long, String> domains = new HashMap<>();

    /** Texts of the table of strings, taken apart once: one may be long and occur in every row. */
    private final Map<TextId, Text> texts = new HashMap<>();

    private record TextId(long id, String domain) {}

    /**
     * The text of an event, taken apart.
     *
     * @param mark the name of a mark, which is the whole text
     * @param range the name of a range, without what PyTorch adds to it
     * @param operator whether a range of this text is an operator
     * @param sizes of the operator's inputs, or null
     */
    private record Text(
            String mark,
            String range,
            boolean operator,
            @Nullable String sizes) {
        static Text of(String text, String domain) {
            String prefix = domain.isEmpty() ? "" : domain + ":";
            boolean library = LIBRARIES.contains(domain.toLowerCase(Locale.ROOT));
            Matcher torch = TORCH.matcher(text);
            if (!torch.matches()) {
                String name = prefix + text;
                return new Text(name, name, library, null);
            }
            String name = prefix + torch.group(1);
            Matcher sizes = TORCH_SIZES.matcher(text);
            return new Text(
                    prefix + text,
                    name,
                    library || OPERATOR.matcher(name).matches(),
                    sizes.find() ? sizes.group(1) : null);
        }
    }

    NsysNvtx(NsysTables tables) {
        this.tables = tables;
        this.builder = tables.builder();
        this.payloads = new NcclPayloads(tables);
    }

    void read() {
        if (tables.file().schema().has(TABLE, "eventType")
                && tables.file().schema().has(TABLE, "domainId")) {
            tables.file()
                    .scanWhere(
                            TABLE,
                            "eventType = " + DOMAIN,
                            row -> domains.put(domainKey(row.number(0), row.number(1, 0)), domainName(row)),
                            "globalTid",
                            "domainId",
                            "text",
                            "textId");
        }
        payloads.read();
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
        payloads.finish();
    }

    private static long domainKey(long globalTid, long domainId) {
        return (NsysTables.processId(globalTid) << 32) ^ domainId;
    }

    private String domainName(SqliteRow row) throws SQLException {
        String text = row.text(2);
        return text.isEmpty() ? tables.texts().text(row.number(3)) : text;
    }

    private Text text(SqliteRow row) throws SQLException {
        String domain = domains.getOrDefault(domainKey(row.number(3), row.number(5, 0)), "");
        String text = row.text(6);
        if (!text.isEmpty()) {
            return Text.of(text, domain);
        }
        return texts.computeIfAbsent(
                new TextId(row.number(7), domain), id -> Text.of(tables.texts().text(id.id()), domain));
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
        String name = text(row).mark();
        if (tables.spans().usable(atNs, atNs, name)) {
            builder.row(RowKind.INSTANT, tables.threadTrack(row.number(3)), atNs, atNs, builder.name(name));
        }
    }

    private void range(SqliteRow row) throws SQLException {
        long startNs = row.number(0);
        long recordedEndNs = row.number(1);
        boolean open = recordedEndNs == SqliteRow.ABSENT;
        Text text = text(row);
        if (!tables.spans().usable(startNs, open ? startNs : recordedEndNs, text.range())) {
            return;
        }
        int added = builder.row(
                text.operator() ? RowKind.OPERATOR : RowKind.ANNOTATION,
                tables.threadTrack(row.number(3)),
                startNs,
                open ? startNs : recordedEndNs,
                builder.name(text.range()));
        if (open) {
            tables.spans().leaveOpen(added);
        }
        if (text.sizes() != null) {
            builder.attribute(added, Attribute.INPUT_DIMS, builder.name(text.sizes()));
        }
        payloads.range(added, row.number(3), startNs, text.range());
    }
}
