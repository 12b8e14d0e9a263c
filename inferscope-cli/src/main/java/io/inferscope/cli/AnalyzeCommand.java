package io.inferscope.cli;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code inferscope analyze}: explains a trace that some tool recorded. */
@Command(
        name = "analyze",
        description = "Explain a recorded trace: where the time goes, why the GPU is idle, what to change.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class AnalyzeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "TRACE", description = "Kineto / Chrome trace (.json, .json.gz) or a spool folder.")
    private @Nullable Path trace;

    @Mixin
    private ReportOptions reports = new ReportOptions();

    @Option(names = "--strict", description = "Refuse damaged input instead of using what is intact (exit code 3).")
    private boolean strict;

    @Override
    public Integer call() throws ImportException, IOException {
        Path file = java.util.Objects.requireNonNull(trace);
        reports.check(List.of(file), null);
        Timeline timeline = Formats.importers().load(file);
        if (strict && !timeline.importStats().damage().isEmpty()) {
            throw new ImportException(
                    file.toString(),
                    "damaged: " + timeline.importStats().damage(),
                    "leave out --strict to use what is intact");
        }
        Path name = file.getFileName();
        Report report = new Analyzer().analyze(timeline, name == null ? file.toString() : name.toString());
        reports.write(report);
        return 0;
    }
}
