package io.inferscope.timeline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Interned text: equal texts have one id. Id 0 is the empty text. */
final class Names {
    private final Map<String, Integer> ids = new HashMap<>();
    private final List<String> texts = new ArrayList<>();

    Names() {
        intern("");
    }

    int intern(String text) {
        Integer known = ids.get(text);
        if (known != null) {
            return known;
        }
        ids.put(text, texts.size());
        texts.add(text);
        return texts.size() - 1;
    }

    String text(int id) {
        return texts.get(id);
    }

    String[] toArray() {
        return texts.toArray(String[]::new);
    }
}
