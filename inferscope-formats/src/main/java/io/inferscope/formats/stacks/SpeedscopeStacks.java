package io.inferscope.formats.stacks;

import io.inferscope.formats.common.StackOwner;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;

/** Frames of one profile by index in the document. */
record SpeedscopeStacks(TimelineBuilder builder, SpeedscopeFrames frames) {
    /** Returns whether the document contains a frame; counts a missing one. */
    boolean isKnown(int frame) {
        boolean known = frame >= 0 && frame < frames.names().size();
        builder.stats().count(Reason.UNKNOWN_FRAME, known ? 0 : 1, -1, "frame " + frame);
        return known;
    }

    /**
     * Returns the name id of a known frame; -1 for an outermost frame that names a process or thread instead of code.
     */
    int name(int frame, boolean outermost) {
        String name = frames.names().get(frame);
        boolean owner = outermost && StackOwner.ALL_THREADS.refinedBy(name) != null;
        return owner ? -1 : builder.name(name);
    }
}
