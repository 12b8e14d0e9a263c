package io.inferscope.cli.analyze;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.Explained;
import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.diff.Diff;
import io.inferscope.analyzer.diff.Side;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.LimitOption;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.PartOption;
import io.inferscope.cli.common.ReportOptions;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.Stage;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.report.Renderers;
import io.inferscope.report.json.JsonReportReader;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope diff}: reports the changes between two recordings, and whether they exceed noise. */
public final class DiffCommand extends Command {
    private final PositionalParamSpec before = CommandSpecs.parameter(
            0, "BEFORE", Path.class, "The recording to compare with, of any known format, or its JSON report.");
    private final PositionalParamSpec after =
            CommandSpecs.parameter(1, "AFTER", Path.class, "The recording to judge, or its JSON report.");
    private final OptionSpec strict = TraceInputs.strict();
    private final ReportOptions reports = new ReportOptions();
    private final PartOption part = new PartOption();
    private final LimitOption limits = new LimitOption();
    private final RulesOption rules;
    private final Settings settings;

    public DiffCommand(Settings settings) {
        super("diff", "Compare two recordings: what changed, by how much, and whether it is beyond noise.");
        this.settings = settings;
        rules = new RulesOption(settings);
    }

    @Override
    protected void describe() {
        spec.addPositional(before).addPositional(after);
        reports.addWithTimelineTo(spec);
        options(strict);
        part.addTo(spec);
        limits.addTo(spec);
        rules.addTo(spec);
        help(List.of(
                "inferscope diff before.json.gz after.json.gz",
                "inferscope diff before.json.gz after.json.gz --fail-on 'regression>5%%'"));
    }

    @Override
    public Integer call() throws ImportException, IOException {
        Path one = before.getValue();
        Path other = after.getValue();
        reports.check(List.of(one, other), null);
        limits.check(spec);
        Analyzer analyzer = rules.analyzer();
        Stage stage = new Stage(Log.of(spec.commandLine(), settings));
        Side a = side(one, analyzer, stage);
        Side b = side(other, analyzer, stage);
        Comparison comparison = Diff.of(a, b);
        stage.done("comparison");
        List<Explained> drawn = reports.scripts()
                ? Stream.of(a, b).flatMap(side -> side.explained().stream()).toList()
                : List.of();
        List<Explained> both = drawn.size() == 2 ? drawn : List.of();
        reports.write((format, console, out) ->
                Renderers.comparison(format, console, both).render(comparison, out));
        stage.done("writing");
        return limits.exitCode(comparison, a.report(), b.report(), spec);
    }

    private Side side(Path file, Analyzer analyzer, Stage stage) throws ImportException {
        String title = TraceInputs.title(file);
        if (JsonReportReader.recognises(file)) {
            return reported(file, title, stage);
        }
        Timeline timeline = TraceInputs.load(List.of(new Input(file, null)), title, CommandSpecs.isSet(strict), err());
        stage.done("reading " + title);
        Side side = Side.of(analyzer, part.of(timeline, title), title);
        stage.done("analysis of " + title);
        return side;
    }

    private Side reported(Path file, String title, Stage stage) throws ImportException {
        if (part.isSet()) {
            throw misuse("--scope: " + title + " is a report, which cannot be cut; give the recording");
        }
        Side side = Side.of(JsonReportReader.read(file), title);
        stage.done("reading " + title);
        return side;
    }
}
