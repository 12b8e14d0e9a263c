package io.inferscope.cli.mcp;

import io.inferscope.batch.JsonTree;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A tool that clients call: its arguments declare both what clients list and what a call is checked against. */
record Tool(String name, String description, List<Argument> arguments, Handler handler) {
    /** Answers a question. */
    interface Handler {
        Map<String, @Nullable Object> answer(Map<?, ?> arguments) throws ImportException, IOException;
    }

    /** An argument of a tool: a text, or a whole number from 1. */
    record Argument(String name, boolean isText, boolean required, String description) {
        static Argument text(String name, String description) {
            return new Argument(name, true, false, description);
        }

        static Argument required(String name, String description) {
            return new Argument(name, true, true, description);
        }

        Map<String, @Nullable Object> schema() {
            Map<String, @Nullable Object> schema =
                    JsonTree.of("type", isText ? "string" : "integer", "description", description);
            if (!isText) {
                schema.put("minimum", 1);
            }
            return schema;
        }

        void check(@Nullable Object value) {
            boolean missing = value == null || (value instanceof String text && text.isBlank());
            if (missing ? required : !(isText ? value instanceof String : value instanceof Number)) {
                throw new IllegalArgumentException("the argument " + name
                        + (missing ? " is missing: " : isText ? " is not a text: " : " is not a number: ")
                        + description);
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
        return JsonTree.of(
                "name",
                name,
                "description",
                description,
                "inputSchema",
                JsonTree.of(
                        "type",
                        "object",
                        "properties",
                        properties,
                        "required",
                        required,
                        "additionalProperties",
                        false),
                "annotations",
                JsonTree.of("readOnlyHint", true, "idempotentHint", true, "openWorldHint", false));
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
