package io.inferscope.report.scene;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Growing bytes that hold numbers of seven bits per byte, the lowest first. */
final class Varints {
    /** Longer data is kept by reference: copying it took a sixth of the memory for writing a page. */
    private static final int LARGE = 4_096;

    /** The data before {@code bytes}. */
    private final List<Varints> before = new ArrayList<>();

    private byte[] bytes = new byte[64];
    private int size;

    /** Adds a number that is not negative. */
    Varints add(long value) {
        if (value < 0) {
            throw negative(value);
        }
        if (size + 10 > bytes.length) {
            bytes = Arrays.copyOf(bytes, bytes.length * 2);
        }
        if (value <= 0x7f) { // Most numbers are that small.
            bytes[size++] = (byte) value;
            return this;
        }
        long rest = value;
        while (rest > 0x7f) {
            bytes[size++] = (byte) ((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
        return this;
    }

    /** A method of its own, so that the method called for each number stays small. */
    private static IllegalArgumentException negative(long value) {
        return new IllegalArgumentException("negative: " + value);
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

    /** Adds all numbers of another object, which must not change afterwards. */
    Varints addAll(Varints other) {
        if (other.size() > LARGE) {
            Varints own = new Varints();
            own.bytes = bytes;
            own.size = size;
            before.add(own);
            before.add(other);
            bytes = new byte[64];
            size = 0;
            return this;
        }
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
        int all = size;
        for (Varints part : before) {
            all += part.size();
        }
        return all;
    }

    void writeTo(OutputStream out) throws IOException {
        for (Varints part : before) {
            part.writeTo(out);
        }
        out.write(bytes, 0, size);
    }
}
