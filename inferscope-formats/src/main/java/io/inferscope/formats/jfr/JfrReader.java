package io.inferscope.formats.jfr;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import java.io.IOException;
import java.nio.file.Path;
import jdk.jfr.consumer.RecordingFile;

/** Passes the events of a flight recording to {@link JfrEvents}. Uses the module jdk.jfr, which a runtime may lack. */
final class JfrReader {
    private JfrReader() {}

    /**
     * Reads every event of complete chunks. The JDK's parser does not validate: any exception that a damaged file
     * causes, its own InternalError among them, ends the reading and is counted; the events before it are used.
     */
    static void read(Path file, JfrEvents events) {
        ImportStats.Builder stats = events.stats();
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                stats.event();
                events.event(recording.readEvent());
            }
        } catch (IOException | RuntimeException | VirtualMachineError e) {
            stats.count(Reason.MALFORMED, -1, "flight recording: " + e);
        }
        events.finish();
    }
}
