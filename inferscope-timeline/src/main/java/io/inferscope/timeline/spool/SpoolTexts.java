package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The texts of one spool by their id. */
final class SpoolTexts {
    private final Map<Integer, String> texts = new HashMap<>();

    /** Adds the record if it is a STRING; invalid UTF-8 is replaced. */
    void collect(SpoolRecordView view) {
        if (view.type() != STRING) {
            return;
        }
        int length = (int) Math.min(view.u32(STRING_SIZE_BYTES), Math.max(0, view.length() - STRING_TEXT));
        texts.put(view.i32(STRING_ID), new String(view.bytes(STRING_TEXT, length), StandardCharsets.UTF_8));
    }

    /** Returns the text with an id, empty for id 0, null when it is lost. */
    @Nullable
    String text(int id) {
        return id == 0 ? "" : texts.get(id);
    }

    /** Returns the text with an id, empty when it is lost. */
    String orEmpty(int id) {
        return texts.getOrDefault(id, "");
    }
}
