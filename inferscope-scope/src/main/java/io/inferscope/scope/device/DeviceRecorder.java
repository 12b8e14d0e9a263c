package io.inferscope.scope.device;

import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;

/**
 * Records the device work of its own process. Implementations are found by {@link java.util.ServiceLoader} and make one
 * recording at a time.
 */
public interface DeviceRecorder {
    /**
     * Begins to record.
     *
     * @param spool opens the spool; called only when it is certain that recording is possible
     * @return the running recording, to be stopped by the caller
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
        /** Waits for the device's records so far, stores them and closes the spool. Never throws. */
        void stop();
    }
}
