package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of rows in a timeline, with their extent in time, found in one pass. Most queries concern kinds that are
 * rare or absent; one scan per query would spend more time on JVM warm-up than on scanning.
 */
public final class RowsByKind {
    private static final RowKind[] KINDS = RowKind.values();

    /** A kind's rows are kept if they are fewer than one in this many of all rows. */
    private static final int FEW = 16;

    private final Timeline timeline;
    private final int[] counts = new int[KINDS.length];

    /** By track: a bit for each kind that it has, so that only tracks with a wanted kind are searched. */
    private final long[] ofTracks;

    private final Extents extents = new Extents();

    /** Extents of rows on request lanes. */
    private final Extents ofLanes = new Extents();

    private final int[] @Nullable [] byKind = new int[KINDS.length] @Nullable [];

    public RowsByKind(Timeline timeline) {
        this.timeline = timeline;
        this.ofTracks = new long[timeline.tracks().size()];
        for (Track track : timeline.tracks()) {
            if (track.kind() == TrackKind.CAPTURE) {
                continue;
            }
            Extents of = track.kind() == TrackKind.REQUEST ? ofLanes : extents;
            long present = 0;
            for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
                int kind = timeline.kind(row).ordinal();
                long startNs = timeline.startNs(row);
                counts[kind]++;
                present |= 1L << kind;
                of.firstStarts[kind] = Math.min(of.firstStarts[kind], startNs);
                of.lastEnds[kind] = Math.max(of.lastEnds[kind], startNs + timeline.durationNs(row));
            }
            ofTracks[track.id()] = present;
        }
    }

    /** The first start and the last end of the rows of each kind. */
    private static final class Extents {
        private final long[] firstStarts = new long[KINDS.length];
        private final long[] lastEnds = new long[KINDS.length];

        Extents() {
            Arrays.fill(firstStarts, Long.MAX_VALUE);
            Arrays.fill(lastEnds, Long.MIN_VALUE);
        }

        @Nullable
        Stretch of(Predicate<RowKind> wanted) {
            long startNs = Long.MAX_VALUE;
            long endNs = Long.MIN_VALUE;
            for (RowKind kind : KINDS) {
                if (wanted.test(kind)) {
                    startNs = Math.min(startNs, firstStarts[kind.ordinal()]);
                    endNs = Math.max(endNs, lastEnds[kind.ordinal()]);
                }
            }
            return startNs > endNs ? null : new Stretch(startNs, endNs);
        }
    }

    public boolean has(RowKind kind) {
        return counts[kind.ordinal()] > 0;
    }

    /**
     * Returns the extent of the rows of some kinds, null without any. Request lanes count only if there is nothing
     * else: their rows are not activity of a thread or device and may extend far beyond it.
     */
    public @Nullable Stretch extent(Predicate<RowKind> wanted) {
        Stretch extent = extents.of(wanted);
        return extent == null ? ofLanes.of(wanted) : extent;
    }

    /** Returns the rows of a kind, ascending. Several rules ask for a kind that has few rows among millions. */
    public int[] rows(RowKind wanted) {
        int[] known = byKind[wanted.ordinal()];
        if (known == null) {
            known = rows(kind -> kind == wanted);
            if (FEW * known.length < timeline.rowCount()) {
                byKind[wanted.ordinal()] = known;
            }
        }
        return known.clone();
    }

    /** Returns the rows of some kinds, ascending; without those that were captured in another recording. */
    public int[] rows(Predicate<RowKind> wanted) {
        long kinds = 0;
        int total = 0;
        for (RowKind kind : KINDS) {
            if (wanted.test(kind)) {
                kinds |= 1L << kind.ordinal();
                total += counts[kind.ordinal()];
            }
        }
        int[] rows = new int[total];
        int count = 0;
        for (int track = 0; track < ofTracks.length && count < total; track++) {
            int end = (ofTracks[track] & kinds) == 0 ? 0 : timeline.endRow(track);
            for (int row = timeline.firstRow(track); row < end; row++) {
                if ((kinds >>> timeline.kind(row).ordinal() & 1) != 0) {
                    rows[count++] = row;
                }
            }
        }
        return rows;
    }
}
