package io.inferscope.shapes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Texts by number. Where the number of different texts is unlimited, as with messages, only the first get numbers of
 * their own; all others are {@link #OTHERS}.
 */
final class TextIds {
    /** The id of all texts beyond the limit. */
    static final String OTHERS = "(others)";

    private static final int MAX_TEXT = 2_000;

    /** Of all texts together: failures may each have a long message of their own. */
    private static final int MAX_CHARS = 4 << 20;

    private final Map<String, Integer> ids = new HashMap<>();
    private final List<String> texts = new ArrayList<>();
    private final int limit;
    private int chars;

    TextIds(int limit) {
        this.limit = limit;
    }

    int id(String text) {
        String kept = text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
        Integer known = ids.get(kept);
        if (known != null) {
            return known;
        }
        String added = texts.size() >= limit || chars > MAX_CHARS ? OTHERS : kept;
        return ids.computeIfAbsent(added, name -> {
            texts.add(name);
            chars += name.length();
            return texts.size() - 1;
        });
    }

    String text(int id) {
        return texts.get(id);
    }

    int size() {
        return texts.size();
    }
}
