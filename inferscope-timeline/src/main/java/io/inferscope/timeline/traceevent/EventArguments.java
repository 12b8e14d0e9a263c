package io.inferscope.timeline.traceevent;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.timeline.importer.JsonText;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads all arguments of a single event on demand. An import reads only the arguments that an analysis needs, and keeps
 * the event's offset ({@link io.inferscope.timeline.Timeline#sourceOffsetBytes}) for the others.
 */
public final class EventArguments {
    private static final int MAX_CHARS = 64 << 20;
    private static final JsonFactory JSON =
            JsonText.factory(MAX_CHARS, MAX_CHARS).build();

    private EventArguments() {}

    /**
     * Returns the arguments of the event that begins at a byte of the inflated document, in their order. Arrays and
     * objects are JSON text without white space.
     *
     * @throws IOException when the file cannot be read, or no event begins there
     */
    public static Map<String, String> at(TraceSource source, long offsetBytes) throws IOException {
        try (InputStream in = source.isPlain() ? source.openAt(offsetBytes) : source.open()) {
            if (!source.isPlain()) {
                in.skipNBytes(offsetBytes);
            }
            try (JsonParser parser = JSON.createParser(in)) {
                return arguments(parser);
            }
        }
    }

    private static Map<String, String> arguments(JsonParser parser) throws IOException {
        Map<String, String> arguments = new LinkedHashMap<>();
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new IOException("no event begins there");
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean args = parser.currentName().equals("args");
            if (parser.nextToken() == JsonToken.START_OBJECT && args) {
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String name = parser.currentName();
                    arguments.put(name, text(parser, parser.nextToken()));
                }
            } else {
                parser.skipChildren();
            }
        }
        return arguments;
    }

    private static String text(JsonParser parser, JsonToken value) throws IOException {
        if (!value.isStructStart()) {
            return parser.getText();
        }
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.copyCurrentStructure(parser);
        }
        return text.toString();
    }
}
