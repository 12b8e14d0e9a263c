package io.inferscope.timeline.cut;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.CopiedIds;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import java.math.BigInteger;
import java.util.BitSet;

/**
 * The part of a timeline that lies in {@code [fromNs, toNs)}, as a timeline of its own.
 *
 * <pre>
 *            from                to
 *   -----[====|=====]---[=====]---|--[===]---      rows
 *             [=====]   [=====]                    the cut
 * </pre>
 *
 * A row across a border is clipped; its counts (CPU time, samples, page faults) are divided by length. A row outside
 * that is linked to one inside, such as the launch of a kernel, stays as a row of length 0 at the border, so that
 * causes are kept. Rows captured in another recording stay as they are.
 */
public final class TimelineCut {
    private static final Attribute[] ATTRIBUTES = Attribute.values();

    private final Timeline timeline;
    private final TimelineBuilder builder = new TimelineBuilder();
    private final long fromNs;
    private final long toNs;
    private final CopiedIds ids;

    private TimelineCut(Timeline timeline, long fromNs, long toNs) {
        this.timeline = timeline;
        this.fromNs = fromNs;
        this.toNs = toNs;
        this.ids = new CopiedIds(timeline, builder, "");
    }

    private boolean clips;

    /** Property of a part of a recording that has the parts of rows at its edges. */
    public static final String PART = "inferscope.part";

    /**
     * Returns the part of a timeline between two of its times, in ns.
     *
     * @throws IllegalArgumentException when the end is not after the start
     */
    public static Timeline of(Timeline timeline, long fromNs, long toNs) {
        if (toNs <= fromNs) {
            throw new IllegalArgumentException("nothing lies in [" + fromNs + ", " + toNs + ")");
        }
        TimelineCut cut = new TimelineCut(timeline, fromNs, toNs);
        return cut.build(cut.kept());
    }

    /** Returns some rows of a timeline, unchanged, and the links between them. */
    public static Timeline ofRows(Timeline timeline, BitSet rows) {
        return ofRows(timeline, rows, new ImportStats.Builder().build());
    }

    /** Returns the same, with counts of what was left out. */
    public static Timeline ofRows(Timeline timeline, BitSet rows, ImportStats leftOut) {
        long firstNs = Long.MAX_VALUE;
        long lastNs = Long.MIN_VALUE;
        boolean[] kept = new boolean[timeline.rowCount()];
        for (int row = rows.nextSetBit(0); row >= 0; row = rows.nextSetBit(row + 1)) {
            kept[row] = true;
            firstNs = Math.min(firstNs, timeline.startNs(row));
            lastNs = Math.max(lastNs, timeline.endNs(row));
        }
        TimelineCut cut = new TimelineCut(timeline, firstNs, lastNs);
        cut.builder.stats().addAll(leftOut);
        return cut.build(kept);
    }

    /**
     * Returns a timeline with each row once, and counts of what was left out.
     *
     * @param twins for each row the equal one before it that is kept, -1 for none
     */
    public static Timeline ofDistinct(Timeline timeline, int[] twins, ImportStats leftOut) {
        TimelineCut cut = new TimelineCut(timeline, Long.MIN_VALUE, Long.MAX_VALUE);
        cut.builder.stats().addAll(leftOut);
        int[] handles = new int[twins.length];
        for (int row = 0; row < twins.length; row++) {
            handles[row] = twins[row] < 0 ? cut.copy(row) : handles[twins[row]];
        }
        Links links = timeline.links();
        for (int i = 0; i < links.count(); i++) {
            if (twins[links.toRow(i)] < 0) {
                cut.builder.link(
                        links.kind(i), handles[links.fromRow(i)], handles[links.toRow(i)], links.confidencePercent(i));
            }
        }
        return cut.finish();
    }

    private Timeline build(boolean[] kept) {
        int[] handles = new int[kept.length];
        for (int row = 0; row < kept.length; row++) {
            handles[row] = kept[row] ? copy(row) : -1;
        }
        Links links = timeline.links();
        for (int i = 0; i < links.count(); i++) {
            int from = handles[links.fromRow(i)];
            int to = handles[links.toRow(i)];
            if (from >= 0 && to >= 0) {
                builder.link(links.kind(i), from, to, links.confidencePercent(i));
            }
        }
        return finish();
    }

    private Timeline finish() {
        builder.describe(timeline);
        if (clips) {
            builder.property(PART, "1");
        }
        return builder.build(timeline.info().format());
    }

    private boolean[] kept() {
        boolean[] inside = new boolean[timeline.rowCount()];
        for (int row = 0; row < inside.length; row++) {
            inside[row] = isInside(row);
        }
        boolean[] kept = inside.clone();
        Links links = timeline.links();
        for (int i = 0; i < links.count(); i++) {
            kept[links.fromRow(i)] |= inside[links.toRow(i)];
            kept[links.toRow(i)] |= inside[links.fromRow(i)];
        }
        return kept;
    }

    /** Captured rows lie before all others and explain those kept. */
    private boolean isInside(int row) {
        if (timeline.isCaptured(row)) {
            return true;
        }
        long startNs = timeline.startNs(row);
        boolean instant = startNs == timeline.endNs(row);
        return startNs < toNs && (timeline.endNs(row) > fromNs || (instant && startNs >= fromNs));
    }

    private int copy(int row) {
        boolean captured = timeline.isCaptured(row);
        long startNs = captured ? timeline.startNs(row) : clip(timeline.startNs(row));
        long endNs = captured ? timeline.endNs(row) : clip(timeline.endNs(row));
        int handle = builder.row(
                timeline.kind(row), ids.track(timeline.track(row)), startNs, endNs, ids.name(timeline.nameId(row)));
        builder.correlation(handle, timeline.correlation(row));
        for (Attribute attribute : ATTRIBUTES) {
            long value = timeline.attribute(row, attribute);
            if (value != Attribute.ABSENT) {
                builder.attribute(handle, attribute, value(attribute, value, row, endNs - startNs));
            }
        }
        return handle;
    }

    private long clip(long ns) {
        clips |= ns < fromNs || ns > toNs;
        return Math.max(fromNs, Math.min(toNs, ns));
    }

    private long value(Attribute attribute, long value, int row, long lengthNs) {
        return switch (attribute) {
            case ON_CPU_NS, RUNNABLE_NS, PAGE_FAULTS -> part(value, lengthNs, timeline.durationNs(row));
            case SAMPLES -> Math.max(Math.min(value, 1), part(value, lengthNs, timeline.durationNs(row)));
            case LOOKED_NS, FRAMES_READ_NS -> value - Math.max(0, fromNs - timeline.startNs(row));
            case CALL_START_NS -> value + Math.max(0, fromNs - timeline.startNs(row));
            default -> ids.value(attribute, value);
        };
    }

    /** Exact: a long has too few bits for the product from 3 s on. */
    private static long part(long value, long partNs, long wholeNs) {
        return partNs == wholeNs || wholeNs <= 0
                ? value
                : BigInteger.valueOf(value)
                        .multiply(BigInteger.valueOf(partNs))
                        .divide(BigInteger.valueOf(wholeNs))
                        .longValueExact();
    }
}
