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
        this(
                timeline,
                builder,
                new int[timeline.tracks().size()],
                new int[timeline.stacks().count()]);
        addTracks(prefix);
        addStacks();
    }

    private CopiedIds(Timeline timeline, TimelineBuilder builder, int[] tracks, int[] stacks) {
        this.timeline = timeline;
        this.builder = builder;
        this.tracks = tracks;
        this.stacks = stacks;
        names = new int[timeline.nameCount()];
        Arrays.fill(names, NOT_ADDED);
    }

    /** Returns the ids of names alone: no track is added, and no row keeps its stack. */
    public static CopiedIds ofNames(Timeline timeline, TimelineBuilder builder) {
        return new CopiedIds(timeline, builder, new int[0], new int[0]);
    }

    private void addTracks(String prefix) {
        for (Track track : timeline.tracks()) {
            boolean root = track.parent() < 0 && track.kind() != TrackKind.COUNTER;
            String key = root ? prefix + track.key() : track.key();
            tracks[track.id()] = builder.track(track.kind(), track.parent() < 0 ? -1 : tracks[track.parent()], key);
            if (!track.name().equals(track.key())) {
                builder.trackName(tracks[track.id()], track.name());
            }
        }
    }

    private void addStacks() {
        Stacks all = timeline.stacks();
        for (int stack = 0; stack < stacks.length; stack++) {
            int caller = all.caller(stack);
            stacks[stack] =
                    builder.stack(caller < 0 ? -1 : stacks[caller], builder.frame(all.text(stack), all.frame(stack)));
        }
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

    /**
     * Returns an attribute's value, with ids of names and stacks replaced by the builder's; absent for a stack not
     * added.
     */
    public long value(Attribute attribute, long value) {
        if (attribute == Attribute.STACK) {
            return value < stacks.length ? stacks[(int) value] : Attribute.ABSENT;
        }
        return attribute.isText() ? name((int) value) : value;
    }
}
