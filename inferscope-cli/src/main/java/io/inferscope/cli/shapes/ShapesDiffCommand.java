package io.inferscope.cli.shapes;

import io.inferscope.cli.common.Command;
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
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope shapes diff}: reports the operators, shapes and failures in which two shape logs differ. */
final class ShapesDiffCommand extends Command {
    private final PositionalParamSpec first = parameter(0, "A", Path.class, "The shape log to compare with.");
    private final PositionalParamSpec second = parameter(1, "B", Path.class, "The shape log to judge.");
    private final ReportOptions reports = new ReportOptions(spec);
    private final OptionSpec labels = add(
            CommandSpecs.list("--labels=LABEL", String.class, "What to call the two logs, instead of their file names.")
                    .arity("2")
                    .build());
    private final OptionSpec onlyDiff = flag("--only-diff", "Leave out equal operators.");
    private final OptionSpec examples = add(CommandSpecs.list(
                    "--show-examples=TEXT",
                    String.class,
                    "Show the first shapes of operators whose name contains TEXT, in both logs.")
            .arity("1..*")
            .build());
    private final OptionSpec top = number("--top", 20, "Lines of each list (default: 20).");
    private final OptionSpec strict = add(TraceInputs.strict());

    ShapesDiffCommand() {
        super("diff", "Compare two shape logs: operators, shapes, counts and failures that differ.");
    }

    @Override
    public Integer call() throws ImportException, IOException {
        List<Path> logs = List.of(first.getValue(), second.getValue());
        reports.check(logs, null);
        int lines = (int) checked(top, 1, ShapesAnalyzeCommand.MAX_TOP);
        ShapeCollection all = new ShapeCollection(ShapeFilter.ALL, false, Long.MAX_VALUE);
        ShapeLogInputs.read(logs, all, null, isSet(strict));
        List<String> names = Optional.<List<String>>ofNullable(labels.getValue())
                .orElse(logs.stream().map(TraceInputs::title).toList());
        List<String> wanted =
                Optional.<List<String>>ofNullable(examples.getValue()).orElse(List.of());
        ShapeDifference difference = ShapeDiff.of(all, names, isSet(onlyDiff), wanted, lines);
        reports.write((format, console, out) -> ShapeRenderer.render(difference, format, console, out));
        return 0;
    }
}
