package io.inferscope.timeline;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.inferscope.timeline.files.WholeFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** Returns an object of names and values, in this order. */
    public static Map<String, @Nullable Object> of(@Nullable Object... namesAndValues) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
        }
        return object;
    }

    /** Reads a file whose document is an object; throws if the file is not JSON or the document is not an object. */
    public static Map<String, @Nullable Object> read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return read(in);
        }
    }

    /** Reads a document to its end without keeping it; throws if it is damaged or other text follows it. */
    public static void check(InputStream in) throws IOException {
        try (JsonParser parser = FACTORY.createParser(in)) {
            if (parser.nextToken() == null) {
                throw new IOException("empty");
            }
            parser.skipChildren();
            if (parser.nextToken() != null) {
                throw new IOException("more than one document");
            }
        }
    }

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

    /** Writes a document; the file is never visible half-written. */
    public static void write(Path file, Map<String, ?> document) throws IOException {
        WholeFile.write(file, out -> {
            JsonGenerator json = FACTORY.createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            DefaultIndenter lines = new DefaultIndenter(" ", "\n");
            json.setPrettyPrinter(
                    new DefaultPrettyPrinter().withObjectIndenter(lines).withArrayIndenter(lines));
            write(json, document);
            json.writeRaw('\n');
            json.flush();
        });
    }

    /** Returns a document in one line. */
    public static String line(@Nullable Object document) {
        StringWriter line = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(line)) {
            write(json, document);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // A text cannot be full.
        }
        return line.toString();
    }

    /** Writes a value; the generator decides about the layout. */
    public static void write(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                json.writeFieldName(String.valueOf(entry.getKey()));
                write(json, entry.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof Iterable<?> list) {
            json.writeStartArray();
            for (Object element : list) {
                write(json, element);
            }
            json.writeEndArray();
        } else if (value instanceof Double || value instanceof Float) {
            json.writeNumber(((Number) value).doubleValue());
        } else if (value instanceof BigInteger large) {
            json.writeNumber(large);
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value == null) {
            json.writeNull();
        } else {
            json.writeString(value.toString());
        }
    }

    /** Returns a member that is an object; an empty object if the member is missing or of another type. */
    public static Map<String, @Nullable Object> object(Map<String, ?> in, String name) {
        return in.get(name) instanceof Map<?, ?> map ? cast(map) : Map.of();
    }

    /** Returns the members of an array that are objects. */
    public static List<Map<String, @Nullable Object>> objects(Map<String, ?> in, String name) {
        List<Map<String, @Nullable Object>> found = new ArrayList<>();
        if (in.get(name) instanceof List<?> list) {
            for (Object element : list) {
                if (element instanceof Map<?, ?> map) {
                    found.add(cast(map));
                }
            }
        }
        return found;
    }

    public static List<String> texts(Map<String, ?> in, String name) {
        return in.get(name) instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }

    /** Returns a member as text, empty where there is none. */
    public static String text(Map<String, ?> in, String name) {
        Object value = in.get(name);
        return value == null ? "" : value.toString();
    }

    /** Returns a member as a number; 0 if it is missing or of another type. */
    public static double number(Map<String, ?> in, String name) {
        return in.get(name) instanceof Number number ? number.doubleValue() : 0;
    }

    @SuppressWarnings("unchecked") // Keys of JSON objects are texts.
    private static Map<String, @Nullable Object> cast(Map<?, ?> map) {
        return (Map<String, @Nullable Object>) map;
    }
}
