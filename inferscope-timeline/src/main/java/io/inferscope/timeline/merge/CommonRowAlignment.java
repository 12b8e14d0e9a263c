package io.inferscope.timeline.merge;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the clock offset between two recordings from events that both recorded.
 *
 * <p>All pairs of rows with equal names and nearly equal lengths, whose name is rare in both recordings, vote for the
 * difference of their starts. Votes of pairs of the same event agree within the jitter of two recorders; all other
 * votes are spread:
 *
 * <pre>
 *   votes          |
 *                  ||
 *   _._..__._.._.__|||__._._...__    offset
 *                  true
 * </pre>
 *
 * A loop makes wrong peaks one period away, which are lower by the events that find no partner and blurred by the
 * jitter of the loop. The offset is accepted only if it has many votes, covers most of the events that both could have
 * recorded, and has far more votes than any other peak.
 */
record CommonRowAlignment(Timeline first, Timeline second) {
    /** A name that occurs more often is weak evidence and has many pairs. */
    private static final int MAX_OCCURRENCES = 64;

    private static final int MAX_PAIRS = 2_000_000;
    /** Recorders of one machine stamp the same event within this time of each other, after a constant offset. */
    private static final long PEAK_WIDTH_NS = 4_000;

    private static final int MIN_VOTES = 8;
    /** Share of the rarer recording's rows inside the common time that must have voted. */
    private static final double MIN_COVERAGE = 0.5;
    /** The next best peak must have less than this share of the votes. */
    private static final double MAX_RIVAL = 0.7;

    /** A peak of the votes. {@code from} and {@code to} are places in the sorted votes. */
    private record Peak(int from, int to) {
        int votes() {
            return to - from;
        }
    }

    /**
     * Returns the offset of the second recording, by device operations, otherwise by host ranges; empty if there is no
     * clear offset.
     */
    Optional<ClockOffset> offset() {
        return offset(true).or(() -> offset(false));
    }

    private Optional<ClockOffset> offset(boolean device) {
        Map<String, int[]> ours = rare(first, device);
        Map<String, int[]> theirs = rare(second, device);
        long[] votes = votes(ours, theirs);
        Peak best = highest(votes, -1, -1);
        if (best.votes() < MIN_VOTES) {
            return Optional.empty();
        }
        Peak rival = highest(votes, votes[best.from] - PEAK_WIDTH_NS, votes[best.to - 1] + PEAK_WIDTH_NS);
        long offsetNs = votes[(best.from + best.to) >>> 1];
        int possible = Math.min(
                inCommonTime(first, ours, theirs, second, offsetNs),
                inCommonTime(second, theirs, ours, first, -offsetNs));
        if (best.votes() < MIN_COVERAGE * possible || rival.votes() > MAX_RIVAL * best.votes()) {
            return Optional.empty();
        }
        long errorNs = Math.max(votes[best.to - 1] - offsetNs, offsetNs - votes[best.from]);
        String what = device ? " kernels and copies" : " ranges";
        return Optional.of(new ClockOffset(
                offsetNs, errorNs, best.votes() + " of " + possible + what + " that both recorded", false));
    }

    /** Returns the rows of each name that occurs, but not often. */
    private static Map<String, int[]> rare(Timeline timeline, boolean device) {
        Map<Integer, int[]> byName = new HashMap<>();
        Map<Integer, Integer> counts = new HashMap<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            RowKind kind = timeline.kind(row);
            boolean wanted = device ? kind.isDeviceOperation() : kind.isHostActivity();
            if (wanted && timeline.durationNs(row) > 0) {
                int count = counts.merge(timeline.nameId(row), 1, Integer::sum);
                if (count <= MAX_OCCURRENCES) {
                    int[] rows = byName.computeIfAbsent(timeline.nameId(row), n -> new int[4]);
                    if (count > rows.length) {
                        rows = Arrays.copyOf(rows, rows.length * 2);
                        byName.put(timeline.nameId(row), rows);
                    }
                    rows[count - 1] = row;
                }
            }
        }
        Map<String, int[]> rare = new HashMap<>();
        byName.forEach((name, rows) -> {
            int count = counts.getOrDefault(name, 0);
            if (count <= MAX_OCCURRENCES) {
                rare.put(timeline.text(name), Arrays.copyOf(rows, count));
            }
        });
        return rare;
    }

    /**
     * Returns the sorted differences of starts, first minus second, of all pairs of equal name and nearly equal length.
     */
    private long[] votes(Map<String, int[]> ours, Map<String, int[]> theirs) {
        List<String> names = new ArrayList<>(ours.keySet());
        names.retainAll(theirs.keySet());
        names.sort(null);
        long[] votes = new long[1024];
        int count = 0;
        for (String name : names) {
            for (int a : ours.getOrDefault(name, new int[0])) {
                for (int b : theirs.getOrDefault(name, new int[0])) {
                    if (isSameLength(first.durationNs(a), second.durationNs(b)) && count < MAX_PAIRS) {
                        if (count == votes.length) {
                            votes = Arrays.copyOf(votes, count * 2);
                        }
                        votes[count++] = first.startNs(a) - second.startNs(b);
                    }
                }
            }
        }
        votes = Arrays.copyOf(votes, count);
        Arrays.sort(votes);
        return votes;
    }

    /** Recorders round to a microsecond, and stamp the ends of a range at slightly different places. */
    private static boolean isSameLength(long a, long b) {
        return Math.abs(a - b) <= Math.max(2_000, Math.min(a, b) / 50);
    }

    /** Returns the narrow range with most votes outside {@code [withoutFrom, withoutTo]}. */
    private static Peak highest(long[] votes, long withoutFrom, long withoutTo) {
        Peak best = new Peak(0, 0);
        int from = 0;
        for (int to = 0; to < votes.length; to++) {
            if (withoutTo >= withoutFrom && withoutTo != -1 && votes[to] >= withoutFrom && votes[to] <= withoutTo) {
                from = to + 1;
                continue;
            }
            while (votes[to] - votes[from] > PEAK_WIDTH_NS) {
                from++;
            }
            if (to + 1 - from > best.votes()) {
                best = new Peak(from, to + 1);
            }
        }
        return best;
    }

    /** Returns how many rows with a name of the other recording lie in the other recording's time, after the offset. */
    private static int inCommonTime(
            Timeline timeline, Map<String, int[]> rows, Map<String, int[]> others, Timeline other, long offsetNs) {
        Recording recording = new Recording("", other, null);
        long startNs = recording.startNs() + offsetNs;
        long endNs = recording.endNs() + offsetNs;
        BitSet inside = new BitSet();
        rows.forEach((name, those) -> {
            if (others.containsKey(name)) {
                for (int row : those) {
                    inside.set(row, timeline.startNs(row) >= startNs && timeline.startNs(row) < endNs);
                }
            }
        });
        return inside.cardinality();
    }
}
