package io.inferscope.scope.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** The ids of the texts that a spool already holds. A new text is stored before the record that refers to it. */
final class StoredTexts {
    /** Texts longer than this are cut: a record has to fit a block. */
    static final int MAX_BYTES = 8 * 1024;

    /** The most texts that are remembered, so that memory is bounded. Any further text is stored again at each use. */
    private static final int MAX_REMEMBERED = 1 << 16;

    private final Map<String, Integer> ids = new HashMap<>();
    private final RecordOutput out;
    private int nextId = 1;

    StoredTexts(RecordOutput out) {
        this.out = out;
    }

    /** Returns the id of a text, 0 for an empty one. Stores the text first if the file does not have it yet. */
    int id(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        Integer known = ids.get(text);
        if (known != null) {
            return known;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = bytes.length;
        if (length > MAX_BYTES) {
            length = MAX_BYTES;
            while ((bytes[length] & 0xc0) == 0x80) { // Never in the middle of a character.
                length--;
            }
        }
        int id = nextId++;
        out.record(STRING, 0, (STRING_TEXT + length + 7) & ~7)
                .i32(STRING_ID, id)
                .i32(STRING_SIZE_BYTES, length)
                .bytes(STRING_TEXT, bytes, length);
        if (ids.size() < MAX_REMEMBERED) {
            ids.put(text, id);
        }
        return id;
    }
}
