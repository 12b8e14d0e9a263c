package io.inferscope.timeline.merge;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.CopiedIds;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import java.util.BitSet;

/** Adds the rows, tracks and links of a timeline to a builder, at other times. */
final class RowCopy {
    private static final Attribute[] ATTRIBUTES = Attribute.values();

    private final Timeline timeline;
    private final TimelineBuilder builder;
    private final long offsetNs;
    private final CopiedIds ids;
    private final int[] handles;

    /**
     * Copies the tracks.
     *
     * @param prefix put before the keys of processes and devices if equal keys mean different ones; otherwise empty
     */
    RowCopy(Timeline timeline, TimelineBuilder builder, ClockOffset offset, String prefix) {
        this(timeline, builder, offset.ns(), new CopiedIds(timeline, builder, prefix));
    }

    private RowCopy(Timeline timeline, TimelineBuilder builder, long offsetNs, CopiedIds ids) {
        this.timeline = timeline;
        this.builder = builder;
        this.offsetNs = offsetNs;
        this.ids = ids;
        handles = new int[timeline.rowCount()];
    }

    /** Copies no tracks and no stacks: each row is copied to a track of the builder. */
    static RowCopy ofRowsAlone(Timeline timeline, TimelineBuilder builder, long offsetNs) {
        return new RowCopy(timeline, builder, offsetNs, CopiedIds.ofNames(timeline, builder));
    }

    /**
     * Copies the rows except those left out, and the links between copied rows. {@code twin} returns the handle that
     * replaces a row left out.
     */
    void copy(BitSet leftOut, java.util.function.IntUnaryOperator twin) {
        for (int row = 0; row < timeline.rowCount(); row++) {
            handles[row] = leftOut.get(row)
                    ? twin.applyAsInt(row)
                    : copy(row, ids.track(timeline.track(row)), timeline.correlation(row));
        }
        for (int link = 0; link < timeline.links().count(); link++) {
            int from = timeline.links().fromRow(link);
            int to = timeline.links().toRow(link);
            if (!leftOut.get(from) || !leftOut.get(to)) {
                builder.link(
                        timeline.links().kind(link),
                        handles[from],
                        handles[to],
                        timeline.links().confidencePercent(link));
            }
        }
    }

    /** Copies one row to a track of the builder, with another correlation id. Returns its handle. */
    int copy(int row, int track, long correlation) {
        int handle = builder.row(
                timeline.kind(row),
                track,
                timeline.startNs(row) + offsetNs,
                timeline.endNs(row) + offsetNs,
                ids.name(timeline.nameId(row)));
        builder.correlation(handle, correlation);
        for (Attribute attribute : ATTRIBUTES) {
            long value = timeline.attribute(row, attribute);
            long copied = value == Attribute.ABSENT ? value : ids.value(attribute, value);
            if (copied != Attribute.ABSENT) {
                builder.attribute(handle, attribute, copied);
            }
        }
        return handle;
    }

    int handle(int row) {
        return handles[row];
    }

    /** Returns the builder's id of a track. */
    int track(int track) {
        return ids.track(track);
    }
}
