package io.inferscope.timeline.importer;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import java.io.IOException;

/** Reads one format into a timeline. Stateless; one class per format. */
public abstract class Importer {
    private final String format;
    private final String description;

    /**
     * Makes an importer.
     *
     * @param format the format's short name, such as {@code kineto}
     * @param description a short description for the list of known formats
     */
    protected Importer(String format, String description) {
        this.format = format;
        this.description = description;
    }

    public final String format() {
        return format;
    }

    public final String description() {
        return description;
    }

    /**
     * Returns whether the content is of this format. Decides by content, never by name.
     *
     * @throws IOException when the file cannot be read
     */
    public abstract boolean recognises(TraceHead head) throws IOException;

    /**
     * Adds the content to {@code builder}. Damage is counted in {@link TimelineBuilder#stats()}; everything before it
     * is used.
     *
     * @throws ImportException when nothing of the content can be used
     * @throws IOException when the file cannot be read
     */
    public abstract void read(TraceSource source, TimelineBuilder builder) throws ImportException, IOException;

    /**
     * Returns the usable part of a timeline just read: all of it, unless the format records where the recording was
     * cut.
     */
    public Timeline finish(Timeline timeline) {
        return timeline;
    }
}
