package io.inferscope.timeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was recorded, on one clock. Immutable; made by {@link TimelineBuilder}.
 *
 * <p>Rows are columns of primitives read by row number; there is no object per event. They are ordered by (track,
 * start, longer first), so that on a thread an enclosing range comes before what it encloses, and {@link #parent} walks
 * outwards. Times are nanoseconds on the timeline's axis; {@link #originUnixNs} is the Unix time of its zero. Intervals
 * are half-open.
 */
public final class Timeline {
    /** Nesting depth that ordinary programs do not reach. */
    private static final int DEEP = 32;

    /** Of a number of a list. */
    private static final int MOST_DIGITS = 12;

    private final Columns columns;
    private final String[] names;
    private final List<Track> tracks;
    private final int[] firstRows;
    private final int[] parents;
    private final Links links;
    private final Stacks stacks;
    private final TimelineInfo info;
    private volatile @Nullable Map<TimelineBuilder.TrackKey, Integer> trackKeys;
    private final AtomicReferenceArray<int @Nullable []> enclosing =
            new AtomicReferenceArray<>(RowKind.values().length);

    Timeline(
            Columns columns,
            String[] names,
            List<Track> tracks,
            int[] firstRows,
            int[] parents,
            Links links,
            Stacks stacks,
            TimelineInfo info) {
        this.columns = columns;
        this.names = names;
        this.tracks = List.copyOf(tracks);
        this.firstRows = firstRows;
        this.parents = parents;
        this.links = links;
        this.stacks = stacks;
        this.info = info;
    }

    /** The columns, by row; {@code attributes[a]} is null where no row has attribute {@code a}. */
    @SuppressWarnings("ArrayRecordComponent") // Columns are handed over, never compared.
    record Columns(
            byte[] kinds,
            Column tracks,
            Column starts,
            Column durations,
            Column names,
            Column correlations,
            Column offsets,
            @Nullable Column[] attributes) {
        int size() {
            return kinds.length;
        }

        long start(int row) {
            return starts.get(row);
        }

        long end(int row) {
            return starts.get(row) + durations.get(row);
        }
    }

    /** Returns the same rows with one more property. */
    public Timeline with(String property, String value) {
        Map<String, String> properties = new HashMap<>(info.properties());
        properties.put(property, value);
        TimelineInfo more = new TimelineInfo(
                info.format(),
                info.originUnixNs(),
                info.clockDomains(),
                info.coverage(),
                info.overheads(),
                properties,
                info.importStats());
        return new Timeline(columns, names, tracks, firstRows, parents, links, stacks, more);
    }

    public int rowCount() {
        return columns.size();
    }

    public RowKind kind(int row) {
        return KINDS[columns.kinds[row]];
    }

    /** Returns the id of the row's track. */
    public int track(int row) {
        return (int) columns.tracks.get(row);
    }

    /**
     * Returns whether a row is on a track of the kind {@link TrackKind#CAPTURE}, and so no part of what is explained.
     */
    public boolean isCaptured(int row) {
        return tracks.get(track(row)).kind() == TrackKind.CAPTURE;
    }

    /** Returns how many rows are captured. */
    public int capturedCount() {
        return tracks(TrackKind.CAPTURE)
                .mapToInt(track -> endRow(track.id()) - firstRow(track.id()))
                .sum();
    }

    /** Returns the row's start in ns on the axis. */
    public long startNs(int row) {
        return columns.start(row);
    }

    /** Returns the row's end (exclusive) in ns on the axis. */
    public long endNs(int row) {
        return columns.end(row);
    }

    /** Returns the row's length in ns. */
    public long durationNs(int row) {
        return columns.durations.get(row);
    }

    /** Returns the id of the row's name; equal names have equal ids. */
    public int nameId(int row) {
        return (int) columns.names.get(row);
    }

    public String name(int row) {
        return names[(int) columns.names.get(row)];
    }

    /** Returns how many name ids there are; ids are below it. */
    public int nameCount() {
        return names.length;
    }

    /** Returns the text of each name, in the order of their ids. */
    public Stream<String> names() {
        return Arrays.stream(names);
    }

    public String text(long nameId) {
        return nameId == Attribute.ABSENT ? "" : names[(int) nameId];
    }

    /** Returns the frame that a name stands for: of a sample, or of a recorded function. */
    public Frame frame(int nameId) {
        return stacks.ofName(nameId);
    }

    /** Returns the source's correlation id, 0 for none. */
    public long correlation(int row) {
        return columns.correlations.get(row);
    }

    /**
     * Returns the byte offset of the row's event in the inflated source document, from which its unread arguments can
     * be read; -1 if the source has no such offsets or there are several sources.
     */
    public long sourceOffsetBytes(int row) {
        return columns.offsets.get(row);
    }

    /** Returns an attribute of a row, {@link Attribute#ABSENT} where it has none. */
    public long attribute(int row, Attribute attribute) {
        Column column = columns.attributes[attribute.ordinal()];
        return column == null ? Attribute.ABSENT : column.get(row);
    }

    /** Returns an attribute that is a name id as text, empty where the row has none. */
    public String attributeText(int row, Attribute attribute) {
        return text(attribute(row, attribute));
    }

    /** Returns an attribute that is a list of numbers; it ends at what is none, as anyone can write a trace. */
    public List<Long> numbers(int row, Attribute attribute) {
        List<Long> numbers = new ArrayList<>();
        String text = attributeText(row, attribute);
        for (int from = 0; from < text.length(); ) {
            int end = Frame.endOfDigits(text, from);
            if (end == from || end > from + MOST_DIGITS || (end < text.length() && text.charAt(end) != ',')) {
                break;
            }
            numbers.add(Long.parseLong(text, from, end, 10));
            from = end + 1;
        }
        return numbers;
    }

    /** Returns whether any row has the attribute. */
    public boolean has(Attribute attribute) {
        return columns.attributes[attribute.ordinal()] != null;
    }

    /** Returns the innermost row of the same track that encloses this one, -1 for none. */
    public int parent(int row) {
        return parents[row];
    }

    /** Returns whether rows of this row's kind enclose others: those of observed instants do not. */
    public boolean mayEnclose(int row) {
        return Nesting.encloses(columns.kinds()[row]);
    }

    /**
     * Returns the innermost row of a kind that encloses this one, -1 for none. For deep nesting, the rows of a kind are
     * found once for all rows.
     */
    public int enclosing(int row, RowKind kind) {
        int at = parents[row];
        for (int steps = 0; at >= 0 && kind(at) != kind; steps++) {
            if (steps == DEEP) {
                return enclosing(kind)[row];
            }
            at = parents[at];
        }
        return at;
    }

    /** The innermost enclosing row of a kind, by row. One pass, because parents precede their children. */
    private int[] enclosing(RowKind kind) {
        int[] known = enclosing.get(kind.ordinal());
        if (known == null) {
            known = new int[rowCount()];
            for (int row = 0; row < known.length; row++) {
                int parent = parents[row];
                known[row] = parent < 0 || kind(parent) == kind ? parent : known[parent];
            }
            enclosing.set(kind.ordinal(), known);
        }
        return known;
    }

    /** Returns the track with a kind, a parent and a key; -1 if there is none. */
    public int knownTrack(TrackKind kind, int parent, String key) {
        Map<TimelineBuilder.TrackKey, Integer> known = trackKeys;
        if (known == null) {
            known = new HashMap<>();
            for (Track track : tracks) {
                known.putIfAbsent(new TimelineBuilder.TrackKey(track.kind(), track.parent(), track.key()), track.id());
            }
            trackKeys = known;
        }
        return known.getOrDefault(new TimelineBuilder.TrackKey(kind, parent, key), -1);
    }

    /** Returns every track, in a fixed order: parents before children, then by key. */
    public List<Track> tracks() {
        return tracks;
    }

    /** Returns the tracks of a kind, in their order. */
    public Stream<Track> tracks(TrackKind kind) {
        return tracks.stream().filter(track -> track.kind() == kind);
    }

    /** Returns every row, in the order of tracks. */
    public IntStream rows() {
        return IntStream.range(0, rowCount());
    }

    /** Returns the rows of a track, in the order of their starts. */
    public IntStream rows(int track) {
        return IntStream.range(firstRow(track), endRow(track));
    }

    /** Returns the rows of a track that are of a kind, in the order of their starts. */
    public IntStream rows(int track, RowKind kind) {
        return rows(track).filter(row -> kind(row) == kind);
    }

    /** Returns the sum of the lengths of some rows, in ns. */
    public long sumNs(IntStream rows) {
        return rows.mapToLong(this::durationNs).sum();
    }

    /** Returns when any of some rows was. */
    public Intervals times(IntStream rows) {
        Intervals.Builder times = new Intervals.Builder(16);
        rows.forEach(row -> times.add(startNs(row), endNs(row)));
        return times.build();
    }

    /** Returns the first row of a track; its rows are contiguous up to {@link #endRow}. */
    public int firstRow(int track) {
        return firstRows[track];
    }

    /** Returns the row after the last one of a track. */
    public int endRow(int track) {
        return firstRows[track + 1];
    }

    /** Returns the edges between rows. */
    public Links links() {
        return links;
    }

    /** Returns the call stacks that rows name by {@link Attribute#STACK}. */
    public Stacks stacks() {
        return stacks;
    }

    /**
     * Returns the Unix time, in ns, of the axis' zero; 0 when the axis itself is Unix time or its origin is not known.
     */
    public long originUnixNs() {
        return info.originUnixNs();
    }

    /** Returns where the timeline came from. */
    public TimelineInfo info() {
        return info;
    }

    /** Returns the properties of the recording, such as device names, sorted by key. */
    public Map<String, String> properties() {
        return info.properties();
    }

    /** Returns a property that is a number; {@code otherwise} if it is absent or, as anyone can write a trace, none. */
    public long number(String property, long otherwise) {
        String text = properties().getOrDefault(property, "");
        try { // Times since 1970 in ns have 19 digits, as the largest long.
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    /**
     * Returns whether the source recorded instants, rather than durations only. Without instants, gaps mean nothing.
     */
    public boolean instantsAreRecorded() {
        return !TimelineInfo.LAID_OUT.equals(info.properties().get(TimelineInfo.INSTANTS));
    }

    /** Returns the counts of events that the import used, dropped or repaired. */
    public ImportStats importStats() {
        return info.importStats();
    }

    private static final RowKind[] KINDS = RowKind.values();
}
