package io.inferscope.batch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Explains what a profiler recorded. */
public interface ProfileReporter {
    /** The name of the reports, without their endings. */
    String NAME = "inferscope_report";

    /** The report that a browser shows. */
    String PAGE = NAME + ".html";

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
