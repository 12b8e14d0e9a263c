package io.inferscope.collectors.symbols;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The functions of one file by address. Names stay in the file, because a recording needs a few hundred of hundreds of
 * thousands.
 */
public final class SymbolTable {
    private static final int MAX_NAME_BYTES = 1024;

    private static final int MAX_FUNCTIONS = 1 << 20;

    private final long[] starts;
    private final long[] ends;

    /** Where a function's name is in the file; in {@link #memory}: the complement of its position there. */
    private final long[] names;

    private final ByteBuffer memory;
    private final List<ElfFile.Segment> segments;
    private final boolean describesLines;
    private final Map<Integer, String> known = new HashMap<>();
    private @Nullable SourceLines lines;

    private SymbolTable(
            long[] starts,
            long[] ends,
            long[] names,
            ByteBuffer memory,
            List<ElfFile.Segment> segments,
            boolean describesLines) {
        this.starts = starts;
        this.ends = ends;
        this.names = names;
        this.memory = memory;
        this.segments = segments;
        this.describesLines = describesLines;
    }

    /** Collects functions in any order. */
    static final class Builder {
        private int count;
        private long[] columns = new long[3 * 1024];
        private ByteBuffer memory = ByteBuffer.allocate(0);
        private boolean isInMemory;
        private boolean describesLines;

        /** Sets whether debugging information, in the file or beside it, tells the source lines. */
        void describesLines(boolean describes) {
            describesLines = describes;
        }

        /** Sets where the names of the functions added from now on are, instead of the file. */
        void inMemory(ByteBuffer names) {
            memory = names;
            isInMemory = true;
        }

        boolean isEmpty() {
            return count == 0;
        }

        void add(long address, long bytes, long nameOffset) {
            if (count == MAX_FUNCTIONS) {
                return;
            }
            if (3 * count == columns.length) {
                columns = Arrays.copyOf(columns, 2 * columns.length);
            }
            columns[3 * count] = address;
            columns[3 * count + 1] = address + bytes;
            columns[3 * count++ + 2] = isInMemory ? ~nameOffset : nameOffset;
        }

        SymbolTable build(List<ElfFile.Segment> segments) {
            long[] order = new long[count];
            for (int i = 0; i < count; i++) {
                order[i] = columns[3 * i] << 20 | i; // No file is linked above 2^43.
            }
            Arrays.sort(order);
            long[] starts = new long[count];
            long[] ends = new long[count];
            long[] names = new long[count];
            for (int i = 0; i < count; i++) {
                int from = 3 * (int) (order[i] & (1 << 20) - 1);
                starts[i] = columns[from];
                ends[i] = columns[from + 1];
                names[i] = columns[from + 2];
            }
            return new SymbolTable(starts, ends, names, memory, segments, describesLines);
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
        int at = Arrays.binarySearch(starts, linked);
        at = at < 0 ? -at - 2 : at;
        if (at < 0) {
            return -1;
        }
        boolean inside = linked < ends[at] || ends[at] == starts[at]; // Functions in assembler have no size.
        return inside ? at : -1;
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
            name = Demangler.name(names[position] < 0 ? inMemory(~names[position]) : inFile(path, names[position]));
            known.put(position, name);
        }
        return name;
    }

    private String inMemory(long offset) throws IOException {
        if (offset >= memory.capacity()) {
            throw new IOException("a name lies outside the file");
        }
        byte[] bytes = new byte[Math.min(MAX_NAME_BYTES, memory.capacity() - (int) offset)];
        memory.get((int) offset, bytes);
        return text(bytes, bytes.length);
    }

    private static String inFile(Path path, long offset) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(MAX_NAME_BYTES);
            file.read(bytes, offset);
            return text(bytes.array(), bytes.position());
        }
    }

    private static String text(byte[] bytes, int count) {
        int end = 0;
        while (end < count && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
}
