package io.inferscope.cli;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.kineto.KinetoExporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** From spools to report: import, merge into one trace, analyse. */
final class Pipeline {
    private Pipeline() {}

    /** Writes the merged trace and returns the report on all of it; see {@link #finish(Path, Path, String, PartOption)}. */
    static Report finish(Path spools, Path trace, String title) throws ImportException, IOException {
        return finish(spools, trace, title, new PartOption());
    }

    /**
     * Writes the merged trace and returns the report on it.
     *
     * @param spools the spool folder
     * @param trace the file to write; an ending of {@code .gz} compresses
     * @param title the report's title
     * @param part what of it the report explains; the trace holds all
     * @throws ImportException when the spools hold nothing usable
     * @throws IOException when the trace cannot be written
     */
    static Report finish(Path spools, Path trace, String title, PartOption part) throws ImportException, IOException {
        Timeline timeline = Formats.importers().load(spools);
        Path folder = trace.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        KinetoExporter.write(timeline, trace);
        return new Analyzer().analyze(part.of(timeline, title), title);
    }
}
