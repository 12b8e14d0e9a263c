package io.inferscope.formats.nsys;

import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sizes of NCCL's messages: payloads of its NVTX ranges, which {@code nsys export --include-blobs=true} writes. A
 * payload begins with four numbers of 8 bytes, the first two being its domain and schema; its fields follow at the
 * offsets of the table of schema entries. Calls in a group run in one kernel, which the end of the group launches.
 */
final class NcclPayloads {
    private static final String EVENTS = "NVTX_EVENTS";
    private static final String ENTRIES = "NVTX_PAYLOAD_SCHEMA_ENTRIES";
    private static final String BLOB = "binaryData";
    private static final int SCHEMA_AT = 8;
    private static final int FIELDS_AT = 32;
    private static final String CALL = "nccl";
    private static final String SEND = "Send";
    private static final String RECEIVE = "Recv";

    /** Fields by their names in nvtx_payload_schemas.h of NCCL. */
    private enum Field {
        COMMUNICATOR("NCCL communicator ID", Long.BYTES),
        SIZE("Message size [bytes]", Long.BYTES),
        RANKS("No. of ranks", Integer.BYTES),
        PEER("Peer rank", Integer.BYTES);

        private final String said;
        private final int width;

        Field(String said, int width) {
            this.said = said;
            this.width = width;
        }
    }

    private record FieldOfSchema(long schema, Field field) {}

    private record Event(long globalTid, long startNs) {}

    /** The fields of a call's payload, -1 for missing ones. */
    private record Payload(long communicator, long sizeBytes, long peer) {
        static final Payload NONE = new Payload(-1, -1, -1);
    }

    private record Call(long startNs, int row, String name, Payload payload) {}

    private final NsysTables tables;
    private final TimelineBuilder builder;
    private final Map<FieldOfSchema, Integer> offsets = new HashMap<>();
    private final Map<Event, Payload> payloads = new HashMap<>();
    private final Map<Long, Long> ranks = new HashMap<>();
    private final Map<Long, List<Call>> calls = new HashMap<>();

    NcclPayloads(NsysTables tables) {
        this.tables = tables;
        this.builder = tables.builder();
    }

    /** Reads the payloads, before the events. */
    void read() {
        if (!tables.file().schema().has(EVENTS, BLOB) || !tables.file().schema().has(ENTRIES, "name")) {
            return;
        }
        tables.file().scan(ENTRIES, this::entry, "schemaId", "name", "offset");
        tables.file().scanWhere(EVENTS, BLOB + " IS NOT NULL", this::payload, "globalTid", "start", BLOB);
    }

    private void entry(SqliteRow row) throws SQLException {
        for (Field field : Field.values()) {
            if (field.said.equals(row.text(1))) {
                offsets.put(new FieldOfSchema(row.number(0), field), (int) row.number(2, 0));
            }
        }
    }

    private void payload(SqliteRow row) throws SQLException {
        ByteBuffer bytes = ByteBuffer.wrap(row.bytes(2)).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.capacity() < FIELDS_AT) {
            return;
        }
        long schema = bytes.getLong(SCHEMA_AT);
        long communicator = value(bytes, schema, Field.COMMUNICATOR);
        long rankCount = value(bytes, schema, Field.RANKS);
        if (rankCount > 0) {
            ranks.put(communicator, rankCount);
        }
        payloads.put(
                new Event(row.number(0), row.number(1)),
                new Payload(communicator, value(bytes, schema, Field.SIZE), value(bytes, schema, Field.PEER)));
    }

    /** Returns a field of a payload, -1 if it has none. */
    private long value(ByteBuffer bytes, long schema, Field field) {
        Integer offset = offsets.get(new FieldOfSchema(schema, field));
        if (offset == null || offset < 0 || FIELDS_AT + offset + field.width > bytes.capacity()) {
            return -1;
        }
        return field.width == Long.BYTES ? bytes.getLong(FIELDS_AT + offset) : bytes.getInt(FIELDS_AT + offset);
    }

    /** Takes a range of NVTX that became a row. */
    void range(int row, long globalTid, long startNs, String name) {
        String call = name.substring(name.lastIndexOf(':') + 1);
        if (!offsets.isEmpty() && call.startsWith(CALL)) {
            calls.computeIfAbsent(globalTid, thread -> new ArrayList<>())
                    .add(new Call(
                            startNs,
                            row,
                            call.substring(CALL.length()),
                            payloads.getOrDefault(new Event(globalTid, startNs), Payload.NONE)));
        }
    }

    /** Assigns the messages to the rows of the calls that launch their kernels, after the last event. */
    void finish() {
        if (payloads.isEmpty() && !calls.isEmpty()) {
            builder.coverage(
                    new Coverage(
                            "nsys",
                            builder.rowCount(),
                            0,
                            "sizes of NCCL's messages are not in this export; `nsys export --type=sqlite --include-blobs=true` writes them"));
        }
        for (List<Call> ofThread : calls.values()) {
            ofThread.sort(Comparator.comparingLong(Call::startNs));
            List<Call> group = new ArrayList<>();
            int depth = 0;
            for (Call call : ofThread) {
                switch (call.name) {
                    case "GroupStart" -> {
                        if (depth++ == 0) {
                            group.clear();
                        }
                    }
                    case "GroupEnd" -> {
                        if (--depth == 0) {
                            message(call.row, group);
                        }
                        depth = Math.max(0, depth);
                    }
                    default -> {
                        if (call.payload.sizeBytes >= 0) {
                            group.add(call);
                            message(call.row, List.of(call));
                        }
                    }
                }
            }
        }
    }

    /**
     * Names the message of a kernel's calls, if they are one: a collective, or at most one message to each other rank.
     */
    private void message(int row, List<Call> group) {
        List<Call> sent =
                group.stream().filter(call -> !call.name.equals(RECEIVE)).toList();
        boolean exchange = group.size() > 1 && sent.stream().allMatch(call -> call.name.equals(SEND));
        long receivers =
                sent.stream().map(Call::payload).map(Payload::peer).distinct().count();
        if (sent.isEmpty() || sent.size() > (exchange ? receivers : 1)) {
            return;
        }
        Call call = sent.get(0);
        long bytes = exchange
                ? sent.stream().mapToLong(one -> one.payload.sizeBytes).sum()
                : call.payload.sizeBytes * parts(call);
        long communicator = call.payload.communicator;
        builder.attribute(row, Attribute.COLLECTIVE, builder.name(exchange ? SEND + RECEIVE : call.name));
        builder.attribute(row, Attribute.ELEMENT_TYPE, builder.name("Byte"));
        builder.attribute(row, Attribute.MESSAGE_ELEMENTS, Math.max(-1, bytes));
        builder.attribute(row, Attribute.GROUP_NAME, builder.name(Long.toHexString(communicator)));
        builder.attribute(row, Attribute.GROUP_SIZE, ranks.getOrDefault(communicator, 0L));
    }

    /** Returns the number of parts of a message, of which NCCL records one; -1 if not known. */
    private long parts(Call call) {
        boolean part = call.name.contains("Scatter") || call.name.equalsIgnoreCase("alltoall");
        return part ? ranks.getOrDefault(call.payload.communicator, -1L) : 1;
    }
}
