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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope analyze}: explains a trace that some tool recorded. */
final class AnalyzeCommand implements Callable<Integer> {
    private final PositionalParamSpec trace = PositionalParamSpec.builder()
            .type(Path.class)
            .arity("1")
            .required(true)
            .paramLabel("TRACE")
            .description(
                    "Kineto / Chrome trace (.json, .json.gz), a spool folder, or what another profiler wrote (docs/formats.md).")
            .build();

    private final ReportOptions reports = new ReportOptions();

    private final OptionSpec strict =
            Specs.flag("--strict", "Refuse damaged input instead of using what is intact (exit code 3).");

    /** Returns the description that the parser works from. */
    CommandSpec spec() {
        CommandSpec spec = Specs.command(
                this, "analyze", "Explain a recorded trace: where the time goes, why the GPU is idle, what to change.");
        spec.addPositional(trace);
        reports.addTo(spec);
        spec.addOption(strict);
        Specs.addHelp(spec);
        return spec;
    }

    @Override
    public Integer call() throws ImportException, IOException {
        Path file = trace.getValue();
        reports.check(List.of(file), null);
        Timeline timeline = Formats.importers().load(file);
        if (Specs.isSet(strict) && !timeline.importStats().damage().isEmpty()) {
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
