package io.inferscope.timeline.cut;

import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The part of a recording that is complete although its document was cut. Writers put one kind of rows after the other,
 * most of them the device's last, so a cut loses one kind from some instant on, and what is recorded of the others
 * after that instant looks like time in which the device was idle.
 *
 * <pre>
 *   in the file    operators ........................ calls and kernels ......|  cut
 *   on the axis    operators  oooooooooooooooooooooooooooooooo
 *                  kernels     KKKKKKKKKKKKKKKKK
 *                             |---- judged -----|  lost      |
 * </pre>
 *
 * Rows of the kind that was cut must stand in the file by time, or it is unknown which of them were lost.
 */
public final class CutDocument {
    /** Rows may stand in the file before others that start this much earlier, as a share of the time they cover. */
    private static final double DISORDER = 0.05;

    /** Least share of the recorded time, and of the rows, that must be complete. */
    private static final double LEAST = 1.0 / 3;

    private final Timeline timeline;
    private final int[] byPlace;

    private CutDocument(Timeline timeline) {
        this.timeline = timeline;
        this.byPlace = byPlace(timeline);
    }

    /** Returns the rows that stand in the file, in its order. */
    private static int[] byPlace(Timeline timeline) {
        long[] places = IntStream.range(0, timeline.rowCount())
                .mapToLong(timeline::sourceOffsetBytes)
                .filter(place -> place >= 0)
                .sorted()
                .toArray();
        int[] rows = new int[places.length];
        Arrays.fill(rows, -1);
        for (int row = 0; row < timeline.rowCount(); row++) {
            long place = timeline.sourceOffsetBytes(row);
            if (place >= 0) {
                int at = BinarySearch.first(0, places.length, i -> places[i] >= place);
                while (rows[at] >= 0) { // Several rows may be of one event.
                    at++;
                }
                rows[at] = row;
            }
        }
        return rows;
    }

    /** Returns the complete part of a recording; all of it if its document was not cut, or if no part is known to be. */
    public static Timeline complete(Timeline timeline) {
        if (timeline.importStats().count(Reason.TRUNCATED) == 0) {
            return timeline;
        }
        CutDocument cut = new CutDocument(timeline);
        Section devices = cut.section(row -> timeline.kind(row).isDeviceOperation());
        return devices.isEmpty() ? timeline : cut.upTo(devices);
    }

    private Timeline upTo(Section devices) {
        Section host =
                section(row -> timeline.kind(row) == RowKind.OPERATOR || timeline.kind(row) == RowKind.PYTHON_FUNCTION);
        boolean hostLast = host.lastPlace > devices.lastPlace;
        if (devices.isDisordered() || (hostLast && host.isDisordered())) {
            return timeline.with(
                    TimelineInfo.CUT_UNKNOWN, hostLast && host.isDisordered() ? "host activity" : "device work");
        }
        long toNs = Math.min(devices.completeNs(), lastLaunchedNs());
        return upTo(timeline, hostLast ? Math.min(toNs, host.completeNs()) : toNs);
    }

    /** Returns a recording up to an instant, if that is enough of it. */
    public static Timeline upTo(Timeline timeline, long toNs) {
        long firstNs = Long.MAX_VALUE;
        long lastNs = Long.MIN_VALUE;
        long rows = 0;
        long complete = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            RowKind kind = timeline.kind(row);
            if (kind.isHostActivity() || kind.isDeviceOperation()) {
                rows++;
                complete += timeline.startNs(row) < toNs ? 1 : 0;
                firstNs = Math.min(firstNs, timeline.startNs(row));
                lastNs = Math.max(lastNs, timeline.endNs(row));
            }
        }
        if (toNs >= lastNs) {
            return timeline;
        }
        String cutNs = Long.toString(toNs);
        return toNs - firstNs < LEAST * (lastNs - firstNs) || complete < LEAST * rows
                ? timeline.with(TimelineInfo.CUT_UNKNOWN, "most").with(TimelineInfo.CUT, cutNs)
                : TimelineCut.of(timeline, firstNs, toNs).with(TimelineInfo.CUT, cutNs);
    }

    /** Returns the end of the last operation whose launch is recorded; no limit if none is. */
    private long lastLaunchedNs() {
        return timeline.links()
                .launches()
                .map(timeline.links()::toRow)
                .mapToLong(timeline::endNs)
                .max()
                .orElse(Long.MAX_VALUE);
    }

    private Section section(IntPredicate of) {
        Section section = new Section();
        for (int row : byPlace) {
            if (of.test(row)) {
                section.add(timeline.sourceOffsetBytes(row), timeline.startNs(row), timeline.endNs(row));
            }
        }
        return section;
    }

    /** Rows of one kind, in the order of the file. */
    private static final class Section {
        private long lastPlace = -1;
        private long firstNs = Long.MAX_VALUE;
        private long latestNs = Long.MIN_VALUE;
        private long latestEndNs = Long.MIN_VALUE;
        private long behindNs;

        void add(long place, long startNs, long endNs) {
            lastPlace = place;
            firstNs = Math.min(firstNs, startNs);
            behindNs = Math.max(behindNs, latestNs == Long.MIN_VALUE ? 0 : latestNs - startNs);
            if (startNs >= latestNs) {
                latestNs = startNs;
                latestEndNs = endNs;
            }
        }

        boolean isEmpty() {
            return lastPlace < 0;
        }

        boolean isDisordered() {
            return behindNs > DISORDER * (latestNs - firstNs);
        }

        /** Returns the instant up to which nothing was lost. */
        long completeNs() {
            return behindNs > 0 ? latestNs - behindNs : latestEndNs;
        }
    }
}
