package io.inferscope.formats.export;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The frames that all profiles share, numbered in the order in which they were first seen. */
final class SpeedscopeFrameTable {
    private final Map<String, Integer> numbers = new LinkedHashMap<>();

    int of(String name) {
        Integer known = numbers.get(name);
        if (known != null) {
            return known;
        }
        numbers.put(name, numbers.size());
        return numbers.size() - 1;
    }

    void write(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("shared");
        json.writeArrayFieldStart("frames");
        for (String name : numbers.keySet()) {
            json.writeStartObject();
            json.writeStringField("name", name.isEmpty() ? "(no name)" : encodable(name));
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Returns a text with half surrogate pairs, which UTF-8 cannot hold, replaced. */
    static String encodable(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
