package io.inferscope.collectors.symbols;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The functions of one file by address. Names stay in the file, because a recording needs a few hundred of hundreds of
 * thousands. For the same reason functions are in order by page only: sorting them would take most of the time.
 */
public final class SymbolTable {
    private static final int MAX_NAME_BYTES = 1024;

    private static final int MAX_FUNCTIONS = 1 << 21;

    /** The lower bits of an entry: where the function's symbol is. The upper ones: its address. */
    private static final int PLACE_BITS = 24;

    private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;
    private static final long MAX_ADDRESS = 1L << (Long.SIZE - 1 - PLACE_BITS); // No file is linked above.

    private static final int PAGE_BITS = 12;

    /** Most pages told apart; those of a larger file are larger. */
    private static final int MAX_PAGES = 1 << 18;

    private final long[] entries;
    private final int[] bytes;
    private final Pages pages;
    private final List<Names> names;
    private final List<ElfFile.Segment> segments;
    private final boolean describesLines;
    private final Map<Integer, String> known = new HashMap<>();
    private @Nullable SourceLines lines;

    private SymbolTable(Builder made, Pages pages, long[] entries, int[] bytes, List<ElfFile.Segment> segments) {
        this.entries = entries;
        this.bytes = bytes;
        this.pages = pages;
        this.segments = segments;
        names = List.copyOf(made.names);
        describesLines = made.describesLines;
    }

