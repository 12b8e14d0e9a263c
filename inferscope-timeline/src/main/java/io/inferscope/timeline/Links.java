package io.inferscope.timeline;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** The typed edge table: which row led to which. Edges are sorted by target row; several edges may share a target. */
public final class Links {
    private final byte[] kinds;
    private final int[] fromRows;
    private final int[] toRows;
    private final byte[] confidencePercents;

    /** Takes ownership of equally long arrays, sorted by {@code toRows}. */
    Links(byte[] kinds, int[] fromRows, int[] toRows, byte[] confidencePercents) {
        this.kinds = kinds;
        this.fromRows = fromRows;
        this.toRows = toRows;
        this.confidencePercents = confidencePercents;
    }

    /** Returns how many edges there are. */
    public int count() {
        return toRows.length;
    }

    public LinkKind kind(int link) {
        return KINDS[kinds[link]];
    }

    /** Returns the edges of some kinds. */
    public IntStream of(LinkKind... kinds) {
        Set<LinkKind> wanted = EnumSet.copyOf(List.of(kinds));
        return IntStream.range(0, count()).filter(link -> wanted.contains(kind(link)));
    }

    /** Returns the edges that lead from a call to an operation that it launched, directly or through a graph. */
    public IntStream launches() {
        return of(LinkKind.LAUNCH, LinkKind.GRAPH_REPLAY);
    }

    /** Returns the row from which an edge leads. */
    public int fromRow(int link) {
        return fromRows[link];
    }

    /** Returns the row to which an edge leads. */
    public int toRow(int link) {
        return toRows[link];
    }

    /** Returns the confidence of an edge, 0 to 100; 100 for an id that the source recorded on both sides. */
    public int confidencePercent(int link) {
        return confidencePercents[link];
    }

    /**
     * Returns the API call that submitted device operation {@code row}, directly or through a graph launch; -1 when not
     * recorded.
     */
    public int launchOf(int row) {
        for (int i = firstTo(row); i < toRows.length && toRows[i] == row; i++) {
            LinkKind kind = kind(i);
            if (kind == LinkKind.LAUNCH || kind == LinkKind.GRAPH_REPLAY) {
                return fromRows[i];
            }
        }
        return -1;
    }

    /** Returns the operation for which a row waited through an event, the first of several; -1 if none is recorded. */
    public int eventGiver(int row) {
        for (int i = firstTo(row); i < toRows.length && toRows[i] == row; i++) {
            if (kind(i) == LinkKind.EVENT_WAIT) {
                return fromRows[i];
            }
        }
        return -1;
    }

    /** Returns the functions of the host that held up the stream before an operation, by start. */
    public List<Integer> hostFunctionsBefore(int row) {
        return IntStream.range(firstTo(row), toRows.length)
                .takeWhile(i -> toRows[i] == row)
                .filter(i -> kind(i) == LinkKind.HOST_FUNCTION)
                .mapToObj(i -> fromRows[i])
                .toList();
    }

    private int firstTo(int row) {
        int found = Arrays.binarySearch(toRows, row);
        if (found < 0) {
            return toRows.length;
        }
        while (found > 0 && toRows[found - 1] == row) {
            found--;
        }
        return found;
    }

    private static final LinkKind[] KINDS = LinkKind.values();
}
