package io.inferscope.formats;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;

/** Frames of one profile by index in the document. */
final class SpeedscopeStacks {
    private final TimelineBuilder builder;
    private final SpeedscopeFrames frames;

    SpeedscopeStacks(TimelineBuilder builder, SpeedscopeFrames frames) {
        this.builder = builder;
        this.frames = frames;
    }

    /** Returns the name id of a frame; -1 for an outermost one that stands for a process or thread rather than for code. */
    int name(int frame, boolean outermost) {
        if (frame < 0 || frame >= frames.names().size()) {
            builder.stats().count(Reason.UNKNOWN_FRAME, -1, "frame " + frame);
            return builder.name("frame " + frame);
        }
        String name = frames.names().get(frame);
        boolean owner = outermost && StackOwner.ALL_THREADS.refinedBy(name) != null;
        return owner ? -1 : builder.name(name);
    }
}
