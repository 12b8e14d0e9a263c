package io.inferscope.timeline.merge;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.Arrays;
import java.util.BitSet;

/** Adds the rows, tracks and links of a timeline to a builder, at other times. */
final class RowCopy {
    private static final Attribute[] ATTRIBUTES = Attribute.values();

    private final Timeline timeline;
    private final TimelineBuilder builder;
    private final ClockOffset offset;
    private final int[] tracks;
    private final int[] stacks;
    private final int[] handles;
    private int[] names = new int[1024];

    /**
     * Copies the tracks.
     *
     * @param prefix put before the keys of processes and devices, where the same keys mean others there; else empty
     */
    RowCopy(Timeline timeline, TimelineBuilder builder, ClockOffset offset, String prefix) {
        this.timeline = timeline;
        this.builder = builder;
        this.offset = offset;
        Arrays.fill(names, -1);
        tracks = tracks(prefix);
        stacks = stacks();
        handles = new int[timeline.rowCount()];
    }

    private int[] tracks(String prefix) {
        int[] ids = new int[timeline.tracks().size()];
        for (Track track : timeline.tracks()) {
            boolean root = track.parent() < 0 && track.kind() != TrackKind.COUNTER;
            String key = root ? prefix + track.key() : track.key();
            ids[track.id()] = builder.track(track.kind(), track.parent() < 0 ? -1 : ids[track.parent()], key);
            if (!track.name().equals(track.key())) {
                builder.trackName(ids[track.id()], track.name());
            }
        }
        return ids;
    }

    private int[] stacks() {
        Stacks all = timeline.stacks();
        int[] ids = new int[all.count()];
        for (int stack = 0; stack < ids.length; stack++) {
            int caller = all.caller(stack);
            ids[stack] = builder.stack(caller < 0 ? -1 : ids[caller], name(all.frameNameId(stack)));
        }
        return ids;
    }

    private int name(long nameId) {
        int id = (int) nameId;
        if (id >= names.length) {
            int known = names.length;
            names = Arrays.copyOf(names, Math.max(id + 1, known * 2));
            Arrays.fill(names, known, names.length, -1);
        }
        if (names[id] < 0) {
            names[id] = builder.name(timeline.text(id));
        }
        return names[id];
    }

    /** Copies the rows except those left out, and the links between what was copied. A row left out stands for {@code twin}, its handle. */
    void copy(BitSet leftOut, java.util.function.IntUnaryOperator twin) {
        for (int row = 0; row < timeline.rowCount(); row++) {
            handles[row] = leftOut.get(row) ? twin.applyAsInt(row) : copy(row);
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

    private int copy(int row) {
        int handle = builder.row(
                timeline.kind(row),
                tracks[timeline.track(row)],
                timeline.startNs(row) + offset.ns(),
                timeline.endNs(row) + offset.ns(),
                name(timeline.nameId(row)));
        builder.correlation(handle, timeline.correlation(row));
        for (Attribute attribute : ATTRIBUTES) {
            long value = timeline.attribute(row, attribute);
            if (value != Attribute.ABSENT) {
                builder.attribute(handle, attribute, mapped(attribute, value));
            }
        }
        return handle;
    }

    private long mapped(Attribute attribute, long value) {
        if (attribute == Attribute.STACK) {
            return stacks[(int) value];
        }
        return attribute.isText() ? name(value) : value;
    }

    /** Returns the handle of a row copied. */
    int handle(int row) {
        return handles[row];
    }

    /** Returns the builder's id of a track. */
    int track(int track) {
        return tracks[track];
    }
}
