package io.inferscope.report.scene;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Growing bytes that hold numbers of seven bits per byte, the lowest first. */
final class Varints {
    private byte[] bytes = new byte[64];
    private int size;

    /** Adds a number that is not negative. */
    Varints add(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("negative: " + value);
        }
        if (size + 10 > bytes.length) {
            bytes = Arrays.copyOf(bytes, bytes.length * 2);
        }
        long rest = value;
        while (rest > 0x7f) {
            bytes[size++] = (byte) ((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
        return this;
    }

    /** Adds any number, small ones of either sign in few bytes. */
    Varints signed(long value) {
        return add(value < 0 ? -2 * value - 1 : 2 * value);
    }

    /** Adds a text with its length. */
    Varints text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        add(utf8.length);
        grow(utf8.length);
        System.arraycopy(utf8, 0, bytes, size, utf8.length);
        size += utf8.length;
        return this;
    }

    Varints addAll(Varints other) {
        grow(other.size);
        System.arraycopy(other.bytes, 0, bytes, size, other.size);
        size += other.size;
        return this;
    }

    private void grow(int more) {
        if (size + more + 10 > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more + 10));
        }
    }

    int size() {
        return size;
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(bytes, 0, size);
    }
}
