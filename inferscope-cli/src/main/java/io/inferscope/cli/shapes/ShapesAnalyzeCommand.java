package io.inferscope.cli.shapes;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.OutputFiles;
import io.inferscope.cli.common.ReportOptions;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.report.common.PlainText;
import io.inferscope.report.shapes.ShapeRenderer;
import io.inferscope.shapes.CallListener;
import io.inferscope.shapes.ShapeAnalysis;
import io.inferscope.shapes.ShapeCollection;
import io.inferscope.shapes.ShapeFilter;
import io.inferscope.shapes.ShapeReport;
import io.inferscope.shapes.ShapeSections;
import io.inferscope.shapes.log.ShapeLogSink.Row;
import io.inferscope.timeline.files.WholeFile;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope shapes analyze}: reports on the content of shape logs. */
final class ShapesAnalyzeCommand extends Command {
    /** Lines of a list, at most. */
    static final int MAX_TOP = 10_000;

    private final PositionalParamSpec files = add(CommandSpecs.several(
            "FILE",
            Path.class,
            "A shape log, JSON lines or gzip of them. Several are ranks of one run, and are compared."));
    private final ReportOptions reports = new ReportOptions(spec);
    private final OptionSpec showShapes = flag("--show-shapes", "List the shapes of operators on the console too.");
    private final OptionSpec top = number("--top", 20, "Lines of each list (default: 20).");
    private final OptionSpec maxShapes = number("--max-shapes", 10, "Shapes of each operator (default: 10).");
    private final OptionSpec filter =
            option("--filter-op=TEXT", String.class, "", "Only operators whose name contains TEXT, in any case.");
    private final OptionSpec minElements =
            number("--min-elements", 0, "Only calls whose outputs have at least N elements together.");
    private final OptionSpec maxEntries =
            number("--max-entries", Long.MAX_VALUE, "Only the first N calls of each log.");
    private final OptionSpec timeline = option(
            "--timeline=CSV",
            Path.class,
            "Write each call to CSV: call_id, operation, op_count, output_elements, output_shape.");
    private final OptionSpec quick = flag("--quick", "Count operators only, without their shapes.");
    private final OptionSpec noSummary = flag("--no-summary", "Leave out operators by calls.");
    private final OptionSpec noLargest = flag("--no-largest", "Leave out the largest tensors.");
    private final OptionSpec noDiversity = flag("--no-diversity", "Leave out operators by different shapes.");
    private final OptionSpec strict = add(TraceInputs.strict());

    ShapesAnalyzeCommand() {
        super(
                "analyze",
                "Report what shape logs hold: operators, shapes, work, phases, failures, differences of ranks.");
    }

    @Override
    public Integer call() throws ImportException, IOException {
        List<Path> logs = files.getValue();
        Path csv = timeline.getValue();
        reports.check(logs, null);
        check(logs, csv);
        ShapeFilter wanted = new ShapeFilter(filter.getValue(), checked(minElements, 0, Long.MAX_VALUE));
        ShapeCollection all = new ShapeCollection(wanted, isSet(quick), checked(maxEntries, 1, Long.MAX_VALUE));
        ShapeSections sections = new ShapeSections(
                !isSet(noSummary), !isSet(noLargest), !isSet(noDiversity), (int) checked(top, 1, MAX_TOP), (int)
                        checked(maxShapes, 1, MAX_TOP));
        read(logs, all, csv);
        ShapeReport report = ShapeAnalysis.of(all, title(logs), sections);
        reports.write((format, console, out) -> ShapeRenderer.render(report, isSet(showShapes), format, console, out));
        return 0;
    }

    private void check(List<Path> logs, @Nullable Path csv) {
        if (csv == null) {
            return;
        }
        if (logs.size() > 1) {
            throw misuse("--timeline " + csv + ": the calls of one log, but " + logs.size() + " are named");
        }
        try {
            List<Path> outputs = new ArrayList<>(reports.files());
            outputs.add(csv);
            OutputFiles.check(logs, outputs);
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        }
    }

    private void read(List<Path> logs, ShapeCollection all, @Nullable Path csv) throws ImportException, IOException {
        if (csv == null) {
            ShapeLogInputs.read(logs, all, null, isSet(strict));
            return;
        }
        ImportException[] failure = new ImportException[1];
        try {
            WholeFile.write(csv, out -> {
                CallTimeline calls = new CallTimeline(out);
                try {
                    ShapeLogInputs.read(logs, all, calls, isSet(strict));
                } catch (ImportException e) {
                    failure[0] = e;
                    throw new IOException(e);
                }
                calls.flush();
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (IOException e) {
            if (failure[0] != null) {
                throw failure[0];
            }
            throw e;
        }
    }

    private static String title(List<Path> logs) {
        return TraceInputs.title(logs.get(0)) + (logs.size() > 1 ? " and " + (logs.size() - 1) + " more" : "");
    }

    /**
     * The calls of a shape log as CSV (RFC 4180, lines ended by line feeds): call_id, operation, op_count, output_elements,
     * output_shape.
     */
    private static final class CallTimeline implements CallListener {
        private final CsvWriter out;

        CallTimeline(OutputStream stream) {
            out = CsvWriter.builder()
                    .lineDelimiter(LineDelimiter.LF)
                    .bufferSize(1 << 16)
                    .build(stream);
            out.writeRecord("call_id", "operation", "op_count", "output_elements", "output_shape");
        }

        @Override
        public void call(String operation, long count, Row row) {
            out.writeRecord(
                    row.callId() < 0 ? "" : Long.toString(row.callId()),
                    PlainText.csvCell(operation),
                    Long.toString(row.operationCount() < 0 ? count : row.operationCount()),
                    Long.toString(row.outputElements()),
                    PlainText.csvCell(row.outputsText()));
        }

        void flush() throws IOException {
            out.flush();
        }
    }
}
