package io.inferscope.cli.mcp;

import io.inferscope.report.common.PlainText;
import io.inferscope.timeline.JsonValues;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
    static String of(Map<String, ?> given) {
        Map<String, @Nullable Object> answer = copy(given); // Parts of it belong to a cached report.
        Map<String, @Nullable Object> leftOut = new LinkedHashMap<>();
        String text = JsonValues.line(answer);
        while (text.length() > MOST_CHARACTERS) {
            Map<String, List<?>> lists = new LinkedHashMap<>();
            addLists(answer, "", lists);
            String longest = lists.entrySet().stream()
                    .max(Order.comparingInt(
                            list -> JsonValues.line(list.getValue()).length()))
                    .map(Map.Entry::getKey)
                    .orElse("");
            List<?> list = lists.get(longest);
            if (list == null) {
                break;
            }
            // A quarter per round, so that a few rounds suffice.
            int dropped = Math.max(1, list.size() / 4);
            list.subList(list.size() - dropped, list.size()).clear();
            leftOut.put(longest, (int) JsonValues.number(leftOut, longest) + dropped);
            answer.put("leftOut", leftOut);
            text = JsonValues.line(answer);
        }
        return text;
    }

    /** Adds all non-empty lists inside an object, by their paths of member names. */
    private static void addLists(Map<?, ?> object, String path, Map<String, List<?>> lists) {
        object.forEach((member, value) -> {
            if (value instanceof List<?> list && !list.isEmpty()) {
                lists.put(path + member, list);
            } else if (value instanceof Map<?, ?> inner) {
                addLists(inner, path + member + "/", lists);
            }
        });
    }

    private static Map<String, @Nullable Object> copy(Map<?, ?> object) {
        Map<String, @Nullable Object> copy = new LinkedHashMap<>();
        object.forEach((member, value) -> copy.put(String.valueOf(member), copied(value)));
        return copy;
    }

    private static @Nullable Object copied(@Nullable Object value) {
        if (value instanceof Map<?, ?> object) {
            return copy(object);
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> copy = new ArrayList<>(list.size());
            list.forEach(element -> copy.add(copied(element)));
            return copy;
        }
        return cut(value);
    }

    /** Shortens a value if it is a long text. */
    static @Nullable Object cut(@Nullable Object value) {
        return value instanceof String text ? PlainText.shorten(text, MOST_TEXT) : value;
    }
}
