package io.inferscope.timeline.clock;

import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.List;

/**
 * Maps stamps of a nanosecond clock to the axis: piecewise linear between anchors, and never backwards. Immutable.
 *
 * <p>Two anchors agree when their offsets differ by no more than a disciplined clock can drift in the time between
 * them. Where the source clock was stepped, or an anchor was read while the reader was off the CPU, anchors disagree:
 * the largest group that agrees is kept.
 *
 * <pre>
 *   offset = source - axis
 *     ^            x              x: one bad reading, rejected
 *     |  o---o---o---o---o---o    o: kept; linear between, constant outside
 *     |                       s s s: after a step, rejected
 *     +--------------------------> axis
 * </pre>
 */
public final class ClockMap {
    /** Fastest drift of a disciplined clock: NTP slews by at most 500 ppm (adjtimex(2), MAXFREQ). */
    private static final double MAX_DRIFT = 500e-6;

    /** Error that brackets do not show: interrupts between reading and storing. */
    private static final long SLACK_NS = 2_000;

    private static final int MAX_ANCHORS = 4096;

    private final long[] sources;
    private final long[] offsets;
    private final int rejected;
    private final long errorBoundNs;

    private ClockMap(List<ClockAnchor> kept, int rejected) {
        sources = kept.stream().mapToLong(ClockAnchor::sourceNs).toArray();
        offsets = kept.stream().mapToLong(ClockMap::offset).toArray();
        this.rejected = rejected;
        errorBoundNs = errorBound(kept);
    }

    /**
     * Fits a map; anchors may come in any order.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static ClockMap fit(List<ClockAnchor> anchors) {
        if (anchors.isEmpty()) {
            throw new IllegalArgumentException("no clock anchors");
        }
        List<ClockAnchor> ordered = new ArrayList<>(anchors);
        ordered.sort(Order.comparingLong(ClockAnchor::axisNs)
                .thenComparingLong(ClockAnchor::uncertaintyNs)
                .thenComparingLong(ClockAnchor::sourceNs));
        List<ClockAnchor> kept = largestAgreeing(thinned(ordered));
        return new ClockMap(kept, anchors.size() - (anchors.size() > MAX_ANCHORS ? 0 : kept.size()));
    }

    /** Keeps work bounded: of very many anchors only evenly spread ones are used. */
    private static List<ClockAnchor> thinned(List<ClockAnchor> ordered) {
        if (ordered.size() <= MAX_ANCHORS) {
            return ordered;
        }
        List<ClockAnchor> some = new ArrayList<>(MAX_ANCHORS);
        for (int i = 0; i < MAX_ANCHORS; i++) {
            some.add(ordered.get((int) ((long) i * ordered.size() / MAX_ANCHORS)));
        }
        return some;
    }

    private static List<ClockAnchor> largestAgreeing(List<ClockAnchor> ordered) {
        List<List<ClockAnchor>> groups = new ArrayList<>();
        for (ClockAnchor anchor : ordered) {
            List<ClockAnchor> home = null;
            for (List<ClockAnchor> group : groups) {
                if (agree(group.get(group.size() - 1), anchor)) {
                    home = group;
                    break;
                }
            }
            if (home == null) {
                home = new ArrayList<>();
                groups.add(home);
            }
            home.add(anchor);
        }
        List<ClockAnchor> largest = groups.get(0);
        for (List<ClockAnchor> group : groups) {
            largest = group.size() > largest.size() ? group : largest;
        }
        return distinct(largest);
    }

    /**
     * Returns whether both anchors can be readings of one clock, with the largest drift and the stated reading error.
     * {@code a} must not be later than {@code b}.
     */
    public static boolean agree(ClockAnchor a, ClockAnchor b) {
        double allowed = MAX_DRIFT * (b.axisNs() - a.axisNs())
                + Math.max(0, a.uncertaintyNs())
                + Math.max(0, b.uncertaintyNs())
                + SLACK_NS;
        return Math.abs((double) offset(b) - offset(a)) <= allowed;
    }

    /** Drops anchors whose source stamps do not rise: they are duplicates within their own uncertainty. */
    private static List<ClockAnchor> distinct(List<ClockAnchor> ordered) {
        List<ClockAnchor> rising = new ArrayList<>();
        for (ClockAnchor anchor : ordered) {
            ClockAnchor last = rising.isEmpty() ? anchor : rising.get(rising.size() - 1);
            if (rising.isEmpty() || (anchor.sourceNs() > last.sourceNs() && anchor.axisNs() > last.axisNs())) {
                rising.add(anchor);
            }
        }
        return rising;
    }

    private static long offset(ClockAnchor anchor) {
        return anchor.sourceNs() - anchor.axisNs();
    }

    /** Returns the axis time of a source stamp. */
    public long toAxisNs(long sourceNs) {
        int after = java.util.Arrays.binarySearch(sources, sourceNs);
        if (after >= 0) {
            return sourceNs - offsets[after];
        }
        after = -after - 1;
        if (after == 0 || after == sources.length) {
            return sourceNs - offsets[after == 0 ? 0 : after - 1];
        }
        double share = (double) (sourceNs - sources[after - 1]) / (sources[after] - sources[after - 1]);
        return sourceNs - offsets[after - 1] - Math.round(share * (offsets[after] - offsets[after - 1]));
    }

    /** Returns the source clock's time at the axis' zero, by the first kept anchor. */
    public long originNs() {
        return offsets[0];
    }

    /** Returns how many anchors were kept. */
    public int anchors() {
        return sources.length;
    }

    /** Returns how many anchors contradicted the ones that were kept: bad readings, or a step of the source clock. */
    public int rejected() {
        return rejected;
    }

    /**
     * Returns the largest remaining error, in ns, of a stamp between the first and the last anchor: the widest bracket
     * plus the largest error with which an anchor is predicted by its two neighbours. With two anchors, plus the
     * clock's largest drift away and back between them. -1 with one anchor: the drift is not known.
     */
    public long errorBoundNs() {
        return errorBoundNs;
    }

    public ClockDomain domain(String name) {
        return new ClockDomain(name, anchors(), errorBoundNs());
    }

    private static long errorBound(List<ClockAnchor> kept) {
        if (kept.size() < 2) {
            return -1;
        }
        long bracket = 0;
        for (ClockAnchor anchor : kept) {
            bracket = Math.max(bracket, anchor.uncertaintyNs());
        }
        if (kept.size() == 2) {
            return bracket
                    + Math.round(MAX_DRIFT * (kept.get(1).axisNs() - kept.get(0).axisNs()) / 2);
        }
        long worst = 0;
        for (int i = 1; i + 1 < kept.size(); i++) {
            ClockMap without = new ClockMap(List.of(kept.get(i - 1), kept.get(i + 1)), 0);
            ClockAnchor anchor = kept.get(i);
            worst = Math.max(worst, Math.abs(without.toAxisNs(anchor.sourceNs()) - anchor.axisNs()));
        }
        return bracket + worst;
    }
}
