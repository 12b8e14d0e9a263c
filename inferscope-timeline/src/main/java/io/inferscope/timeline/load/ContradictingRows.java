package io.inferscope.timeline.load;

import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.cut.TimelineCut;
import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * Finds single rows whose times contradict those of their neighbours, and rows that are there twice. One such row can
 * decide a verdict: a kernel that ends seconds late makes the device look busy, one that is stamped an hour off makes
 * it look idle.
 *
 * <pre>
 *   stream   [K1][=========K2==========...   K3 to K9 run "under" K2: a stream runs one after the other
 *                 [K3][K4]...[K9]
 *   stream   [K1] [K3] [K4] [K2]             K2, launched before K3, starts after it
 *   all      [rows rows rows]      .....[K]  nothing is near a row that is alone
 * </pre>
 *
 * Few such rows, at most {@link #FEW} of their kind, are left out and counted. If there are more, the recording says how
 * many, and the trust gate judges it. Beyond {@link #MANY} the reason is another: clocks that disagree, streams that
 * are none.
 */
final class ContradictingRows {
    private static final double FEW = 0.01;
    private static final double MANY = 0.2;

    /** Stamps of host and device agree better than this. */
    private static final long SKEW_NS = 1_000_000;

    /** As many whole operations inside another one of their stream are no overlap at its border. */
    private static final int SWALLOWED = 3;

    /** Of fewer rows nothing can be said. */
    private static final int LEAST = 10;

    /** As many rows are no kind of rows. */
    private static final int SINGLE = 2;

    /** An operation that waits for nothing waits at most as many times longer than any other. */
    private static final int LATE = 10;

    /** Waiting is judged if it is this share of the device's time. */
    private static final double LATE_SHARE = 0.05;

    /** Share of the rows that must be there twice. */
    private static final double TWICE = 0.25;

    /** A range that goes on alone for as many times all that is recorded has no end. */
    private static final int ENDLESS = 10;

    private final Timeline timeline;
    /** By row, from the first that was launched on: the row of its launch plus one, 0 for none. */
    private final int[] launches;

    private final int firstLaunched;
    private final BitSet bad = new BitSet();
    private long operations;
    private long hostRows;

    /** Rows that equal the one before them, and how many of these are operations. */
    private long twice;

    private long operationsTwice;

    private Reach first = new Reach();
    private Reach last = new Reach();
    private Reach lastStart = new Reach();

    private ContradictingRows(Timeline timeline) {
        this.timeline = timeline;
        Links links = timeline.links();
        int from = 0;
        int end = links.count();
        while (from < end && !isLaunch(links, from)) {
            from++;
        }
        while (end > from && !isLaunch(links, end - 1)) {
            end--;
        }
        this.firstLaunched = from < end ? links.toRow(from) : 0;
        this.launches = new int[from < end ? links.toRow(end - 1) - firstLaunched + 1 : 0];
        for (int i = from; i < end; i++) {
            if (isLaunch(links, i)) {
                launches[links.toRow(i) - firstLaunched] = links.fromRow(i) + 1;
            }
        }
        look();
    }

    private static boolean isLaunch(Links links, int link) {
        return links.kind(link) == LinkKind.LAUNCH || links.kind(link) == LinkKind.GRAPH_REPLAY;
    }

    private int launch(int row) {
        int at = row - firstLaunched;
        return at >= 0 && at < launches.length ? launches[at] - 1 : -1;
    }

    /** Reads all rows once, for everything that all rows tell. */
    private void look() {
        boolean all = bad.isEmpty() && timeline.capturedCount() == 0;
        long startBeforeNs = Long.MIN_VALUE;
        long endBeforeNs = Long.MIN_VALUE;
        for (int row = 0; row < timeline.rowCount(); row++) {
            RowKind kind = timeline.kind(row);
            long startNs = timeline.startNs(row);
            long endNs = timeline.endNs(row);
            boolean isOperation = kind.isDeviceOperation();
            if (isOperation || kind.isHostActivity()) {
                operations += isOperation ? 1 : 0;
                hostRows += isOperation ? 0 : 1;
                if (all || (!bad.get(row) && !timeline.isCaptured(row))) {
                    first.add(row, -startNs);
                    last.add(row, endNs);
                    lastStart.add(row, startNs);
                }
            }
            if (startNs == startBeforeNs && endNs == endBeforeNs && isSame(timeline, row - 1, row)) {
                twice++;
                operationsTwice += isOperation ? 1 : 0;
            }
            startBeforeNs = startNs;
            endBeforeNs = endNs;
        }
    }

    /** Returns a timeline without such rows. */
    static Timeline removed(Timeline read) {
        ContradictingRows rows = new ContradictingRows(read);
        if (rows.areTwice()) {
            rows = new ContradictingRows(rows.once());
        }
        for (Track stream : rows.timeline.tracks(TrackKind.STREAM).toList()) {
            rows.early(stream.id());
            rows.swallowing(stream.id());
            rows.disordered(stream.id());
        }
        rows.late();
        rows.alone();
        return rows.bad.isEmpty() ? rows.timeline : rows.without();
    }

    private Timeline without() {
        int badOperations = count(row -> timeline.kind(row).isDeviceOperation());
        int badHost = bad.cardinality() - badOperations;
        boolean many = badOperations > SINGLE && badOperations > MANY * operations;
        if (many || badOperations > FEW * operations || badHost > FEW * hostRows) {
            String text = badOperations > 0
                    ? badOperations + " of " + operations + " device operations"
                    : badHost + " of " + hostRows + " host records";
            return many ? timeline : timeline.with(TimelineInfo.CONTRADICTIONS, text + ", such as " + first());
        }
        ImportStats.Builder stats = new ImportStats.Builder();
        bad.stream()
                .forEach(row -> stats.count(Reason.CONTRADICTION, timeline.sourceOffsetBytes(row), timeline.name(row)));
        BitSet kept = new BitSet();
        kept.set(0, timeline.rowCount());
        kept.andNot(bad);
        return TimelineCut.ofRows(timeline, kept, stats.build());
    }

    private String first() {
        int row = bad.nextSetBit(0);
        return timeline.name(row) + " at byte " + timeline.sourceOffsetBytes(row);
    }

    private int count(IntPredicate of) {
        return (int) bad.stream().filter(of).count();
    }

    /** Marks operations of a stream that start long before their launch. */
    private void early(int stream) {
        timeline.rows(stream)
                .filter(row -> launch(row) >= 0)
                .filter(row -> timeline.startNs(row) < timeline.startNs(launch(row)) - SKEW_NS)
                .forEach(bad::set);
    }

    private boolean isOperation(int row) {
        return timeline.kind(row).isDeviceOperation() && !bad.get(row);
    }

    /** Marks operations of a stream in which several others lie. */
    private void swallowing(int stream) {
        int open = -1;
        int inside = 0;
        for (int row = timeline.firstRow(stream); row < timeline.endRow(stream); row++) {
            if (!isOperation(row)) {
                continue;
            }
            if (open >= 0 && timeline.endNs(row) <= timeline.endNs(open)) {
                inside += timeline.durationNs(row) > 0 ? 1 : 0;
                if (inside == SWALLOWED) {
                    bad.set(open);
                    open = row;
                    inside = 0;
                }
            } else {
                open = row;
                inside = 0;
            }
        }
    }

    /** Marks operations of a stream that started out of the order in which they were launched. */
    private void disordered(int stream) {
        if (!isDisordered(stream)) {
            return;
        }
        int[] rows = timeline.rows(stream)
                .filter(row -> launch(row) >= 0 && isOperation(row))
                .toArray();
        BitSet inOrder = longestInOrder(rows);
        int kept = -1;
        for (int i = 0; i < rows.length; i++) {
            boolean before = kept >= 0 && isLaunchedBefore(rows[i], rows[kept]);
            int next = inOrder.nextSetBit(i);
            boolean after = next > i && isLaunchedBefore(rows[next], rows[i]);
            if (inOrder.get(i)) {
                kept = i;
            } else if (before || after) {
                bad.set(rows[i]);
            }
        }
    }

    private boolean isDisordered(int stream) {
        long latestNs = Long.MIN_VALUE;
        for (int row = timeline.firstRow(stream); row < timeline.endRow(stream); row++) {
            int launch = launch(row);
            if (launch >= 0 && isOperation(row)) {
                if (latestNs != Long.MIN_VALUE && timeline.endNs(launch) < latestNs - SKEW_NS) {
                    return true;
                }
                latestNs = Math.max(latestNs, timeline.startNs(launch));
            }
        }
        return false;
    }

    /** Returns whether the launch of one was over when that of the other began: threads may share a stream. */
    private boolean isLaunchedBefore(int row, int other) {
        return timeline.endNs(launch(row)) < timeline.startNs(launch(other)) - SKEW_NS;
    }

    /** Returns the positions of the longest subsequence whose launches are in order (patience sorting). */
    private BitSet longestInOrder(int[] rows) {
        int[] tails = new int[rows.length];
        int[] before = new int[rows.length];
        int length = 0;
        for (int i = 0; i < rows.length; i++) {
            long launchNs = timeline.startNs(launch(rows[i]));
            int low = BinarySearch.first(0, length, middle -> timeline.startNs(launch(rows[tails[middle]])) > launchNs);
            before[i] = low > 0 ? tails[low - 1] : -1;
            tails[low] = i;
            length = Math.max(length, low + 1);
        }
        BitSet found = new BitSet();
        for (int i = length > 0 ? tails[length - 1] : -1; i >= 0; i = before[i]) {
            found.set(i);
        }
        return found;
    }

    /**
     * Marks the last operation of the device if it started long after its launch, although the device had nothing else
     * to do.
     */
    private void late() {
        int last = -1;
        long firstNs = Long.MAX_VALUE;
        long othersNs = Long.MIN_VALUE;
        for (Track track : timeline.tracks()) {
            int end = track.kind() == TrackKind.STREAM ? timeline.endRow(track.id()) : -1;
            for (int row = timeline.firstRow(track.id()); row < end; row++) {
                if (isOperation(row)) {
                    firstNs = Math.min(firstNs, timeline.startNs(row));
                    boolean later = last < 0 || timeline.startNs(row) >= timeline.startNs(last);
                    int other = later ? last : row;
                    othersNs = other < 0 ? othersNs : Math.max(othersNs, timeline.endNs(other));
                    last = later ? row : last;
                }
            }
        }
        if (last < 0 || launch(last) < 0 || othersNs == Long.MIN_VALUE) {
            return;
        }
        long waitNs = timeline.startNs(last) - Math.max(othersNs, timeline.endNs(launch(last)));
        if (waitNs > SKEW_NS && waitNs > LATE_SHARE * (othersNs - firstNs) && waitNs > LATE * longestWaitNs(last)) {
            bad.set(last);
        }
    }

    /** Returns the longest time from a launch to its operation, without that of one operation. */
    private long longestWaitNs(int without) {
        return timeline.rows()
                .filter(row -> launch(row) >= 0 && row != without && isOperation(row))
                .mapToLong(row -> timeline.startNs(row) - timeline.endNs(launch(row)))
                .reduce(0, Math::max);
    }

    /** The row that reaches farthest at one end of the recording, and how far all others reach. */
    private static final class Reach {
        private int row = -1;
        private long farthestNs = Long.MIN_VALUE;
        private long othersNs = Long.MIN_VALUE;

        void add(int added, long ns) {
            if (ns > farthestNs) {
                othersNs = farthestNs;
                farthestNs = ns;
                row = added;
            } else if (ns > othersNs) {
                othersNs = ns;
            }
        }
    }

    /** Marks the first and the last row if nothing else is near them, and the range that never ends. */
    private void alone() {
        if (!bad.isEmpty()) {
            first = new Reach();
            last = new Reach();
            lastStart = new Reach();
            operations = 0;
            hostRows = 0;
            look();
        }
        if (operations + hostRows < LEAST || first.othersNs == Long.MIN_VALUE) {
            return;
        }
        long fromNs = -first.othersNs;
        long lengthNs = Math.max(SKEW_NS, last.othersNs - fromNs);
        if (fromNs - timeline.endNs(first.row) > lengthNs) {
            bad.set(first.row);
        }
        long beyondNs = last.farthestNs - last.othersNs;
        boolean startsAlone = last.row == lastStart.row && timeline.startNs(last.row) - last.othersNs > lengthNs;
        boolean isRange = !timeline.kind(last.row).isApiCall() && timeline.startNs(last.row) > fromNs;
        if (startsAlone || (isRange && beyondNs > ENDLESS * lengthNs)) {
            bad.set(last.row);
        }
    }

    private boolean areTwice() {
        int count = timeline.rowCount();
        return twice >= LEAST && (twice >= TWICE * count || (operationsTwice > 0 && twice >= FEW * count));
    }

    /** Returns a timeline in which rows that are there twice are there once. */
    private Timeline once() {
        int[] twins = new int[timeline.rowCount()];
        for (int row = 0; row < twins.length; row++) {
            boolean same = row > 0 && isSame(timeline, row - 1, row);
            twins[row] = same ? (twins[row - 1] < 0 ? row - 1 : twins[row - 1]) : -1;
        }
        ImportStats.Builder stats = new ImportStats.Builder();
        stats.count(Reason.TWICE, twice, -1, "");
        return TimelineCut.ofDistinct(timeline, twins, stats.build());
    }

    /** Rows are sorted, so equal ones are neighbours. */
    private static boolean isSame(Timeline timeline, int a, int b) {
        return timeline.startNs(a) == timeline.startNs(b)
                && timeline.endNs(a) == timeline.endNs(b)
                && timeline.endNs(a) > timeline.startNs(a)
                && timeline.nameId(a) == timeline.nameId(b)
                && timeline.track(a) == timeline.track(b)
                && timeline.kind(a) == timeline.kind(b)
                && timeline.correlation(a) == timeline.correlation(b);
    }
}
