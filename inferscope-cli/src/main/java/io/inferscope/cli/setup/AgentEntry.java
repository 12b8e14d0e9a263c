package io.inferscope.cli.setup;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The entry of InferScope's server in the text of an agent's configuration. It is added, replaced and removed where it
 * stands; every other character stays, comments and order included.
 *
 * @param member the object of JSON, or the table of TOML, that contains the agent's servers
 * @param toml whether the file is TOML
 * @param words the server's program and its arguments
 */
record AgentEntry(String member, boolean toml, List<String> words) {
    private static final String NAME = "inferscope";

    /** Files that people write: comments and commas at the end are usual in them. */
    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
            .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
            .build();

    /** Returns the configuration with the entry; {@code text} is empty where there is no file. */
    String addedTo(String text) throws IOException {
        String without = removedFrom(text);
        if (toml) {
            checkNoInlineTable(without);
            return without + (without.isEmpty() || without.endsWith("\n") ? "" : "\n") + block();
        }
        if (isEmpty(without)) {
            return "{\n  \"" + member + "\": {\n    " + json() + "\n  }\n}\n";
        }
        Places places = places(without);
        return places.servers < 0
                ? inserted(without, places.top, "\"" + member + "\": {\n    " + json() + "\n  }", "  ", places.empty)
                : inserted(without, places.servers, json(), "    ", places.noServers);
    }

    private static String inserted(String text, int at, String added, String indent, boolean isOnly) {
        String end = isOnly ? "\n" + indent.substring(2) : ",";
        return text.substring(0, at) + '\n' + indent + added + end + text.substring(at);
    }

    /** Returns the configuration without the entry; the same text if it has none. */
    String removedFrom(String text) throws IOException {
        if (toml) {
            Matcher block = Pattern.compile(
                            "(?m)(\\R|\\A)^\\[" + member + "\\.\"?" + NAME + "\"?]\\h*(?:\\R(?!\\[|\\h*$).*)*\\R?")
                    .matcher(text);
            return block.find() ? text.substring(0, block.start()) + text.substring(block.end()) : text;
        }
        Places places = text.isBlank() ? new Places() : places(text);
        return places.entry < 0
                ? text
                : places.noServers
                        ? cut(text, places.member, places.memberEnd)
                        : cut(text, places.entry, places.entryEnd);
    }

    /** Removes a member, and the comma that divides it from the next one, or from the one before if it is the last. */
    private static String cut(String text, int start, int end) {
        String before = text.substring(0, start).stripTrailing();
        String after = text.substring(end);
        String rest = after.stripLeading();
        return rest.startsWith(",")
                ? before + rest.substring(1)
                : (before.endsWith(",") ? before.substring(0, before.length() - 1) : before) + after;
    }

    /** Returns whether a configuration holds nothing, so that the file was made for the entry. */
    static boolean isEmpty(String text) {
        String bare = text.replaceAll("\\s", "");
        return bare.isEmpty() || bare.equals("{}");
    }

    /** Where in a text of JSON the entry is, or can be put; -1 for a place that does not exist. */
    private static final class Places {
        private int top = -1;
        private int member = -1;
        private int memberEnd = -1;
        private int servers = -1;
        private int entry = -1;
        private int entryEnd = -1;
        private boolean empty = true;
        private boolean noServers = true;
    }

    private Places places(String text) throws IOException {
        Places places = new Places();
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("it is not a JSON object");
            }
            places.top = end(parser);
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                places.empty = false;
                boolean isServers = parser.currentName().equals(member);
                int start = (int) parser.currentTokenLocation().getCharOffset();
                if (parser.nextToken() == JsonToken.START_OBJECT && isServers) {
                    servers(parser, places);
                    places.member = start;
                    places.memberEnd = end(parser);
                } else if (isServers) {
                    throw new IOException("its member " + member + " is not an object");
                } else {
                    parser.skipChildren();
                }
            }
        }
        return places;
    }

    private static void servers(JsonParser parser, Places places) throws IOException {
        places.servers = end(parser);
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean isEntry = parser.currentName().equals(NAME);
            int start = (int) parser.currentTokenLocation().getCharOffset();
            parser.nextToken();
            parser.skipChildren();
            if (isEntry) {
                places.entry = start;
                places.entryEnd = end(parser);
            } else {
                places.noServers = false;
            }
        }
    }

    private static int end(JsonParser parser) {
        return (int) parser.currentLocation().getCharOffset();
    }

    /** Throws where a table in braces has the servers: TOML does not allow a second definition of it. */
    private void checkNoInlineTable(String text) throws IOException {
        if (Pattern.compile("(?m)^\\h*\"?" + member + "\"?\\h*=").matcher(text).find()) {
            throw new IOException("its servers stand in one line, " + member + " = {...}; make them tables");
        }
    }

    /** The entry as a member of JSON. Agents that know several kinds of servers want the kind. */
    private String json() {
        Map<String, @Nullable Object> entry = switch (member) {
            case "mcp" -> JsonValues.of("type", "local", "command", words);
            case "servers" -> JsonValues.of("type", "stdio", "command", words.get(0), "args", arguments());
            default -> JsonValues.of("command", words.get(0), "args", arguments());
        };
        return "\"" + NAME + "\": " + JsonValues.line(entry);
    }

    private List<String> arguments() {
        return words.subList(1, words.size());
    }

    private String block() {
        Stream<String> quoted = words.stream().map(word -> JsonValues.line(JsonValues.of("", word)));
        List<String> texts = quoted.map(line -> line.substring(line.indexOf(':') + 1, line.length() - 1))
                .toList(); // A basic string of TOML is written as one of JSON.
        return "\n[" + member + "." + NAME + "]\ncommand = " + texts.get(0) + "\nargs = ["
                + texts.stream().skip(1).collect(Collectors.joining(", ")) + "]\n";
    }
}
