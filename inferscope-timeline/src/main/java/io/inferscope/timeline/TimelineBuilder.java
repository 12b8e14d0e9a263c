package io.inferscope.timeline;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Collects rows, tracks and links in any order and freezes them into a {@link Timeline}. Not thread-safe.
 *
 * <p>Rows are named by the handle that {@link #row} returns until {@link #build} sorts them.
 */
public final class TimelineBuilder {
    private static final RowKind[] KINDS = RowKind.values();

    private final Names names;
    private final Map<TrackKey, Integer> trackIds = new HashMap<>();
    private final List<Track> tracks = new ArrayList<>();
    private final RowStore rows = new RowStore();
    private final LinkStore links = new LinkStore();
    private final StackStore stacks = new StackStore();
    private final List<ClockDomain> clockDomains = new ArrayList<>();
    private final List<Coverage> coverage = new ArrayList<>();
    private final List<RecorderOverhead> overheads = new ArrayList<>();
    private final Map<String, String> properties = new TreeMap<>();
    private final ImportStats.Builder stats = new ImportStats.Builder();
    private long originUnixNs;
    private boolean ownRows;

    /**
     * What makes a track one of its own. Compared by hand-written methods: a record's generated methods are linked at
     * their first call, which slows start-up.
     */
    record TrackKey(TrackKind kind, int parent, String key) {
        @Override
        public boolean equals(Object other) {
            return other instanceof TrackKey that && kind == that.kind && parent == that.parent && key.equals(that.key);
        }

        @Override
        public int hashCode() {
            return (kind.ordinal() * 31 + parent) * 31 + key.hashCode();
        }
    }

    /** Makes a builder with room for as many names as this JVM has memory for. */
    public TimelineBuilder() {
        this(Names.mostInMemory());
    }

    /**
     * Makes a builder with room for {@code mostNames} different names; further names become one name and are counted.
     */
    TimelineBuilder(int mostNames) {
        names = new Names(mostNames);
    }

    /** Returns the id of {@code text}, to be used as a row's name. */
    public int name(String text) {
        return names.intern(text);
    }

    public String text(int nameId) {
        return names.text(nameId);
    }

    /** Returns the track with this kind, parent and key, made when new. Ids change when the timeline is built. */
    public int track(TrackKind kind, int parent, String key) {
        return trackIds.computeIfAbsent(new TrackKey(kind, parent, key), k -> {
            tracks.add(new Track(tracks.size(), kind, parent, key, key));
            return tracks.size() - 1;
        });
    }

    /** Returns the track with this kind, parent and key, -1 when there is none. */
    public int knownTrack(TrackKind kind, int parent, String key) {
        return trackIds.getOrDefault(new TrackKey(kind, parent, key), -1);
    }

    /** Gives a track a readable name. */
    public void trackName(int track, String name) {
        Track old = tracks.get(track);
        tracks.set(track, new Track(old.id(), old.kind(), old.parent(), old.key(), name));
    }

    /** Returns the tracks so far; the position of each is its number. */
    public List<Track> tracks() {
        return Collections.unmodifiableList(tracks);
    }

    /** Returns whether a track has another name than its key. */
    public boolean isNamed(int track) {
        return !tracks.get(track).name().equals(tracks.get(track).key());
    }

    /** Notes that InferScope wrote the rows, which are taken as they are. */
    public void ownRows() {
        ownRows = true;
    }

    /** Returns whether it did. */
    public boolean hasOwnRows() {
        return ownRows;
    }

    /** Adds a row and returns its handle. An end before the start is an error. */
    public int row(RowKind kind, int track, long startNs, long endNs, int nameId) {
        if (endNs < startNs) {
            throw new IllegalArgumentException("row ends before it starts: [" + startNs + ", " + endNs + ")");
        }
        return rows.add(kind, track, startNs, endNs, nameId);
    }

    /** Sets a row's correlation id. */
    public void correlation(int handle, long id) {
        rows.correlation(handle, id);
    }

    /** Sets the byte of the inflated source document at which a row's event begins. */
    public void sourceOffset(int handle, long offsetBytes) {
        rows.offset(handle, offsetBytes);
    }

    /** Sets an attribute of a row. */
    public void attribute(int handle, Attribute attribute, long value) {
        rows.set(handle, attribute, value);
    }

    /**
     * Returns the id of a call stack, for {@link Attribute#STACK}: the frame {@code nameId} called from stack
     * {@code caller}, -1 for an outermost frame.
     */
    public int stack(int caller, int nameId) {
        return stacks.intern(caller, nameId);
    }

    /** Returns the name id of a frame, for {@link #stack}. */
    public int frame(Frame frame) {
        return frame(frame.text(), frame);
    }

    /** Returns the id of a text that stands for a frame. */
    public int frame(String text, Frame frame) {
        int nameId = names.intern(text);
        stacks.frame(nameId, frame);
        return nameId;
    }

    /** Returns the name id of the innermost frame of a stack. */
    public int frameNameId(int stack) {
        return stacks.frameNameId(stack);
    }

    /** Moves the end of a row, for ranges that were still open when added. */
    public void end(int handle, long endNs) {
        rows.end(handle, Math.max(rows.start(handle), endNs));
    }

    /** Moves a row to another track, for rows whose track is known only at the end of the import. */
    public void move(int handle, int track) {
        rows.track(handle, track);
    }

    /** Changes the kind of a row, for rows whose kind is known only at the end of the import. */
    public void kind(int handle, RowKind kind) {
        rows.kind(handle, kind);
    }

    /** Returns how many rows were added; handles are below it. */
    public int rowCount() {
        return rows.size();
    }

    /** Returns the kind of a row already added. */
    public RowKind kindAt(int handle) {
        return KINDS[rows.kind(handle)];
    }

    /** Returns the name id of a row already added. */
    public int nameIdAt(int handle) {
        return rows.name(handle);
    }

    /** Returns the start in ns of a row already added. */
    public long startNsAt(int handle) {
        return rows.start(handle);
    }

    /** Returns the end in ns of a row already added. */
    public long endNsAt(int handle) {
        return rows.end(handle);
    }

    /** Returns the track of a row already added, as {@link #track} named it. */
    public int trackAt(int handle) {
        return rows.track(handle);
    }

    /** Returns an attribute of a row already added, {@link Attribute#ABSENT} when it has none. */
    public long attributeAt(int handle, Attribute attribute) {
        return rows.get(handle, attribute);
    }

    /** Returns the correlation id of a row already added, 0 for none. */
    public long correlationAt(int handle) {
        return rows.correlation(handle);
    }

    /** Adds a link from one row to another. Confidence is 0 to 100. */
    public void link(LinkKind kind, int fromHandle, int toHandle, int confidencePercent) {
        links.add(kind, fromHandle, toHandle, confidencePercent);
    }

    /** Returns the handles of the rows that links lead to. */
    public BitSet linkTargets() {
        return links.targets();
    }

    /** Returns the Unix time, in ns, of the axis' zero as set so far, 0 when it was not. */
    public long originUnixNs() {
        return originUnixNs;
    }

    /** Sets the Unix time, in ns, of the axis' zero. */
    public void originUnixNs(long unixNs) {
        originUnixNs = unixNs;
    }

    /** Adds a clock that rows came from. */
    public void clockDomain(ClockDomain domain) {
        clockDomains.add(domain);
    }

    /** Adds a recorder's coverage. An entry without counts and without a reason is left out. */
    public void coverage(Coverage entry) {
        if (entry.recorded() != 0 || entry.missing() != 0 || !entry.why().isBlank()) {
            coverage.add(entry);
        }
    }

    /** Adds a recorder's overhead. */
    public void overhead(RecorderOverhead entry) {
        overheads.add(entry);
    }

    /**
     * Sets a property of the recording. It must not be an environment variable or an argument, which may contain
     * secrets.
     */
    public void property(String key, String value) {
        properties.put(key, value);
    }

    /** Takes over what is known of a timeline beside its tracks and rows. */
    public void describe(Timeline timeline) {
        originUnixNs(timeline.originUnixNs());
        timeline.properties().forEach(this::property);
        timeline.info().clockDomains().forEach(this::clockDomain);
        timeline.info().coverage().forEach(this::coverage);
        timeline.info().overheads().forEach(this::overhead);
        stats().addAll(timeline.importStats());
    }

    /** Forgets everything added and counted, for an importer that starts over. */
    public void clear() {
        trackIds.clear();
        tracks.clear();
        rows.clear();
        links.clear();
        stacks.clear();
        clockDomains.clear();
        coverage.clear();
        overheads.clear();
        properties.clear();
        stats.clear();
    }

    /** Returns the counters of events that could not be used. */
    public ImportStats.Builder stats() {
        return stats;
    }

    /**
     * Freezes the rows, tracks and links: tracks in canonical order, rows sorted by (track, start, longer first), links
     * by target row.
     */
    public Timeline build(String format) {
        if (names.leftOut() > 0) {
            stats.count(Reason.NAME_LEFT_OUT, names.leftOut(), -1, "");
        }
        int[] trackOrder = TrackOrder.canonical(tracks);
        int[] newTrackId = invert(trackOrder);
        List<Track> orderedTracks = new ArrayList<>(tracks.size());
        for (int old : trackOrder) {
            Track track = tracks.get(old);
            int parent = track.parent() < 0 ? -1 : newTrackId[track.parent()];
            orderedTracks.add(new Track(orderedTracks.size(), track.kind(), parent, track.key(), track.name()));
        }
        int[] firstRows = rows.firstRows(newTrackId);
        int[] order = new RowOrder(rows, names).sorted(newTrackId, firstRows);
        Timeline.Columns columns = rows.ordered(order, firstRows);
        String[] texts = names.toArray();
        return new Timeline(
                columns,
                texts,
                orderedTracks,
                firstRows,
                Nesting.parents(columns, firstRows),
                links.frozen(invert(order)),
                stacks.frozen(texts),
                new TimelineInfo(format, originUnixNs, clockDomains, coverage, overheads, properties, stats.build()));
    }

    private static int[] invert(int[] permutation) {
        int[] inverse = new int[permutation.length];
        for (int i = 0; i < permutation.length; i++) {
            inverse[permutation[i]] = i;
        }
        return inverse;
    }
}
