package io.inferscope.timeline;

import org.jspecify.annotations.Nullable;

/** Growing columns in the order rows were added. */
final class RowStore {
    private final ColumnStore.Pool pool = new ColumnStore.Pool();
    private final ColumnStore kinds = new ColumnStore(0, pool);
    private final ColumnStore tracks = new ColumnStore(0, pool);
    private final ColumnStore starts = new ColumnStore(0, pool);
    private final ColumnStore durations = new ColumnStore(0, pool);
    private final ColumnStore rowNames = new ColumnStore(0, pool);
    private final ColumnStore correlations = new ColumnStore(0, pool);
    private final ColumnStore offsets = new ColumnStore(-1, pool);
    private final ColumnStore[] attributes = new ColumnStore[Attribute.values().length];
    private int size;

    RowStore() {
        for (int i = 0; i < attributes.length; i++) {
            attributes[i] = new ColumnStore(Attribute.ABSENT, pool);
        }
    }

    void clear() {
        size = 0;
        for (ColumnStore column :
                new ColumnStore[] {kinds, tracks, starts, durations, rowNames, correlations, offsets}) {
            column.clear();
        }
        for (ColumnStore column : attributes) {
            column.clear();
        }
    }

    int size() {
        return size;
    }

    int add(RowKind kind, int track, long startNs, long endNs, int nameId) {
        kinds.set(size, kind.ordinal());
        tracks.set(size, track);
        starts.set(size, startNs);
        durations.set(size, endNs - startNs);
        rowNames.set(size, nameId);
        return size++;
    }

    int kind(int row) {
        return (int) kinds.get(row);
    }

    void kind(int row, RowKind kind) {
        kinds.set(row, kind.ordinal());
    }

    int track(int row) {
        return (int) tracks.get(row);
    }

    void track(int row, int track) {
        tracks.set(row, track);
    }

    long start(int row) {
        return starts.get(row);
    }

    long end(int row) {
        return starts.get(row) + durations.get(row);
    }

    void end(int row, long endNs) {
        durations.set(row, endNs - starts.get(row));
    }

    int name(int row) {
        return (int) rowNames.get(row);
    }

    long correlation(int row) {
        return correlations.get(row);
    }

    void correlation(int row, long id) {
        correlations.set(row, id);
    }

    void offset(int row, long offsetBytes) {
        offsets.set(row, offsetBytes);
    }

    void set(int row, Attribute attribute, long value) {
        attributes[attribute.ordinal()].set(row, value);
    }

    long get(int row, Attribute attribute) {
        return attributes[attribute.ordinal()].get(row);
    }

    /**
     * Returns where each track's rows begin in an order by track, and after them the number of rows.
     *
     * @param newTrackId other numbers for the tracks
     */
    int[] firstRows(int[] newTrackId) {
        int[] first = new int[newTrackId.length + 1];
        for (int row = 0; row < size; row++) {
            first[newTrackId[track(row)] + 1]++;
        }
        for (int i = 0; i < newTrackId.length; i++) {
            first[i + 1] += first[i];
        }
        return first;
    }

    /**
     * Returns the columns in another order, and clears each original column, because both copies together would be the
     * peak of memory.
     *
     * @param order by track
     * @param firstRows where each track begins in it
     */
    Timeline.Columns ordered(int[] order, int[] firstRows) {
        byte[] newKinds = new byte[order.length];
        for (int i = 0; i < order.length; i++) {
            newKinds[i] = (byte) kind(order[i]);
        }
        kinds.clear();
        tracks.clear();
        @Nullable Column[] newAttributes = new Column[attributes.length];
        for (int i = 0; i < attributes.length; i++) {
            newAttributes[i] = attributes[i].isEmpty() ? null : attributes[i].ordered(order);
        }
        Timeline.Columns columns = new Timeline.Columns(
                newKinds,
                Column.ofRuns(firstRows, pool),
                starts.ordered(order),
                durations.ordered(order),
                rowNames.ordered(order),
                correlations.ordered(order),
                offsets.ordered(order),
                newAttributes);
        pool.clear();
        return columns;
    }
}
