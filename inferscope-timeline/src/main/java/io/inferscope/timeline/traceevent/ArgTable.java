package io.inferscope.timeline.traceevent;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds the {@link Arg} of a member name by its bytes, without making a text of it. */
final class ArgTable {
    private static final int SLOTS = 256;
    private static final byte[] @Nullable [] KEYS = new byte[SLOTS][];
    private static final @Nullable Arg[] ARGS = new Arg[SLOTS];

    static {
        for (Arg arg : Arg.values()) {
            for (String name : arg.names()) {
                add(name, arg);
                String lower = name.toLowerCase(Locale.ROOT);
                if (!lower.equals(name)) {
                    add(lower, arg);
                }
            }
        }
    }

    private ArgTable() {}

    private static void add(String key, Arg arg) {
        byte[] bytes = key.getBytes(StandardCharsets.US_ASCII);
        int slot = slot(bytes, 0, bytes.length);
        while (ARGS[slot] != null) {
            slot = (slot + 1) & (SLOTS - 1);
        }
        KEYS[slot] = bytes;
        ARGS[slot] = arg;
    }

    /** Length, first, middle and last byte distinguish Kineto's names. */
    private static int slot(byte[] bytes, int from, int to) {
        int hash = to - from;
        hash = hash * 31 + bytes[from];
        hash = hash * 31 + bytes[(from + to) >>> 1];
        hash = hash * 31 + bytes[to - 1];
        return (hash ^ (hash >>> 7)) & (SLOTS - 1);
    }

    /** Returns the argument named by {@code bytes[from, to)}, null when it is not read. */
    static @Nullable Arg of(byte[] bytes, int from, int to) {
        if (from == to) {
            return null;
        }
        for (int slot = slot(bytes, from, to); ; slot = (slot + 1) & (SLOTS - 1)) {
            byte[] key = KEYS[slot];
            if (key == null) {
                return null;
            }
            if (key.length == to - from && Arrays.equals(key, 0, key.length, bytes, from, to)) {
                return ARGS[slot];
            }
        }
    }
}
