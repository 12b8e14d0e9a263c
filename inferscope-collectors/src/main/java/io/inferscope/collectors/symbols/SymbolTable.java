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

/**
 * The functions of one file by address. Names stay in the file, because a recording needs a few hundred of hundreds of
 * thousands.
 */
public final class SymbolTable {
    private static final int MAX_NAME_BYTES = 1024;

    private static final int MAX_FUNCTIONS = 1 << 20;

    private final long[] starts;
    private final long[] ends;
    private final long[] names;
    private final List<ElfFile.Segment> segments;
    private final Map<Integer, String> known = new HashMap<>();

    private SymbolTable(long[] starts, long[] ends, long[] names, List<ElfFile.Segment> segments) {
        this.starts = starts;
        this.ends = ends;
        this.names = names;
        this.segments = segments;
    }

    /** Collects functions in any order. */
    static final class Builder {
        private int count;
        private long[] columns = new long[3 * 1024];

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
            columns[3 * count++ + 2] = nameOffset;
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
            return new SymbolTable(starts, ends, names, segments);
        }
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

    /** Returns the name of a function, demangled. Names are read when needed: large libraries have a million. */
    String name(Path path, int position) throws IOException {
        String name = known.get(position);
        if (name == null) {
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
                name = read(file, names[position]);
            }
            known.put(position, name);
        }
        return name;
    }

    private static String read(FileChannel file, long offset) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(MAX_NAME_BYTES);
        file.read(bytes, offset);
        int end = 0;
        while (end < bytes.position() && bytes.get(end) != 0) {
            end++;
        }
        return Demangler.name(new String(bytes.array(), 0, end, StandardCharsets.UTF_8));
    }
}
