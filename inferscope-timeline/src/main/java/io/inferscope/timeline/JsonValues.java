package io.inferscope.timeline;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON documents that fit into memory as maps, lists, texts, numbers, booleans and null. Members keep their order;
 * nesting is bounded by the parser.
 */
public final class JsonValues {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonValues() {}

    /** Reads a document that is one object; the stream is closed. Throws if it is not an object, or damaged. */
    public static Map<String, @Nullable Object> read(InputStream in) throws IOException {
        try (JsonParser parser = FACTORY.createParser(in)) {
            return document(parser);
        }
    }

    /** Reads a text that is one object; throws if it is not. */
    public static Map<String, @Nullable Object> parse(String text) throws IOException {
        try (JsonParser parser = FACTORY.createParser(text)) {
            return document(parser);
        }
    }

    /** Returns the members of the detail of a mark; none where it is no JSON object. */
    public static Map<String, @Nullable Object> ofDetail(Timeline timeline, int mark) {
        try {
            return parse(timeline.attributeText(mark, Attribute.DETAIL));
        } catch (IOException damaged) {
            return Map.of();
        }
    }

    /** Reads a text that is one value of any type; throws if it is damaged, or if more follows. */
    public static @Nullable Object value(String text) throws IOException {
        try (JsonParser parser = FACTORY.createParser(text)) {
            Object value = value(parser, next(parser));
            if (parser.nextToken() != null) {
                throw new IOException("more follows its end");
            }
            return value;
        }
    }

    private static Map<String, @Nullable Object> document(JsonParser parser) throws IOException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new IOException("it is not a JSON object");
        }
        return object(parser);
    }

    private static Map<String, @Nullable Object> object(JsonParser parser) throws IOException {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (next(parser) != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            members.put(name, value(parser, next(parser)));
        }
        return members;
    }

    private static @Nullable Object value(JsonParser parser, JsonToken token) throws IOException {
        return switch (token) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> {
                List<@Nullable Object> elements = new ArrayList<>();
                for (JsonToken next = next(parser); next != JsonToken.END_ARRAY; next = next(parser)) {
                    elements.add(value(parser, next));
                }
                yield elements;
            }
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getNumberValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> parser.getText();
        };
    }

    private static JsonToken next(JsonParser parser) throws IOException {
        JsonToken token = parser.nextToken();
        if (token == null) {
            throw new IOException("it ends too early");
        }
        return token;
    }
}
