package io.inferscope.collectors.symbols;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The kernel's functions by address, from {@code /proc/kallsyms}; none if the kernel hides them (kernel.kptr_restrict).
 */
public final class KernelSymbols {
    /** The empty table. */
    public static final KernelSymbols NONE = new KernelSymbols(new byte[0], new long[0], new int[0]);

    /** The list; names are extracted when needed. */
    private final byte[] text;

    private final long[] starts;
    private final int[] names;

    private KernelSymbols(byte[] text, long[] starts, int[] names) {
        this.text = text;
        this.starts = starts;
        this.names = names;
    }

    /** Reads a list of {@code address type name} lines; empty if the addresses are hidden. */
    public static KernelSymbols read(Path file) {
        try {
            return parse(Files.readAllBytes(file));
        } catch (IOException | RuntimeException | OutOfMemoryError hidden) { // The list takes some 30 MB.
            return NONE;
        }
    }

    private static KernelSymbols parse(byte[] text) {
        long[] starts = new long[1 << 16];
        int[] names = new int[1 << 16];
        int count = 0;
        for (int at = 0; at < text.length; ) {
            long address = 0;
            for (; at < text.length && text[at] > ' '; at++) {
                address = address << 4 | (text[at] <= '9' ? text[at] - '0' : (text[at] | 0x20) - 'a' + 10);
            }
            int type = at + 1 < text.length ? text[at + 1] | 0x20 : 0;
            boolean isCode = type == 't' || type == 'w';
            // OperatingSystem addresses are negative, so they ascend as signed numbers, except for modules at the end,
            // which are
            // skipped.
            if (isCode && address != 0 && (count == 0 || address > starts[count - 1])) {
                if (count == starts.length) {
                    starts = Arrays.copyOf(starts, 2 * count);
                    names = Arrays.copyOf(names, 2 * count);
                }
                starts[count] = address;
                names[count++] = at + 3;
            }
            while (at < text.length && text[at] != '\n') {
                at++;
            }
            at++;
        }
        return new KernelSymbols(text, Arrays.copyOf(starts, count), Arrays.copyOf(names, count));
    }

    public boolean isEmpty() {
        return starts.length == 0;
    }

    /** Returns the function that holds an address, an empty text when none is known. */
    public String name(long address) {
        int at = Arrays.binarySearch(starts, address);
        at = at < 0 ? -at - 2 : at;
        if (at < 0) {
            return "";
        }
        int end = names[at];
        while (end < text.length && text[end] > ' ') {
            end++;
        }
        return new String(text, names[at], end - names[at], StandardCharsets.ISO_8859_1);
    }
}
