package io.inferscope.scope.device;

import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;

/**
 * Records the device work of the process that it is in. Implementations are found by {@link java.util.ServiceLoader} and used for one recording
 * at a time.
 */
public interface DeviceRecorder {
    /**
     * Begins to record.
     *
     * @param spool opens the spool, once it is clear that there is something to record
     * @return what ends the recording
     * @throws IOException when nothing can be recorded here: its message names what is missing, and what to do
     */
    Recording start(SpoolOpener spool) throws IOException;

    /** Opens the spool of a recording. */
    interface SpoolOpener {
        /** Creates the file; the caller closes it. */
        SpoolWriter open() throws IOException;
    }

    /** A recording that runs. */
    interface Recording {
        /** Waits for what was recorded so far, stores it and closes the spool. Never throws. */
        void stop();
    }
}
