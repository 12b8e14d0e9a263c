package io.inferscope.report.json;

import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The members of one object of a JSON report, in the types that {@link JsonWriter} writes. {@code null} and a missing
 * member mean the same: nothing was recorded, or the report is older than the member.
 *
 * @param path path of the object, for messages
 * @param members its members
 */
record JsonMembers(String path, Map<String, @Nullable Object> members) {
    /** Reads the object that a document is. */
    static JsonMembers read(InputStream in) throws IOException {
        return new JsonMembers("", JsonValues.read(in));
    }

    boolean has(String name) {
        return members.get(name) != null;
    }

    /** Returns a text that every report has. */
    String text(String name) {
        return of(name, String.class);
    }

    /** Returns a text, empty for none. */
    String textOrNone(String name) {
        return has(name) ? text(name) : "";
    }

    @Nullable
    String textOrNull(String name) {
        return has(name) ? text(name) : null;
    }

    /** Returns a whole number that every report has. */
    long number(String name) {
        return of(name, Number.class).longValue();
    }

    /** Returns a whole number, {@code otherwise} for none. */
    long numberOr(String name, long otherwise) {
        return has(name) ? number(name) : otherwise;
    }

    /** Returns a number, not a number for none. */
    double decimal(String name) {
        return has(name) ? of(name, Number.class).doubleValue() : Double.NaN;
    }

    boolean flag(String name) {
        return of(name, Boolean.class);
    }

    /** Returns an object that every report has. */
    @SuppressWarnings("unchecked") // Objects are read as such maps.
    JsonMembers object(String name) {
        return new JsonMembers(path + name + '.', of(name, Map.class));
    }

    List<String> texts(String name) {
        return list(name).stream()
                .map(element -> element == null ? "" : element.toString())
                .toList();
    }

    /** Returns the parsed objects of an array, none if the array is missing. */
    @SuppressWarnings("unchecked") // Objects are read as such maps.
    <T> List<T> objects(String name, Function<JsonMembers, T> read) {
        List<T> values = new ArrayList<>();
        for (Object element : list(name)) {
            String at = path + name + '[' + values.size() + "].";
            if (!(element instanceof Map<?, ?> map)) {
                throw new IllegalArgumentException(at + " is no object");
            }
            values.add(read.apply(new JsonMembers(at, (Map<String, @Nullable Object>) map)));
        }
        return List.copyOf(values);
    }

    private List<?> list(String name) {
        return has(name) ? of(name, List.class) : List.of();
    }

    /** Returns the value of {@code text}. */
    <T> T known(String name, Iterable<T> values, Function<T, String> id) {
        String text = text(name);
        for (T value : values) {
            if (id.apply(value).equals(text)) {
                return value;
            }
        }
        throw new IllegalArgumentException(path + name + " is \"" + text + "\", which this version does not know");
    }

    private <T> T of(String name, Class<T> type) {
        Object value = members.get(name);
        if (value == null) {
            throw new IllegalArgumentException("it has no " + path + name);
        }
        if (!type.isInstance(value)) {
            throw new IllegalArgumentException(path + name + " is of another type");
        }
        return type.cast(value);
    }
}