    /**
     * Where the names of a table's functions are.
     *
     * @param first the place of its first function
     * @param symbols offset of its symbols, in the file or the memory
     * @param texts offset of the names
     * @param memory the content of a file that was unpacked; null for the file itself
     */
    private record Names(
            int first, long symbols, long texts, @Nullable ByteBuffer memory) {
        ByteBuffer read(Path path, long offset, int count) throws IOException {
            if (memory != null) {
                if (offset < 0 || offset >= memory.capacity()) {
                    throw new IOException("a name lies outside the file");
                }
                return memory.slice((int) offset, Math.min(count, memory.capacity() - (int) offset));
            }
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
                ByteBuffer part = ByteBuffer.allocate(count);
                file.read(part, offset);
                return part.flip();
            }
        }
    }

    /** Which entries lie in which page of addresses. */
    private static final class Pages {
        private final long lowest;
        private final int bits;

        /** By page: the end of its entries, which begin where those of the page before end. */
        private final int[] ends;

        Pages(long[] entries, int count) {
            long low = Long.MAX_VALUE;
            long high = 0;
            for (int i = 0; i < count; i++) {
                low = Math.min(low, address(entries[i]));
                high = Math.max(high, address(entries[i]));
            }
            int pageBits = PAGE_BITS;
            while (count > 0 && (high - low) >> pageBits >= MAX_PAGES) {
                pageBits++;
            }
            lowest = low;
            bits = pageBits;
            ends = new int[count == 0 ? 0 : of(high) + 1];
            for (int i = 0; i < count; i++) {
                ends[of(address(entries[i]))]++;
            }
            int end = 0;
            for (int page = 0; page < ends.length; page++) {
                end += ends[page];
                ends[page] = end;
            }
        }

        /** Returns the page of an address that is not below the lowest one; it may be behind the last page. */
        private int of(long address) {
            return (int) Math.min((address - lowest) >> bits, MAX_PAGES);
        }

        /** Returns the last page that may hold the function with an address, -1 for none. */
        int last(long address) {
            return address < lowest ? -1 : Math.min(of(address), ends.length - 1);
        }

        int from(int page) {
            return page == 0 ? 0 : ends[page - 1];
        }

        int end(int page) {
            return ends[page];
        }
    }

    private static long address(long entry) {
        return entry >>> PLACE_BITS;
    }

    /** Collects functions in any order. */
    static final class Builder {
        private final List<Names> names = new ArrayList<>();
        private int count;
        private long[] entries = new long[0];
        private int[] bytes = new int[0];
        private int first;
        private int next;
        private boolean describesLines;

        /** Sets whether debugging information, in the file or beside it, tells the source lines. */
        void describesLines(boolean describes) {
            describesLines = describes;
        }

        /**
         * Begins a table of symbols.
         *
         * @param symbols how many there are
         * @param at offset of the symbols
         * @param texts offset of their names
         * @param memory where both are, null for the file
         */
        void begin(long symbols, long at, long texts, @Nullable ByteBuffer memory) {
            first = next;
            next = (int) Math.min(PLACE_MASK, first + symbols);
            int room = Math.min(MAX_FUNCTIONS, count + next - first);
            entries = Arrays.copyOf(entries, room);
            bytes = Arrays.copyOf(bytes, room);
            names.add(new Names(first, at, texts, memory));
        }

        boolean isEmpty() {
            return count == 0;
        }

        /** Adds the function whose symbol is the {@code index}th of its table. */
        void add(int index, long address, long size) {
            if (count < entries.length && first + index < next && address >= 0 && address < MAX_ADDRESS) {
                bytes[count] = (int) Math.min(size, Integer.MAX_VALUE);
                entries[count++] = address << PLACE_BITS | first + index;
            }
        }

        SymbolTable build(List<ElfFile.Segment> segments) {
            Pages pages = new Pages(entries, count);
            long[] inPages = new long[count];
            int[] bytesInPages = new int[count];
            int[] free = pages.ends.clone();
            for (int i = count - 1; i >= 0; i--) {
                int at = --free[pages.of(address(entries[i]))];
                inPages[at] = entries[i];
                bytesInPages[at] = bytes[i];
            }
            return new SymbolTable(this, pages, inPages, bytesInPages, segments);
        }
    }

    /** Returns whether the file's debugging information tells the source lines. */
    boolean describesLines() {
        return describesLines;
    }

    void setLines(SourceLines found) {
        lines = found;
    }

    /** Returns the source lines, null for a file without them. */
    @Nullable
    SourceLines lines() {
        return lines;
    }

    /** Returns the linked address of an address in a process. */
    long linkedAt(long address, long mappedAt, long fileOffset) throws IOException {
        return address - ElfFile.bias(segments, mappedAt, fileOffset);
    }

    /** Returns the position of the function that contains a linked address, -1 for none. */
    int find(long linked) {
        int at = -1;
        for (int page = pages.last(linked); at < 0 && page >= 0; page--) { // It may begin in an earlier page.
            long highest = -1;
            for (int i = pages.from(page); i < pages.end(page); i++) {
                long address = address(entries[i]);
                if (address <= linked && address > highest) {
                    highest = address;
                    at = i;
                }
            }
        }
        // Functions in assembler have no size.
        return at >= 0 && (bytes[at] == 0 || linked - address(entries[at]) < bytes[at]) ? at : -1;
    }

    /** Returns the name of a function if it was read before, otherwise null. */
    @Nullable
    String known(int position) {
        return known.get(position);
    }

    /** Returns the name of a function, demangled. Names are read when needed: large libraries have a million. */
    String name(Path path, int position) throws IOException {
        String name = known.get(position);
        if (name == null) {
            name = Demangler.name(read(path, (int) entries[position] & PLACE_MASK));
            known.put(position, name);
        }
        return name;
    }

    private String read(Path path, int place) throws IOException {
        Names table = names.get(names.size() - 1);
        for (int i = names.size() - 2; table.first > place; i--) {
            table = names.get(i);
        }
        long symbol = table.symbols + (long) ElfFile.SYMBOL_BYTES * (place - table.first);
        ByteBuffer text = table.read(path, symbol, Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        text = table.read(path, table.texts + (text.getInt() & 0xffff_ffffL), MAX_NAME_BYTES);
        int end = 0;
        while (end < text.limit() && text.get(end) != 0) {
            end++;
        }
        byte[] letters = new byte[end];
        text.get(0, letters);
        return new String(letters, StandardCharsets.UTF_8);
    }
}
