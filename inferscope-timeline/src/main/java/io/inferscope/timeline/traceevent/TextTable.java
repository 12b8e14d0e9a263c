package io.inferscope.timeline.traceevent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.ConcurrentMap;

/**
 * Texts by their bytes in the document, escapes included. A known text costs one hash and one comparison, and no
 * object. Open addressing with linear probing at a load of at most one half. Not thread-safe; what {@link #texts}
 * returned stays valid.
 */
final class TextTable {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /**
     * The golden ratio as a 64-bit fraction (Knuth, The Art of Computer Programming 3, 6.4): spreads hashes that differ
     * in few bits.
     */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** Longer texts are not interned, nor is any text once the table is full: they hardly repeat. */
    private static final int MAX_TEXT_BYTES = 1 << 16;

    private static final int MAX_ARENA_BYTES = 1 << 30;

    /** A text's bytes in the document. */
    enum Form {
        /** Between quotes. */
        QUOTED,
        /** A number or a literal. */
        BARE,
        /** An array or an object. */
        NESTED
    }

    private final ConcurrentMap<String, String> shared;
    private int[] slots = new int[1 << 12];
    private int size;
    private int used;
    private int[] hashes = new int[1 << 10];
    private int[] starts = new int[1 << 10];
    private int[] lengths = new int[1 << 10];
    private byte[] forms = new byte[1 << 10];
    private String[] texts = new String[1 << 10];
    private byte[] arena = new byte[1 << 16];
    private int arenaSize;

    /**
     * Makes an empty table.
     *
     * @param shared the texts of all tables of a document, so that equal texts of two tables are the same object
     */
    TextTable(ConcurrentMap<String, String> shared) {
        this.shared = shared;
    }

    /** Returns the texts by id; all ids so far are below its length. */
    String[] texts() {
        return texts;
    }

    /** Returns the id of {@code bytes[from, to)}; at least eight bytes must follow. */
    int intern(byte[] bytes, int from, int to, Form form) {
        if (to - from > MAX_TEXT_BYTES || arenaSize > MAX_ARENA_BYTES) {
            return addText(0, bytes, from, to, form);
        }
        int hash = hash(bytes, from, to) + form.ordinal();
        int mask = slots.length - 1;
        for (int slot = hash & mask; ; slot = (slot + 1) & mask) {
            int id = slots[slot] - 1;
            if (id < 0) {
                return add(slot, hash, bytes, from, to, form);
            }
            if (hashes[id] == hash
                    && lengths[id] == to - from
                    && forms[id] == form.ordinal()
                    && isAt(starts[id], bytes, from, to)) {
                return id;
            }
        }
    }

    /**
     * Returns whether the arena holds {@code bytes[from, to)} at a position. Cheaper here than Arrays.equals: most
     * texts are short.
     */
    private boolean isAt(int start, byte[] bytes, int from, int to) {
        int moved = start - from;
        int at = from;
        for (; at + 8 <= to; at += 8) {
            if ((long) LONGS.get(arena, at + moved) != (long) LONGS.get(bytes, at)) {
                return false;
            }
        }
        long differing = at < to ? (long) LONGS.get(arena, at + moved) ^ (long) LONGS.get(bytes, at) : 0;
        return at == to || differing << (64 - 8 * (to - at)) == 0;
    }

    /** Returns a hash of {@code bytes[from, to)}; at least eight bytes must follow. */
    static int hash(byte[] bytes, int from, int to) {
        long hash = (long) to - from;
        int at = from;
        for (; at + 8 <= to; at += 8) {
            hash = (hash ^ (long) LONGS.get(bytes, at)) * SPREAD;
            hash ^= hash >>> 32;
        }
        if (at < to) {
            long last = (long) LONGS.get(bytes, at) & (-1L >>> (64 - 8 * (to - at)));
            hash = (hash ^ last) * SPREAD;
            hash ^= hash >>> 32;
        }
        return (int) (hash ^ (hash >>> 15));
    }

    private int add(int slot, int hash, byte[] bytes, int from, int to, Form form) {
        int length = to - from;
        while (arena.length - arenaSize < length + 8) { // isAt reads whole words.
            arena = Arrays.copyOf(arena, arena.length * 2);
        }
        System.arraycopy(bytes, from, arena, arenaSize, length);
        int id = addText(hash, bytes, from, to, form);
        starts[id] = arenaSize;
        arenaSize += length;
        slots[slot] = id + 1;
        if (++used * 2 > slots.length) {
            growSlots();
        }
        return id;
    }

    private int addText(int hash, byte[] bytes, int from, int to, Form form) {
        if (size == texts.length) {
            growColumns();
        }
        hashes[size] = hash;
        starts[size] = -1;
        lengths[size] = to - from;
        forms[size] = (byte) form.ordinal();
        texts[size] = shared.computeIfAbsent(RawText.of(bytes, from, to, form), t -> t);
        return size++;
    }

    private void growColumns() {
        int capacity = size * 2;
        hashes = Arrays.copyOf(hashes, capacity);
        starts = Arrays.copyOf(starts, capacity);
        lengths = Arrays.copyOf(lengths, capacity);
        forms = Arrays.copyOf(forms, capacity);
        texts = Arrays.copyOf(texts, capacity);
    }

    private void growSlots() {
        slots = new int[slots.length * 2];
        int mask = slots.length - 1;
        for (int id = 0; id < size; id++) {
            if (starts[id] < 0) {
                continue;
            }
            int slot = hashes[id] & mask;
            while (slots[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            slots[slot] = id + 1;
        }
    }
}
