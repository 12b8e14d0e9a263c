package io.inferscope.shapes.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Maps the bytes of rows read so far to the sink's number for their content, so that a repeated row is recognised by
 * comparing bytes and need not be parsed. A full cache is emptied, so that its memory is bounded.
 *
 * <p>Open addressing over entries of {@link #STRIDE} ints: hash, start of the bytes in the arena, their length, how
 * much of that is the name, the sink's number, begin and end of the outputs in the tail, number of elements in two
 * halves.
 */
final class BodyCache {
    private static final int STRIDE = 9;
    private static final int MAX_BYTES = 24 << 20;
    private static final int MAX_ENTRIES = 1 << 17;
    /**
     * Multiplier for hashing: odd, from the golden ratio, so that neighbouring values get distant hashes (Knuth, The
     * Art of Computer Programming 3, 6.4).
     */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] arena = new byte[1 << 16];
    private int used;
    private int[] entries = new int[STRIDE * 256];
    private int count;
    private int[] slots = new int[1024];

    /**
     * Returns the entry of a row; its name and tail are at the offsets in {@code head}, the tail ends at {@code to}. -1
     * if there is no entry.
     */
    int find(byte[] line, RowHead head, int to) {
        int hash = hash(line, head, to);
        int name = head.nameTo() - head.nameFrom();
        int length = name + to - head.tail();
        for (int slot = hash & (slots.length - 1); slots[slot] != 0; slot = (slot + 1) & (slots.length - 1)) {
            int entry = slots[slot] - 1;
            int at = entry * STRIDE;
            int start = entries[at + 1];
            if (entries[at] == hash
                    && entries[at + 2] == length
                    && entries[at + 3] == name
                    && Arrays.equals(arena, start + name, start + length, line, head.tail(), to)
                    && Arrays.equals(arena, start, start + name, line, head.nameFrom(), head.nameTo())) {
                return entry;
            }
        }
        return -1;
    }

    /** Adds a row. Its outputs are {@code [outputsFrom, outputsTo)}, counted from its tail. */
    void add(byte[] line, RowHead head, int to, int body, int outputsFrom, int outputsTo, long elements) {
        int name = head.nameTo() - head.nameFrom();
        int tail = to - head.tail();
        if (count == MAX_ENTRIES || used + name + tail > MAX_BYTES) {
            Arrays.fill(slots, 0);
            count = 0;
            used = 0;
        }
        if (name + tail > MAX_BYTES) {
            return;
        }
        reserve(name + tail);
        System.arraycopy(line, head.nameFrom(), arena, used, name);
        System.arraycopy(line, head.tail(), arena, used + name, tail);
        int at = count * STRIDE;
        int hash = hash(line, head, to);
        entries[at] = hash;
        entries[at + 1] = used;
        entries[at + 2] = name + tail;
        entries[at + 3] = name;
        entries[at + 4] = body;
        entries[at + 5] = outputsFrom;
        entries[at + 6] = outputsTo;
        entries[at + 7] = (int) (elements >>> 32);
        entries[at + 8] = (int) elements;
        used += name + tail;
        enter(hash, ++count);
    }

    private void reserve(int length) {
        if (used + length > arena.length) {
            arena = Arrays.copyOf(arena, Math.min(MAX_BYTES, Math.max(2 * arena.length, used + length)));
        }
        if ((count + 1) * STRIDE > entries.length) {
            entries = Arrays.copyOf(entries, 2 * entries.length);
        }
        if (2 * (count + 1) > slots.length) {
            slots = new int[4 * slots.length];
            for (int entry = 0; entry < count; entry++) {
                enter(entries[entry * STRIDE], entry + 1);
            }
        }
    }

    private void enter(int hash, int value) {
        int slot = hash & (slots.length - 1);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (slots.length - 1);
        }
        slots[slot] = value;
    }

    int body(int entry) {
        return entries[entry * STRIDE + 4];
    }

    int outputsFrom(int entry) {
        return entries[entry * STRIDE + 5];
    }

    int outputsTo(int entry) {
        return entries[entry * STRIDE + 6];
    }

    long outputElements(int entry) {
        int at = entry * STRIDE;
        return (long) entries[at + 7] << 32 | (entries[at + 8] & 0xffffffffL);
    }

    private static int hash(byte[] line, RowHead head, int to) {
        long hash = hash(line, head.tail(), to, hash(line, head.nameFrom(), head.nameTo(), SPREAD));
        hash *= SPREAD;
        return (int) (hash >>> 32);
    }

    private static long hash(byte[] line, int from, int to, long start) {
        long hash = start ^ (to - from);
        int at = from;
        for (; at + 8 <= to; at += 8) {
            hash = Long.rotateLeft(hash ^ (long) LONGS.get(line, at), 29) * SPREAD;
        }
        for (; at < to; at++) {
            hash = (hash ^ line[at]) * SPREAD;
        }
        return hash ^ (hash >>> 29);
    }
}
