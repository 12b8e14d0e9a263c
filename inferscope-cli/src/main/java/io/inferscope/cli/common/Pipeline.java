package io.inferscope.cli.common;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.PathTables.PathPiece;
import io.inferscope.analyzer.path.CriticalPath;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.kineto.KinetoExporter;
import io.inferscope.timeline.kineto.Overlay;
import io.inferscope.timeline.load.Importers.Input;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** From spools to report: import, merge into one trace, analyse. */
public final class Pipeline {
    private Pipeline() {}

    /**
     * Writes the merged trace and returns the report on all of it; see
     * {@link #finish(Path, Path, String, PartOption, Analyzer, Stage)}.
     */
    public static AnalyzedReport finish(Path spools, Path trace, String title, Analyzer analyzer, Stage stage)
            throws ImportException, IOException {
        return finish(spools, trace, title, new PartOption(CommandSpec.create()), analyzer, stage);
    }

    /**
     * Writes the merged trace and returns the report on it.
     *
     * @param spools the spool folder
     * @param trace the file to write; an ending of {@code .gz} compresses
     * @param title the report's title
     * @param part the part that the report explains; the trace contains all
     * @param analyzer has the user's limits and rules
     * @param stage notified of the end of each stage
     * @throws ImportException if the spools contain nothing usable
     * @throws IOException when the trace cannot be written
     */
    public static AnalyzedReport finish(
            Path spools, Path trace, String title, PartOption part, Analyzer analyzer, Stage stage)
            throws ImportException, IOException {
        Timeline timeline = load(spools);
        stage.done("reading");
        Path folder = trace.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        boolean written = false;
        try {
            Analysis analysis = analyzer.analysis(part.of(timeline, title));
            stage.done("analysis");
            writeWithPath(timeline, trace, analysis);
            written = true;
            stage.done("writing the trace and its critical path");
            AnalyzedReport explained = new AnalyzedReport(analysis, analyzer.report(analysis, title));
            stage.done("tables and rules");
            return explained;
        } finally {
            if (!written) { // Keep the recording even if it cannot be explained.
                KinetoExporter.write(timeline, trace);
            }
        }
    }

    /**
     * Writes the trace with the critical path. If the path cannot be computed, it is left out, which the report states.
     */
    private static void writeWithPath(Timeline timeline, Path trace, Analysis analysis) throws IOException {
        try {
            CriticalPath.of(analysis);
        } catch (RuntimeException | StackOverflowError defect) {
            KinetoExporter.write(timeline, trace);
            return;
        }
        KinetoExporter.write(timeline, trace, overlay(analysis));
    }

    /** Pieces of the critical path that a trace holds; more would take more space than the recording. */
    private static final int MOST_PIECES = 100_000;

    /** Returns an overlay with the critical path of the explained part. */
    public static Overlay overlay(Analysis analysis) {
        return pieces -> {
            for (PathPiece piece : CriticalPath.of(analysis).overview(MOST_PIECES)) {
                pieces.piece(
                        piece.activity(),
                        piece.cause().id(),
                        piece.track(),
                        piece.where(),
                        piece.startNs(),
                        piece.endNs());
            }
        };
    }

    /** Loads the spools with the windows of PyTorch's profiler; without the windows if one is unusable. */
    private static Timeline load(Path spools) throws ImportException, IOException {
        List<Input> inputs = inputs(spools);
        try {
            return Formats.importers().load(inputs, bytes -> {});
        } catch (ImportException e) {
            if (inputs.size() == 1) {
                throw e;
            }
            Log.tell(
                    new PrintWriter(System.err, true, Charset.defaultCharset()),
                    "the windows of --ops are left out: " + e.getMessage());
            return Formats.importers().load(spools);
        }
    }

    /** The spool folder, and the windows of PyTorch's profiler in it, which are aligned by Unix time. */
    private static List<Input> inputs(Path spools) throws IOException {
        List<Input> inputs = new ArrayList<>();
        inputs.add(new Input(spools, null));
        try (DirectoryStream<Path> windows = Files.newDirectoryStream(spools, "ops-*.json")) {
            for (Path window : windows) {
                if (Files.isRegularFile(window)) {
                    inputs.add(new Input(window, null));
                }
            }
        }
        inputs.subList(1, inputs.size()).sort(Order.comparing(Input::file));
        return inputs;
    }
}
