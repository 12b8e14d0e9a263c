package io.inferscope.timeline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Interned text: equal texts have one id. Id 0 is the empty text. Texts beyond the memory limit become one text and are
 * counted.
 */
final class Names {
    /** The id of the texts that are left out. */
    static final String LEFT_OUT = "(name left out)";

    /** Heap that one text takes over a whole analysis, measured with names of 30 characters; longer names are rarer. */
    private static final long BYTES_PER_TEXT = 1_000;

    private static final int LEAST = 50_000;

    /** A power of two. */
    private static final int RECENT = 1 << 12;

    private final int most;
    private final Map<String, Integer> ids = new HashMap<>();
    private final List<String> texts = new ArrayList<>();
    private long leftOut;

    /**
     * The texts that were asked for last, by their hashes, and their ids. An importer passes equal texts as one object,
     * and a million rows have a few thousand names.
     */
    private final @Nullable String[] recent = new String[RECENT];

    private final int[] recentIds = new int[RECENT];

    /** Makes room for {@code most} different texts. */
    Names(int most) {
        this.most = most;
        intern("");
    }

    /** Returns how many different texts this JVM has memory for. */
    static int mostInMemory() {
        return (int) Math.min(
                Integer.MAX_VALUE - 8, Math.max(LEAST, Runtime.getRuntime().maxMemory() / BYTES_PER_TEXT));
    }

    @SuppressWarnings("ReferenceEquality") // Only a shortcut.
    int intern(String text) {
        int slot = spread(text.hashCode()) & (RECENT - 1);
        if (recent[slot] == text) {
            return recentIds[slot];
        }
        Integer known = ids.get(text);
        if (known != null) {
            recent[slot] = text;
            recentIds[slot] = known;
            return known;
        }
        if (texts.size() >= most && !text.equals(LEFT_OUT)) {
            leftOut++;
            return intern(LEFT_OUT);
        }
        ids.put(text, texts.size());
        texts.add(text);
        return texts.size() - 1;
    }

    private static int spread(int hash) {
        return hash ^ (hash >>> 12);
    }

    /** Returns the number of uses of texts beyond the limit. */
    long leftOut() {
        return leftOut;
    }

    String text(int id) {
        return texts.get(id);
    }

    String[] toArray() {
        return texts.toArray(String[]::new);
    }
}
