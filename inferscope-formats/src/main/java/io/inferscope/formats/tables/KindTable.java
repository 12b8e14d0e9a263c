package io.inferscope.formats.tables;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * All rows of one kind as a table, with or without those captured in another recording. A column for an attribute
 * exists only when a row has it.
 */
final class KindTable {
    private final Timeline timeline;
    private final RowKind kind;
    private final boolean captured;
    private final List<Attribute> attributes = new ArrayList<>();
    private final int count;
    private final boolean hasOddCounters;

    KindTable(Timeline timeline, RowKind kind, boolean captured) {
        this.timeline = timeline;
        this.kind = kind;
        this.captured = captured;
        boolean[] present = new boolean[Attribute.values().length];
        int found = 0;
        boolean odd = false;
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (holds(row)) {
                found++;
                for (Attribute attribute : Attribute.values()) {
                    present[attribute.ordinal()] |= timeline.attribute(row, attribute) != Attribute.ABSENT;
                }
                odd |= isOddCounter(timeline.attribute(row, Attribute.COUNTER_VALUE));
            }
        }
        for (Attribute attribute : Attribute.values()) {
            if (present[attribute.ordinal()]) {
                attributes.add(attribute);
            }
        }
        count = found;
        hasOddCounters = odd;
    }

    private static boolean isOddCounter(long bits) {
        return bits != Attribute.ABSENT && Double.doubleToLongBits(Double.longBitsToDouble(bits)) != bits;
    }

    private boolean holds(int row) {
        return timeline.kind(row) == kind && (captured || !timeline.isCaptured(row));
    }

    int count() {
        return count;
    }

    List<OutputColumn> columns() {
        List<OutputColumn> columns = new ArrayList<>(TableNames.ROW_COLUMNS);
        attributes.forEach(attribute -> columns.add(TableNames.column(attribute)));
        if (hasOddCounters) {
            columns.add(TableNames.COUNTER_BITS);
        }
        return columns;
    }

    void write(OutputTable table) throws IOException {
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (holds(row)) {
                row(row, table);
                int column = TableNames.ROW_COLUMNS.size();
                for (Attribute attribute : attributes) {
                    attribute(timeline.attribute(row, attribute), attribute, column++, table);
                }
                if (hasOddCounters) {
                    long bits = timeline.attribute(row, Attribute.COUNTER_VALUE);
                    numberOr(isOddCounter(bits) ? bits : Attribute.ABSENT, Attribute.ABSENT, column, table);
                }
                table.endRow();
            }
        }
    }

    private void row(int row, OutputTable table) throws IOException {
        Track track = timeline.tracks().get(timeline.track(row));
        table.number(0, row);
        table.text(1, timeline.name(row));
        table.number(2, timeline.startNs(row));
        table.number(3, timeline.durationNs(row));
        table.number(4, track.id());
        table.text(
                5,
                track.parent() < 0
                        ? track.name()
                        : timeline.tracks().get(track.parent()).name());
        if (track.parent() < 0) {
            table.nothing(6);
        } else {
            table.text(6, track.name());
        }
        numberOr(timeline.parent(row), -1, 7, table);
        numberOr(timeline.correlation(row), 0, 8, table);
    }

    private static void numberOr(long value, long none, int column, OutputTable table) throws IOException {
        if (value == none) {
            table.nothing(column);
        } else {
            table.number(column, value);
        }
    }

    private void attribute(long value, Attribute attribute, int column, OutputTable table) throws IOException {
        if (value == Attribute.ABSENT) {
            table.nothing(column);
        } else if (attribute == Attribute.COUNTER_VALUE) {
            table.real(column, Double.longBitsToDouble(value));
        } else if (TableNames.isEnum(attribute)) {
            table.text(column, TableNames.enumText(attribute, value));
        } else if (attribute.isText()) {
            table.text(column, timeline.text(value));
        } else {
            table.number(column, value);
        }
    }
}
