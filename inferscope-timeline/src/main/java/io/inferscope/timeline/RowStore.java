package io.inferscope.timeline;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Growing columns in the order rows were added. */
final class RowStore {
    byte[] kinds = new byte[1024];
    int[] tracks = new int[1024];
    long[] starts = new long[1024];
    long[] ends = new long[1024];
    int[] rowNames = new int[1024];
    long[] correlations = new long[1024];
    final long[] @Nullable [] attributes = new long[Attribute.values().length][];
    int size;

    void clear() {
        size = 0;
        Arrays.fill(attributes, null);
        Arrays.fill(correlations, 0);
    }

    int add(RowKind kind, int track, long startNs, long endNs, int nameId) {
        if (size == kinds.length) {
            grow(size + (size >> 1));
        }
        kinds[size] = (byte) kind.ordinal();
        tracks[size] = track;
        starts[size] = startNs;
        ends[size] = endNs;
        rowNames[size] = nameId;
        return size++;
    }

    private void grow(int capacity) {
        kinds = Arrays.copyOf(kinds, capacity);
        tracks = Arrays.copyOf(tracks, capacity);
        starts = Arrays.copyOf(starts, capacity);
        ends = Arrays.copyOf(ends, capacity);
        rowNames = Arrays.copyOf(rowNames, capacity);
        correlations = Arrays.copyOf(correlations, capacity);
    }

    void set(int row, Attribute attribute, long value) {
        long[] column = attributes[attribute.ordinal()];
        if (column == null || row >= column.length) {
            int oldLength = column == null ? 0 : column.length;
            column = column == null ? new long[kinds.length] : Arrays.copyOf(column, kinds.length);
            Arrays.fill(column, oldLength, column.length, Attribute.ABSENT);
            attributes[attribute.ordinal()] = column;
        }
        column[row] = value;
    }

    long get(int row, Attribute attribute) {
        long[] column = attributes[attribute.ordinal()];
        return column == null || row >= column.length ? Attribute.ABSENT : column[row];
    }

    Timeline.Columns reordered(int[] order) {
        byte[] newKinds = new byte[size];
        int[] newTracks = new int[size];
        int[] newNames = new int[size];
        for (int i = 0; i < size; i++) {
            newKinds[i] = kinds[order[i]];
            newTracks[i] = tracks[order[i]];
            newNames[i] = rowNames[order[i]];
        }
        long[] @Nullable [] newAttributes = new long[attributes.length][];
        for (Attribute attribute : Attribute.values()) {
            if (attributes[attribute.ordinal()] != null) {
                long[] column = new long[size];
                for (int i = 0; i < size; i++) {
                    column[i] = get(order[i], attribute);
                }
                newAttributes[attribute.ordinal()] = column;
            }
        }
        return new Timeline.Columns(
                newKinds,
                newTracks,
                reordered(starts, order),
                reordered(ends, order),
                newNames,
                reordered(correlations, order),
                newAttributes);
    }

    private static long[] reordered(long[] column, int[] order) {
        long[] result = new long[order.length];
        for (int i = 0; i < order.length; i++) {
            result[i] = column[order[i]];
        }
        return result;
    }
}
