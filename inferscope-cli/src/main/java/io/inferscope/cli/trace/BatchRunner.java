package io.inferscope.cli.trace;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.batch.Batch;
import io.inferscope.batch.BatchOptions;
import io.inferscope.batch.Installation;
import io.inferscope.batch.Pair;
import io.inferscope.batch.PairResult;
import io.inferscope.batch.ProfileReporter;
import io.inferscope.batch.TraceOptions;
import io.inferscope.batch.summary.BatchSummary;
import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.RunOutputs;
import io.inferscope.collectors.os.SignalHandlers;
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
import java.util.concurrent.atomic.AtomicInteger;

/** Runs a batch for a command: with progress, signal handling and overview. */
final class BatchRunner {
    private static final int SOME_FAILED = 1;
    private static final int SIGNALLED = 128;

    private final Analyzer analyzer;
    private final Log log;
    private final AtomicInteger signal = new AtomicInteger();

    BatchRunner(Analyzer analyzer, Log log) {
        this.analyzer = analyzer;
        this.log = log;
    }

    /** Runs the pairs; returns the exit code. */
    int run(TraceOptions options, BatchOptions how, Installation installation, List<Pair> pairs)
            throws IOException, InterruptedException {
        RunOutputs.check(options.output());
        BatchSummary.checkWritable(options.output());
        List<PairResult> results;
        try (TraceProgress progress = TraceProgress.of(log, pairs.size());
                Batch batch = new Batch(options, how, installation, new TraceReports(analyzer), progress)) {
            for (String name : List.of("INT", "TERM", "HUP")) {
                SignalHandlers.handle(name, number -> stop(batch, number));
            }
            results = batch.run(pairs);
        }
        Path summary = BatchSummary.write(options.output(), results);
        log.info(TracerTexts.conclusion(results) + "; see " + summary);
        if (signal.get() != 0) {
            return SIGNALLED + signal.get();
        }
        return results.stream().allMatch(PairResult::isFine) ? 0 : SOME_FAILED;
    }

    /** The first signal ends the batch in order; the second one ends it as soon as no tracer process is left. */
    private void stop(Batch batch, int number) {
        boolean first = signal.compareAndSet(0, number);
        if (first) {
            log.warn("stopping; the same command continues from here");
        }
        batch.stop();
        if (!first) {
            Runtime.getRuntime().halt(SIGNALLED + number);
        }
    }

    /** Writes the report on a tracer's profile, equal to that of {@code inferscope analyze}. */
    private record TraceReports(Analyzer analyzer) implements ProfileReporter {
        /** Names of the reports; the ending is the format. */
        static final List<String> FILES = List.of(NAME + ".md", PAGE, NAME + ".json");

        @Override
        public void report(List<Path> traces, Path folder, String title) throws IOException {
            AnalyzedReport explained;
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
}
