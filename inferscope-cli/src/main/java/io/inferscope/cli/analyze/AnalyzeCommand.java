package io.inferscope.cli.analyze;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.work.DevicePeaks;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.LimitOption;
import io.inferscope.cli.common.PartOption;
import io.inferscope.cli.common.ReportOptions;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.Stage;
import io.inferscope.cli.common.SummaryOption;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.cli.shapes.ShapeLogInputs;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.OptionSpec;

/** {@code inferscope analyze}: explains a recording of any supported tool. */
public final class AnalyzeCommand extends Command {
    private final ReportOptions reports = ReportOptions.withFigures(spec);
    private final TraceInputs inputs = new TraceInputs(spec);
    private final PartOption part = new PartOption(spec);
    private final OptionSpec shapes = add(ShapeLogInputs.option());
    private final OptionSpec gpu = option(
            "--gpu=NAME",
            String.class,
            "Compare operators with the peak of this GPU, such as H100, where the recording does not name its own.");
    private final OptionSpec open =
            flag("--open", "Open the HTML report of -o in the browser; without one, serve its page to this machine.");
    private final LimitOption limits = new LimitOption(spec);
    private final SummaryOption summary = new SummaryOption(spec);
    private final Settings settings;
    private final RulesOption rules;

    public AnalyzeCommand(Settings settings) {
        super("analyze", "Explain a recorded trace: where the time goes, why the GPU is idle, what to change.");
        this.settings = settings;
        rules = new RulesOption(spec, settings);
        help(List.of(
                "inferscope analyze trace.json.gz -o report.html",
                "inferscope analyze rank0.json.gz rank1.json.gz",
                "inferscope analyze trace.json.gz --fail-on 'idle>20%%'"));
    }

    @Override
    public Integer call() throws ImportException, IOException {
        List<Path> logs = Optional.<List<Path>>ofNullable(shapes.getValue()).orElse(List.of());
        List<Path> read = new ArrayList<>(inputs.files());
        read.addAll(logs);
        reports.orElse(settings.reportPath());
        reports.check(read, null);
        limits.check();
        summary.check(inputs.files());
        String model = gpu.getValue() == null ? "" : gpu.getValue();
        if (!model.isEmpty() && DevicePeaks.of(model, 0, 0) == null) {
            throw misuse("--gpu " + model + ": no peaks of it are known; there are "
                    + String.join(", ", DevicePeaks.models())
                    + "; for another one set device-peak.* in a rules file");
        }
        Stage stage = new Stage(rules.log());
        Timeline timeline = inputs.load();
        stage.done("reading");
        Analyzer analyzer = rules.analyzer().ofGpu(model);
        Timeline explainedPart = part.of(timeline, inputs.title());
        boolean brief =
                reports.isConsoleOnly() && !limits.isSet() && !summary.isSet() && !isSet(open) && logs.isEmpty();
        AnalyzedReport explained = brief
                ? analyzer.conclude(explainedPart, inputs.title())
                : analyzer.explain(explainedPart, inputs.title());
        Report report = ShapeLogInputs.beside(explained.report(), logs);
        stage.done("analysis");
        int broken = reports.write(explained.with(report));
        summary.write(inputs.files(), explained);
        stage.done("writing");
        int crossed = limits.exitCode(report);
        if (isSet(open)) {
            show(explained.with(report));
        }
        return broken == 0 ? crossed : broken;
    }

    private void show(AnalyzedReport explained) throws IOException {
        Browser browser = new Browser(reports.aside(), err(), true);
        Optional<Path> page = reports.files().stream()
                .filter(file -> file.toString().matches(".*\\.html?"))
                .findFirst();
        if (page.isPresent()) {
            browser.show(page.get().toUri().toString(), false);
        } else {
            browser.serve(explained, inputs.title(), 0);
        }
    }
}
