package io.inferscope.cli.shapes;

import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.ReportOptions;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.report.shapes.ShapeRenderer;
import io.inferscope.shapes.ShapeCollection;
import io.inferscope.shapes.ShapeDiff;
import io.inferscope.shapes.ShapeDifference;
import io.inferscope.shapes.ShapeFilter;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope shapes diff}: reports the operators, shapes and failures in which two shape logs differ. */
final class ShapesDiffCommand implements Callable<Integer> {
    private final PositionalParamSpec first = CommandSpecs.file(0, "A", "The shape log to compare with.");
    private final PositionalParamSpec second = CommandSpecs.file(1, "B", "The shape log to judge.");
    private final ReportOptions reports = new ReportOptions();
    private final OptionSpec labels = OptionSpec.builder("--labels")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .arity("2")
            .paramLabel("LABEL")
            .description("What to call the two logs, instead of their file names.")
            .build();
    private final OptionSpec onlyDiff = CommandSpecs.flag("--only-diff", "Leave out equal operators.");
    private final OptionSpec examples = OptionSpec.builder("--show-examples")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .arity("1..*")
            .paramLabel("TEXT")
            .description("Show the first shapes of operators whose name contains TEXT, in both logs.")
            .build();
    private final OptionSpec top = ShapesAnalyzeCommand.number("--top", 20, "Lines of each list (default: 20).");
    private final OptionSpec strict = TraceInputs.strict();
    private final CommandSpec spec = CommandSpecs.command(
            this, "diff", "Compare two shape logs: operators, shapes, counts and failures that differ.");

    /** Returns the description that the parser works from. */
    CommandSpec spec() {
        spec.addPositional(first).addPositional(second);
        reports.addTo(spec);
        spec.addOption(labels)
                .addOption(onlyDiff)
                .addOption(examples)
                .addOption(top)
                .addOption(strict);
        return CommandSpecs.withHelp(spec);
    }

    @Override
    public Integer call() throws ImportException, IOException {
        List<Path> logs = List.of(first.getValue(), second.getValue());
        reports.check(logs, null);
        int lines = (int) ShapesAnalyzeCommand.checked(top, 1, ShapesAnalyzeCommand.MAX_TOP, spec);
        ShapeCollection all = new ShapeCollection(ShapeFilter.ALL, false, Long.MAX_VALUE);
        ShapeLogInputs.read(logs, all, null, CommandSpecs.isSet(strict));
        List<String> names = Optional.<List<String>>ofNullable(labels.getValue())
                .orElse(logs.stream().map(TraceInputs::title).toList());
        List<String> wanted =
                Optional.<List<String>>ofNullable(examples.getValue()).orElse(List.of());
        ShapeDifference difference = ShapeDiff.of(all, names, CommandSpecs.isSet(onlyDiff), wanted, lines);
        reports.write((format, console, out) -> ShapeRenderer.render(difference, format, console, out));
        return 0;
    }
}
