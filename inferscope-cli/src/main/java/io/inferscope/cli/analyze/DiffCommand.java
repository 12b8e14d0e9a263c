package io.inferscope.cli.analyze;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.diff.Diff;
import io.inferscope.analyzer.diff.RepeatedRuns;
import io.inferscope.analyzer.diff.Side;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.LimitOption;
import io.inferscope.cli.common.PartOption;
import io.inferscope.cli.common.ReportOptions;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.Stage;
import io.inferscope.cli.common.SummaryOption;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.fleet.Origin;
import io.inferscope.fleet.PastRuns;
import io.inferscope.fleet.SummarySets;
import io.inferscope.report.Renderers;
import io.inferscope.report.json.JsonReportReader;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope diff}: reports the changes between two recordings, and whether they exceed noise. */
public final class DiffCommand extends Command {
    private final PositionalParamSpec before = parameter(
            0, "BEFORE", Path.class, "The recording to compare with, of any known format, or its JSON report.");
    private final PositionalParamSpec after =
            add(CommandSpecs.parameter(1, "AFTER", Path.class, "The recording to judge, or its JSON report.", false));
    private final OptionSpec against = option(
            "--against=NAME|DIR",
            String.class,
            "Compare with the recording that `inferscope baseline set NAME` kept, in the place of BEFORE; or with the last"
                    + " runs in DIR, which --summary or `fleet build` wrote, that have the labels of --label.");
    private final OptionSpec labels = add(SummaryOption.labels());
    private final OptionSpec moreBefore = runs("--more-before", "BEFORE");
    private final OptionSpec moreAfter = runs("--more-after", "AFTER");
    private final ReportOptions reports = ReportOptions.withTimeline(spec);
    private final OptionSpec strict = add(TraceInputs.strict());
    private final PartOption part = new PartOption(spec);
    private final LimitOption limits = new LimitOption(spec);
    private final RulesOption rules;

    public DiffCommand(Settings settings) {
        super("diff", "Compare two recordings: what changed, by how much, and whether it is beyond noise.");
        rules = new RulesOption(spec, settings);
        help(List.of(
                "inferscope diff before.json.gz after.json.gz",
                "inferscope diff before.json.gz after.json.gz --fail-on 'regression>5%%'",
                "inferscope diff --against main after.json.gz",
                "inferscope diff --against fleet/ --label service=chat after.json.gz --fail-on 'idle>p95(history)'",
                "inferscope diff a1.json b1.json --more-before a2.json --more-after b2.json"));
    }

    private OptionSpec runs(String name, String of) {
        return add(CommandSpecs.list(
                        name + "=FILE",
                        Path.class,
                        "More runs of the program of " + of
                                + ": the difference is judged by how runs differ, and those of"
                                + " median pace are shown.")
                .arity("1..*")
                .build());
    }

    /** Returns all runs of a program, that of its parameter first. */
    private static List<Path> runs(Path first, OptionSpec more) {
        List<Path> others = Objects.requireNonNullElse(more.getValue(), List.of());
        return Stream.concat(Stream.of(first), others.stream()).toList();
    }

    /** Returns the recording before: the first parameter, or the one that is kept under a name. */
    private Path before() throws IOException {
        String name = against.getValue();
        boolean two = after.getValue() != null;
        if (name == null) {
            if (!two) {
                throw misuse("Missing required parameter: 'AFTER'");
            }
            return before.getValue();
        }
        if (two) {
            throw misuse("--against " + name + " takes the place of BEFORE: give one recording");
        }
        return Baselines.file(name)
                .orElseThrow(() -> misuse("--against " + name + ": not set; inferscope baseline set " + name
                        + " RECORDING, in the project's folder"));
    }

    @Override
    public Integer call() throws ImportException, IOException {
        boolean named = against.getValue() != null;
        Map<String, String> ofRuns = SummaryOption.labels(spec, labels);
        String kept = Objects.requireNonNullElse(against.<String>getValue(), "");
        if (named
                && after.getValue() == null
                && !new SummarySets(Path.of(kept)).sets().isEmpty()) {
            return history(new SummarySets(Path.of(kept)), ofRuns, before.getValue());
        }
        if (!ofRuns.isEmpty()) {
            throw misuse("--label chooses among the runs of --against DIR, which holds no rows");
        }
        List<Path> befores = runs(before(), moreBefore);
        List<Path> afters = runs(named ? before.getValue() : after.getValue(), moreAfter);
        reports.check(Stream.concat(befores.stream(), afters.stream()).toList(), null);
        limits.check();
        Analyzer analyzer = rules.analyzer();
        Stage stage = new Stage(rules.log());
        RepeatedRuns runs = befores.size() + afters.size() > 2
                ? new RepeatedRuns(reported(befores, analyzer, stage), reported(afters, analyzer, stage))
                : null;
        if (runs != null && runs.refusal().isPresent()) {
            throw misuse(runs.refusal().get());
        }
        Side a = side(befores.get(runs == null ? 0 : runs.typicalBefore()), analyzer, stage);
        Side b = side(afters.get(runs == null ? 0 : runs.typicalAfter()), analyzer, stage);
        Comparison comparison = Diff.of(a, b, runs);
        stage.done("comparison");
        List<AnalyzedReport> drawn = reports.scripts()
                ? Stream.of(a, b).flatMap(side -> side.explained().stream()).toList()
                : List.of();
        List<AnalyzedReport> both = drawn.size() == 2 ? drawn : List.of();
        reports.write((format, console, out) ->
                Renderers.comparison(format, console, both).render(comparison, out));
        stage.done("writing");
        if (named) {
            Baselines.note(against.getValue(), comparison);
        }
        return limits.exitCode(comparison, a.report(), b.report());
    }

    /** Compares a recording with earlier runs, of which only figures are known. */
    private int history(SummarySets sets, Map<String, String> ofRuns, Path file) throws ImportException, IOException {
        reports.check(List.of(file), null);
        limits.check();
        Stage stage = new Stage(rules.log());
        Side side = side(file, rules.analyzer(), stage);
        PastRuns past = new PastRuns(sets, ofRuns, Origin.traceId(List.of(file)));
        PastRuns.Compared compared = past.compared(side.report());
        reports.write((format, console, out) -> {
            if (format.equals("json")) {
                compared.json(out);
            } else {
                compared.page().render(format, console, out);
            }
        });
        return limits.exitCode(side.report(), past);
    }

    /** Explains each file and keeps the report only, so that many runs take no more memory than one. */
    private List<Side> reported(List<Path> files, Analyzer analyzer, Stage stage) throws ImportException {
        List<Side> sides = new ArrayList<>();
        for (Path file : files) {
            sides.add(side(file, analyzer, stage).withoutRecording());
        }
        return sides;
    }

    private Side side(Path file, Analyzer analyzer, Stage stage) throws ImportException {
        String title = TraceInputs.title(file);
        if (JsonReportReader.recognises(file)) {
            return reported(file, title, stage);
        }
        Timeline timeline = TraceInputs.load(List.of(new Input(file, null)), title, isSet(strict), err());
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
