package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;

/**
 * Parses a document into events and properties. Callers do not depend on the implementation, so a faster reader can
 * replace it.
 */
public interface TraceEventReader {
    static TraceEventReader create() {
        return new ScanningTraceEventReader();
    }

    /** Receives the parts of a document in their order. */
    interface Sink {
        /** Receives one event; the object is reused afterwards. */
        void event(TraceEvent event);

        /** Receives a scalar outside the event list, such as {@code deviceProperties[0].name}. */
        default void property(String path, String value) {}

        /** Discards everything received: the document is read again from its start, with invalid text repaired. */
        void restart();
    }

    /**
     * Reads a document to its end or to the first damage.
     *
     * @throws ImportException when the whole content is refused
     */
    void read(TraceSource source, Sink sink, ImportStats.Builder stats) throws IOException, ImportException;
}
