package io.inferscope.batch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.inferscope.timeline.JsonValues;
import io.inferscope.timeline.WholeFile;
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

/** Small JSON documents as maps, lists, texts, numbers, booleans and null. Members keep their order. */
public final class JsonTree {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonTree() {}

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
            return JsonValues.read(in);
        }
    }

    /** Reads a document to its end without keeping it; throws if it is damaged or other text follows it. */
    static void check(InputStream in) throws IOException {
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

    private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
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
