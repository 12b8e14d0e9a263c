package io.inferscope.collectors.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Explains what a profiler recorded. */
public interface ProfileReporter {
    /**
     * Writes reports on traces.
     *
     * @param traces those of one run, one per process
     * @param folder where the reports go
     * @param title what to call the run
     * @throws IOException when the traces cannot be used, or the reports not be written; the message says why
     */
    void report(List<Path> traces, Path folder, String title) throws IOException;
}
