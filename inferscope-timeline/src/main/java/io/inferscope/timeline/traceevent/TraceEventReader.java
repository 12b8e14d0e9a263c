package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;

/** Takes a document apart. Its callers do not depend on how, so a faster reader can replace it. */
public interface TraceEventReader {
    /** Returns the reader to use. */
    static TraceEventReader create() {
        return new ScanningTraceEventReader();
    }

    /** Receives the parts of a document in the order in which they stand in it. */
    interface Sink {
        /** Takes one event; the object is reused afterwards. */
        void event(TraceEvent event);

        /** Takes a scalar outside the event list, such as {@code deviceProperties[0].name}. */
        void property(String path, String value);

        /** Forgets everything taken: the document is read again from its start, with text repaired. */
        void restart();
    }

    /**
     * Reads a document to its end or to its damage.
     *
     * @throws ImportException when the content is refused altogether
     */
    void read(TraceSource source, Sink sink, ImportStats.Builder stats) throws IOException, ImportException;
}
