package io.inferscope.cli.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shortens an answer to fit into a model's context, and counts the omitted elements. */
final class CappedAnswer {
    /** Some 6,000 tokens. */
    static final int MOST_CHARACTERS = 24_000;

    private static final int MOST_TEXT = 600;

    private CappedAnswer() {}

    /**
     * Cuts long texts, then drops the last elements of the longest list until the whole fits. Member {@code leftOut}
     * contains the number of missing elements of each list, such as {@code hostDuring/rows}.
     */
    static String of(ObjectNode given) {
        ObjectNode answer = given.deepCopy(); // A copy, because parts of it belong to a cached report.
        cutTexts(answer);
        ObjectNode leftOut = answer.objectNode();
        String text = answer.toString();
        while (text.length() > MOST_CHARACTERS) {
            Map<String, ArrayNode> lists = new LinkedHashMap<>();
            addLists(answer, "", lists);
            String longest = lists.entrySet().stream()
                    .max(Order.comparingInt(list -> list.getValue().toString().length()))
                    .map(Map.Entry::getKey)
                    .orElse("");
            ArrayNode list = lists.get(longest);
            if (list == null) {
                break;
            }
            // A quarter per round, so that a few rounds suffice.
            int dropped = Math.max(1, list.size() / 4);
            for (int i = 0; i < dropped; i++) {
                list.remove(list.size() - 1);
            }
            leftOut.put(longest, leftOut.path(longest).asInt() + dropped);
            answer.set("leftOut", leftOut);
            text = answer.toString();
        }
        return text;
    }

    /** Adds all non-empty lists inside an object, by their paths of member names. */
    private static void addLists(ObjectNode object, String path, Map<String, ArrayNode> lists) {
        for (Map.Entry<String, JsonNode> member : object.properties()) {
            String name = path + member.getKey();
            if (member.getValue() instanceof ArrayNode list && !list.isEmpty()) {
                lists.put(name, list);
            } else if (member.getValue() instanceof ObjectNode inner) {
                addLists(inner, name + "/", lists);
            }
        }
    }

    private static void cutTexts(JsonNode node) {
        if (node instanceof ObjectNode object) {
            List<String> names = new ArrayList<>();
            for (Iterator<String> all = object.fieldNames(); all.hasNext(); ) {
                names.add(all.next());
            }
            for (String name : names) {
                object.set(name, cut(object.get(name)));
            }
        } else if (node instanceof ArrayNode list) {
            for (int i = 0; i < list.size(); i++) {
                list.set(i, cut(list.get(i)));
            }
        }
    }

    private static JsonNode cut(JsonNode node) {
        if (node.isTextual() && node.textValue().length() > MOST_TEXT) {
            int end = MOST_TEXT - (Character.isHighSurrogate(node.textValue().charAt(MOST_TEXT - 1)) ? 1 : 0);
            return TextNode.valueOf(node.textValue().substring(0, end) + "...");
        }
        cutTexts(node);
        return node;
    }
}
