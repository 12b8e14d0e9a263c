package io.inferscope.formats.rocm;

import com.fasterxml.jackson.core.JsonParser;
import io.inferscope.formats.common.TolerantJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The tables of one process, which map the numbers in its records to names. Environment, command and host name are not
 * read.
 */
final class RocprofNames {
    /** rocprofiler_agent_type_t of a GPU: rocprofiler-sdk/fwd.h. */
    private static final long GPU = 2;

    private static final Set<String> NEEDED = Set.of("metadata", "agents", "strings", "kernel_symbols");

    private final Map<Long, String> kernels = new HashMap<>();
    private final Map<Long, RocmTracks.Agent> agents = new HashMap<>();
    private final Map<Long, String> markers = new HashMap<>();
    private final List<List<String>> operations = new ArrayList<>();
    private final Set<String> taken = new HashSet<>();
    private long processId;
    private boolean recordsLeft;
    private boolean ended;

    /** Reads a member of the process if it is one of the tables; returns whether it was. */
    boolean take(JsonParser parser, String member) throws IOException {
        switch (member) {
            case "metadata" ->
                TolerantJson.members(parser, (name, value) -> {
                    if (name.equals("pid")) {
                        processId = Math.max(0, RocprofRecord.number(parser));
                    } else {
                        parser.skipChildren();
                    }
                });
            case "agents" -> TolerantJson.elements(parser, value -> agent(parser));
            case "kernel_symbols" -> TolerantJson.elements(parser, value -> kernel(parser));
            case "strings" ->
                TolerantJson.members(parser, (name, value) -> {
                    switch (name) {
                        case "buffer_records" -> TolerantJson.elements(parser, kind -> operationsOf(parser));
                        case "marker_api" -> TolerantJson.elements(parser, range -> marker(parser));
                        default -> parser.skipChildren();
                    }
                });
            default -> {
                return false;
            }
        }
        taken.add(member);
        return true;
    }

    /** Notes the end of the process: no further tables will come. */
    void end() {
        ended = true;
    }

    boolean isComplete() {
        return ended || taken.containsAll(NEEDED);
    }

    boolean recordsLeft() {
        return recordsLeft;
    }

    void leaveRecords(boolean left) {
        recordsLeft |= left;
    }

    private void agent(JsonParser parser) throws IOException {
        long[] numbers = {RocprofRecord.ABSENT, 0, RocprofRecord.ABSENT};
        String[] names = {"", ""};
        TolerantJson.members(parser, (member, value) -> {
            switch (member) {
                case "id" ->
                    TolerantJson.members(parser, (inner, handle) -> {
                        numbers[0] = inner.equals("handle") ? RocprofRecord.number(parser) : numbers[0];
                        parser.skipChildren();
                    });
                case "type" -> numbers[1] = RocprofRecord.number(parser);
                case "logical_node_type_id" -> numbers[2] = RocprofRecord.number(parser);
                case "product_name" -> names[0] = TolerantJson.text(parser);
                case "name" -> names[1] = TolerantJson.text(parser);
                default -> parser.skipChildren();
            }
        });
        String key = Long.toString(numbers[2] == RocprofRecord.ABSENT ? numbers[0] : numbers[2]);
        agents.put(numbers[0], new RocmTracks.Agent(numbers[1] == GPU, key, names[0].isEmpty() ? names[1] : names[0]));
    }

    private void kernel(JsonParser parser) throws IOException {
        Map<String, String> kernel = TolerantJson.scalars(parser);
        String formatted = kernel.getOrDefault("formatted_kernel_name", "");
        kernels.put(
                number(kernel, "kernel_id"), formatted.isEmpty() ? kernel.getOrDefault("kernel_name", "") : formatted);
    }

    private static long number(Map<String, String> object, String member) {
        String text = object.getOrDefault(member, "");
        return text.matches("-?\\d{1,18}") ? Long.parseLong(text) : RocprofRecord.ABSENT;
    }

    private void operationsOf(JsonParser parser) throws IOException {
        List<String> texts = new ArrayList<>();
        TolerantJson.members(parser, (member, value) -> {
            if (member.equals("operations")) {
                TolerantJson.elements(parser, operation -> texts.add(TolerantJson.text(parser)));
            } else {
                parser.skipChildren();
            }
        });
        operations.add(texts);
    }

    private void marker(JsonParser parser) throws IOException {
        Map<String, String> marker = TolerantJson.scalars(parser);
        markers.put(number(marker, "key"), marker.getOrDefault("value", ""));
    }

    long processId() {
        return processId;
    }

    String kernel(long id) {
        String name = kernels.getOrDefault(id, "");
        return name.isEmpty() ? "kernel " + id : name;
    }

    /** Returns the agent with a handle; an unknown one is a GPU named by its handle. */
    RocmTracks.Agent agent(long handle) {
        return agents.getOrDefault(handle, new RocmTracks.Agent(true, Long.toString(handle), ""));
    }

    /** Returns the text of a mark or range, empty for none. */
    String marker(long correlation) {
        return markers.getOrDefault(correlation, "");
    }

    /** Returns the name of an operation, such as {@code hipLaunchKernel}. */
    String operation(long kind, long operation) {
        boolean known = kind >= 0
                && kind < operations.size()
                && operation >= 0
                && operation < operations.get((int) kind).size();
        return known ? operations.get((int) kind).get((int) operation) : "operation " + kind + "/" + operation;
    }
}
