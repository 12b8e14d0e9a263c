package io.inferscope.timeline.importer;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import java.io.IOException;

/** Reads one format into a timeline. Stateless; one class per format. */
public interface Importer {
    /** Returns the format's short name, such as {@code kineto}. */
    String format();

    /** Returns a short description for the list of known formats. */
    String description();

    /**
     * Returns whether the content is of this format. Decides by content, never by name.
     *
     * @throws IOException when the file cannot be read
     */
    boolean recognises(TraceHead head) throws IOException;

    /**
     * Adds the content to {@code builder}. Damage is counted in {@link TimelineBuilder#stats()}; everything before it
     * is used.
     *
     * @throws ImportException when nothing of the content can be used
     * @throws IOException when the file cannot be read
     */
    void read(TraceSource source, TimelineBuilder builder) throws ImportException, IOException;

    /**
     * Returns the usable part of a timeline just read: all of it, unless the format records where the recording was
     * cut.
     */
    default Timeline finish(Timeline timeline) {
        return timeline;
    }
}
