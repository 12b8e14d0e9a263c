package io.inferscope.timeline;

import java.util.Arrays;

/**
 * Maps the ids of a timeline's tracks, stacks and names to those of a builder that copies its rows. The constructor
 * adds the tracks and the stacks; names are added when first used.
 */
public final class CopiedIds {
    private static final int NOT_ADDED = -1;

    private final Timeline timeline;
    private final TimelineBuilder builder;
    private final int[] tracks;
    private final int[] stacks;
    private final int[] names;

    /**
     * Adds the tracks and stacks of a timeline to a builder.
     *
     * @param prefix put before the keys of processes and devices if equal keys mean different ones; otherwise empty
     */
    public CopiedIds(Timeline timeline, TimelineBuilder builder, String prefix) {
        this.timeline = timeline;
        this.builder = builder;
        names = new int[timeline.nameCount()];
        Arrays.fill(names, NOT_ADDED);
        tracks = addTracks(prefix);
        stacks = addStacks();
    }

    private int[] addTracks(String prefix) {
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

    private int[] addStacks() {
        Stacks all = timeline.stacks();
        int[] ids = new int[all.count()];
        for (int stack = 0; stack < ids.length; stack++) {
            int caller = all.caller(stack);
            ids[stack] = builder.stack(caller < 0 ? -1 : ids[caller], name(all.frameNameId(stack)));
        }
        return ids;
    }

    /** Returns the builder's id of a track. */
    public int track(int track) {
        return tracks[track];
    }

    /** Returns the builder's id of a name. */
    public int name(int nameId) {
        if (names[nameId] == NOT_ADDED) {
            names[nameId] = builder.name(timeline.text(nameId));
        }
        return names[nameId];
    }

    /** Returns an attribute's value, with ids of names and stacks replaced by the builder's. */
    public long value(Attribute attribute, long value) {
        if (attribute == Attribute.STACK) {
            return stacks[(int) value];
        }
        return attribute.isText() ? name((int) value) : value;
    }
}
