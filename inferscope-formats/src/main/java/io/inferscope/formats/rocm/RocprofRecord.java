package io.inferscope.formats.rocm;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import io.inferscope.formats.common.TolerantJson;
import java.io.IOException;

/** One record of any section, reused for the next one. Missing values are {@link #ABSENT}. */
final class RocprofRecord {
    /** Marks a missing number. */
    static final long ABSENT = Long.MIN_VALUE;

    long kind;
    long operation;
    long threadId;
    long correlation;
    long startNs;
    long endNs;
    long agent;
    long sourceAgent;
    long targetAgent;
    long queue;
    long stream;
    long kernelId;
    long sizeBytes;

    /** Reads an object; the parser is at its start and is left at its end. */
    void read(JsonParser parser) throws IOException {
        kind = operation = threadId = correlation = startNs = endNs = ABSENT;
        agent = sourceAgent = targetAgent = queue = stream = kernelId = sizeBytes = ABSENT;
        object(parser, "");
    }

    /** Reads nested objects. Handles and correlation ids are objects: {@code "queue_id": {"handle": 3}}. */
    private void object(JsonParser parser, String around) throws IOException {
        TolerantJson.members(parser, (member, value) -> {
            if (value == JsonToken.START_OBJECT && !member.equals("args")) {
                object(parser, member);
            } else if (value.isStructStart()) {
                parser.skipChildren();
            } else {
                set(member.equals("handle") ? around : member, number(parser));
            }
        });
    }

    private void set(String name, long value) {
        switch (name) {
            case "kind" -> kind = value;
            case "operation" -> operation = value;
            case "thread_id" -> threadId = value;
            case "internal" -> correlation = value;
            case "start_timestamp" -> startNs = value;
            case "end_timestamp" -> endNs = value;
            case "agent_id" -> agent = value;
            case "src_agent_id" -> sourceAgent = value;
            case "dst_agent_id" -> targetAgent = value;
            case "queue_id" -> queue = value;
            case "stream_id" -> stream = value;
            case "kernel_id" -> kernelId = value;
            case "bytes", "allocation_size" -> sizeBytes = value;
            default -> {}
        }
    }

    /** Returns a whole number, {@link #ABSENT} for anything else. */
    static long number(JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            return ABSENT;
        }
        try {
            return parser.getLongValue();
        } catch (InputCoercionException tooLarge) {
            return ABSENT;
        }
    }
}
