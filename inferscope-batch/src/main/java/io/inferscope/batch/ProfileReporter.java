package io.inferscope.batch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes reports on a profiler's traces. */
public interface ProfileReporter {
    /** The name of the reports, without their endings. */
    String NAME = "inferscope_report";

    /** The report that a browser shows. */
    String PAGE = NAME + ".html";

    /**
     * Writes reports on traces.
     *
     * @param traces the traces of one run, one per process
     * @param folder folder for the reports
     * @param title title of the run
     * @throws IOException when the traces cannot be used, or the reports not be written; the message says why
     */
    void report(List<Path> traces, Path folder, String title) throws IOException;
}
