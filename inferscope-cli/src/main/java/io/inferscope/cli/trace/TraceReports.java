package io.inferscope.cli.trace;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.Explained;
import io.inferscope.batch.ProfileReporter;
import io.inferscope.cli.common.Failures;
import io.inferscope.formats.Formats;
import io.inferscope.report.Renderers;
import io.inferscope.timeline.files.WholeFile;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Writes the report on a tracer's profile, equal to that of {@code inferscope analyze}. */
record TraceReports(Analyzer analyzer) implements ProfileReporter {
    /** Names of the reports; the ending is the format. */
    static final List<String> FILES = List.of(NAME + ".md", PAGE, NAME + ".json");

    @Override
    public void report(List<Path> traces, Path folder, String title) throws IOException {
        Explained explained;
        try {
            List<Input> inputs =
                    traces.stream().map(trace -> new Input(trace, null)).toList();
            explained = analyzer.explain(Formats.importers().load(inputs, bytes -> {}), title);
        } catch (ImportException e) {
            throw new IOException(e.getMessage(), e);
        } catch (OutOfMemoryError e) {
            throw new IOException(Failures.describe(e), e);
        }
        for (String file : FILES) {
            WholeFile.write(folder.resolve(file), out -> {
                Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
                (file.equals(PAGE) ? Renderers.html(explained.analysis(), true) : Renderers.byFileName(file))
                        .render(explained.report(), writer);
                writer.flush();
            });
        }
    }
}
