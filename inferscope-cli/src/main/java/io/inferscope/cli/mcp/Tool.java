package io.inferscope.cli.mcp;

import io.inferscope.timeline.JsonValues;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A tool that clients call: its arguments declare both what clients list and what a call is checked against.
 *
 * @param runs whether it runs a program; the others only read
 */
record Tool(String name, String description, List<Argument> arguments, boolean runs, Handler handler) {
    /** Answers a question. */
    interface Handler {
        Map<String, @Nullable Object> answer(Map<?, ?> arguments) throws ImportException, IOException;
    }

    /** What an argument is. */
    enum Kind {
        TEXT("string", "a text"),
        TEXTS("array", "a list of texts"),
        NUMBER("integer", "a number");

        private final String type;
        private final String words;

        Kind(String type, String words) {
            this.type = type;
            this.words = words;
        }

        private boolean is(Object value) {
            return switch (this) {
                case TEXT -> value instanceof String;
                case TEXTS -> value instanceof List<?> list && list.stream().allMatch(String.class::isInstance);
                case NUMBER -> value instanceof Number;
            };
        }
    }

    /** An argument of a tool; a number is whole, and at least 1. */
    record Argument(String name, Kind kind, boolean required, String description) {
        static Argument text(String name, String description) {
            return new Argument(name, Kind.TEXT, false, description);
        }

        static Argument number(String name, String description) {
            return new Argument(name, Kind.NUMBER, false, description);
        }

        static Argument required(String name, String description) {
            return new Argument(name, Kind.TEXT, true, description);
        }

        Map<String, @Nullable Object> schema() {
            Map<String, @Nullable Object> schema = JsonValues.of("type", kind.type, "description", description);
            if (kind == Kind.NUMBER) {
                schema.put("minimum", 1);
            } else if (kind == Kind.TEXTS) {
                schema.put("items", JsonValues.of("type", Kind.TEXT.type));
            }
            return schema;
        }

        void check(@Nullable Object value) {
            boolean missing = value == null
                    || (value instanceof String text && text.isBlank())
                    || (value instanceof List<?> list && list.isEmpty());
            if (missing ? required : !kind.is(Objects.requireNonNull(value))) {
                throw new IllegalArgumentException("the argument " + name
                        + (missing ? " is missing: " : " is not " + kind.words + ": ") + description);
            }
        }
    }

    /** Returns the tool as clients list it. */
    Map<String, @Nullable Object> described() {
        Map<String, @Nullable Object> properties = new LinkedHashMap<>();
        arguments.forEach(argument -> properties.put(argument.name(), argument.schema()));
        List<String> required = arguments.stream()
                .filter(Argument::required)
                .map(Argument::name)
                .toList();
        return JsonValues.of(
                "name",
                name,
                "description",
                description,
                "inputSchema",
                JsonValues.of(
                        "type",
                        "object",
                        "properties",
                        properties,
                        "required",
                        required,
                        "additionalProperties",
                        false),
                "annotations",
                JsonValues.of("readOnlyHint", !runs, "idempotentHint", !runs, "openWorldHint", runs));
    }

    /** Throws if a call has other arguments than the tool takes. */
    void check(Map<?, ?> given) {
        List<String> names = arguments.stream().map(Argument::name).toList();
        for (Object name : given.keySet()) {
            if (!names.contains(name)) {
                throw new IllegalArgumentException(
                        "there is no argument " + CappedAnswer.cut(name) + "; known: " + String.join(", ", names));
            }
        }
        arguments.forEach(argument -> argument.check(given.get(argument.name())));
    }
}
