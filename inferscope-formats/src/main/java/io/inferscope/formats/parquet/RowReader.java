package io.inferscope.formats.parquet;

import io.inferscope.formats.parquet.FolderReader.KnownTrack;
import io.inferscope.formats.tables.TableNames;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;

/** Adds the rows of one kind to a timeline. */
final class RowReader implements TableReader.Rows {
    /** As in Chrome traces: sums of two stay inside a long. */
    private static final long MAX_STAMP_NS = 1L << 62;

    private static final Attribute[] ATTRIBUTES = Attribute.values();

    private final RowKind kind;
    private final FolderReader folder;
    private final TimelineBuilder builder;
    private final int[] columns;
    private final int[] attributeColumns = new int[ATTRIBUTES.length];
    private final int counterBits;

    RowReader(TableReader reader, RowKind kind, FolderReader folder) {
        this.kind = kind;
        this.folder = folder;
        this.builder = folder.builder();
        this.columns = TableNames.ROW_COLUMNS.stream().mapToInt(reader::column).toArray();
        for (Attribute attribute : ATTRIBUTES) {
            attributeColumns[attribute.ordinal()] = reader.column(TableNames.column(attribute));
        }
        this.counterBits = reader.column(TableNames.COUNTER_BITS);
    }

    @Override
    public void row(TableRow row) {
        KnownTrack track = folder.track(row.number(columns[4], -1));
        long startNs = row.number(columns[2], Long.MIN_VALUE);
        long durationNs = row.number(columns[3], -1);
        boolean inRange = Math.abs(startNs) <= MAX_STAMP_NS
                && startNs >= -MAX_STAMP_NS
                && durationNs >= 0
                && durationNs <= MAX_STAMP_NS;
        if (!inRange) {
            builder.stats().count(Reason.BAD_TIMESTAMP, -1, row.text(columns[1]));
        } else if (track == null || (kind.isOnStream() && track.kind() != TrackKind.STREAM)) {
            folder.bad(TableNames.of(kind));
        } else {
            int name = builder.name(row.text(columns[1]));
            int handle = builder.row(kind, track.track(), startNs, startNs + durationNs, name);
            builder.correlation(handle, row.number(columns[8], 0));
            folder.handle(row.number(columns[0], -1), handle);
            attributes(row, handle);
        }
    }

    private void attributes(TableRow row, int handle) {
        for (Attribute attribute : ATTRIBUTES) {
            int column = attributeColumns[attribute.ordinal()];
            if (row.has(column)) {
                long value = value(row, attribute, column);
                if (value == Attribute.ABSENT) {
                    folder.bad(TableNames.of(kind));
                } else {
                    builder.attribute(handle, attribute, value);
                }
            }
        }
        if (row.has(counterBits)) {
            builder.attribute(handle, Attribute.COUNTER_VALUE, row.number(counterBits, 0));
        }
    }

    private long value(TableRow row, Attribute attribute, int column) {
        if (attribute == Attribute.COUNTER_VALUE) {
            return Double.doubleToRawLongBits(row.real(column));
        }
        if (attribute == Attribute.STACK) {
            Integer stack = folder.stack(row.number(column, -1));
            return stack == null ? Attribute.ABSENT : stack;
        }
        if (TableNames.isEnum(attribute)) {
            return TableNames.enumValue(attribute, row.text(column));
        }
        return attribute.isText() ? builder.name(row.text(column)) : row.number(column, 0);
    }
}
