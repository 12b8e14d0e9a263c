package io.inferscope.formats.jfr;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import java.io.IOException;
import java.nio.file.Path;
import jdk.jfr.consumer.RecordingFile;

/** Hands the events of a flight recording to {@link JfrEvents}. Touches classes of the module jdk.jfr, which a runtime may lack. */
final class JfrReader {
    private JfrReader() {}

    /**
     * Reads every event of whole chunks. The JDK's parser believes what it reads: whatever a damaged file makes it throw ends the reading,
     * is counted, and what was read before is used.
     */
    static void read(Path file, JfrEvents events) {
        ImportStats.Builder stats = events.stats();
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                stats.event();
                events.event(recording.readEvent());
            }
        } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
            stats.count(Reason.MALFORMED, -1, "flight recording: " + e);
        }
        events.finish();
    }
}
