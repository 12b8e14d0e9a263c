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
                RocprofDocument.forEachMember(parser, name -> {
                    if (name.equals("pid")) {
                        processId = Math.max(0, RocprofRecord.number(parser));
                    } else {
                        parser.skipChildren();
                    }
                });
            case "agents" -> RocprofDocument.forEachElement(parser, () -> agent(parser));
            case "kernel_symbols" -> RocprofDocument.forEachElement(parser, () -> kernel(parser));
            case "strings" ->
                RocprofDocument.forEachMember(parser, name -> {
                    switch (name) {
                        case "buffer_records" -> RocprofDocument.forEachElement(parser, () -> operationsOf(parser));
                        case "marker_api" -> RocprofDocument.forEachElement(parser, () -> marker(parser));
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
        RocprofDocument.forEachMember(parser, member -> {
            switch (member) {
                case "id" ->
                    RocprofDocument.forEachMember(parser, inner -> {
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
        long[] id = {RocprofRecord.ABSENT};
        String[] names = {"", ""};
        RocprofDocument.forEachMember(parser, member -> {
            switch (member) {
                case "kernel_id" -> id[0] = RocprofRecord.number(parser);
                case "formatted_kernel_name" -> names[0] = TolerantJson.text(parser);
                case "kernel_name" -> names[1] = TolerantJson.text(parser);
                default -> parser.skipChildren();
            }
        });
        kernels.put(id[0], names[0].isEmpty() ? names[1] : names[0]);
    }

    private void operationsOf(JsonParser parser) throws IOException {
        List<String> texts = new ArrayList<>();
        RocprofDocument.forEachMember(parser, member -> {
            if (member.equals("operations")) {
                RocprofDocument.forEachElement(parser, () -> texts.add(TolerantJson.text(parser)));
            } else {
                parser.skipChildren();
            }
        });
        operations.add(texts);
    }

    private void marker(JsonParser parser) throws IOException {
        long[] correlation = {RocprofRecord.ABSENT};
        String[] text = {""};
        RocprofDocument.forEachMember(parser, member -> {
            switch (member) {
                case "key" -> correlation[0] = RocprofRecord.number(parser);
                case "value" -> text[0] = TolerantJson.text(parser);
                default -> parser.skipChildren();
            }
        });
        markers.put(correlation[0], text[0]);
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
