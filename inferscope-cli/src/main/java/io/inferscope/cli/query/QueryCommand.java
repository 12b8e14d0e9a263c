package io.inferscope.cli.query;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.activity.Lazy;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.trust.TrustGate;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.formats.sqlite.TimelineQueries;
import io.inferscope.report.AnswerPrinter;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope query}: asks a trace in SQL. */
public final class QueryCommand extends Command {
    private static final int MOST_ROWS = 40;
    private static final int MOST_CHARACTERS = 80;
    private static final String FROM_STANDARD_INPUT = "-";

    /** The start of a query. An argument that begins like this is a query, unless it is an existing file. */
    private static final Pattern QUERY = Pattern.compile(
            "\\s*(?:--|/\\*|\\(|(?:select|with|values|explain|pragma)\\b).*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private final PositionalParamSpec words = PositionalParamSpec.builder()
            .type(List.class)
            .auxiliaryTypes(String.class)
            .arity("1..*")
            .required(true)
            .paramLabel("TRACE... [SQL]")
            .hideParamSyntax(true)
            .description(
                    "A recording of any known format, or several that become one timeline; then a query in SQLite's"
                            + " dialect, or - to read one from standard input. Without a query the tables are listed.")
            .build();

    private final OptionSpec format = CommandSpecs.option(
            "--format=FORMAT", String.class, "table", "How rows are printed: table (the default), csv, json.");

    private final OptionSpec mostRows = CommandSpecs.option(
            "--max-rows=N",
            Integer.class,
            Integer.toString(MOST_ROWS),
            "Rows of a table that are printed; the others are counted (default: " + MOST_ROWS
                    + "; 0: all). CSV and JSON have all.");

    private final OptionSpec strict = TraceInputs.strict();

    private final RulesOption rules;

    public QueryCommand(Settings settings) {
        super("query", "Query a trace with SQL: kernels, calls, operators, threads, and what links them.");
        rules = new RulesOption(settings);
    }

    @Override
    protected void describe() {
        spec.addPositional(words);
        options(format, mostRows, strict);
        rules.addTo(spec);
        help(List.of("inferscope query trace.json.gz 'select name, count(*) from events group by name'"));
    }

    @Override
    public Integer call() throws ImportException, IOException {
        List<String> traces = new ArrayList<>(words.<List<String>>getValue());
        String last = traces.get(traces.size() - 1);
        boolean asks =
                last.equals(FROM_STANDARD_INPUT) || (QUERY.matcher(last).matches() && !Files.exists(Path.of(last)));
        if (asks) {
            traces.remove(traces.size() - 1);
        }
        if (traces.isEmpty()) {
            throw misuse("name a trace before the query");
        }
        AnswerPrinter printer = printer(asks ? MOST_CHARACTERS : Integer.MAX_VALUE);
        String sql = !asks
                ? ""
                : last.equals(FROM_STANDARD_INPUT)
                        ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
                        : last;
        TimelineQueries.prepare();
        List<Input> inputs =
                traces.stream().map(trace -> new Input(Path.of(trace), null)).toList();
        Analyzer analyzer = rules.analyzer();
        Timeline timeline = TraceInputs.load(inputs, String.join(", ", traces), CommandSpecs.isSet(strict), err());
        TraceInputs.tellDamage(timeline, String.join(", ", traces), spec);
        tellCaptures(timeline);
        AnalysisTables found = new AnalysisTables(analyzer, once(timeline, analyzer));
        try (TimelineQueries queries = TimelineQueries.of(timeline, found.all(), sql)) {
            if (asks) {
                run(sql, queries, answer(printer));
            } else {
                queries.tables(answer(printer));
            }
        }
        printer.finish();
        return 0;
    }

    private void tellCaptures(Timeline timeline) {
        String captures = timeline.properties().getOrDefault(TimelineInfo.CAPTURES, "");
        if (!captures.isEmpty()) {
            Log.tell(err(), "the graph captures of " + captures + " are in no table; query that file alone for them");
        }
    }

    private void run(String sql, TimelineQueries queries, TimelineQueries.Answer answer) throws IOException {
        try {
            queries.run(sql, answer);
        } catch (IllegalArgumentException e) {
            throw misuse("the query fails: " + e.getMessage() + "; `inferscope query TRACE` lists tables and columns");
        }
    }

    /** Returns the analysis, computed once. Warnings about the recording are then printed on standard error. */
    private Supplier<Analysis> once(Timeline timeline, Analyzer analyzer) {
        Lazy<Analysis> analysis = new Lazy<>(() -> {
            Analysis made = analyzer.analysis(timeline);
            for (TrustCheck check : TrustGate.check(made)) {
                if (!check.passed()) {
                    Log.tell(err(), "trust: " + check.check() + ": " + check.detail());
                }
            }
            return made;
        });
        return analysis::get;
    }

    private AnswerPrinter printer(int mostCharacters) {
        int most = mostRows.<Integer>getValue();
        String name = format.getValue();
        AnswerPrinter.@Nullable Format known = Arrays.stream(AnswerPrinter.Format.values())
                .filter(f -> id(f).equals(name))
                .findFirst()
                .orElse(null);
        if (known == null || most < 0) {
            throw misuse(
                    known == null
                            ? "--format " + name + ": expected "
                                    + Arrays.stream(AnswerPrinter.Format.values())
                                            .map(QueryCommand::id)
                                            .collect(Collectors.joining(", "))
                            : "--max-rows " + most + ": expected 0 or more");
        }
        return new AnswerPrinter(known, out(), most, mostCharacters);
    }

    private static String id(AnswerPrinter.Format format) {
        return format.name().toLowerCase(Locale.ROOT);
    }

    private static TimelineQueries.Answer answer(AnswerPrinter printer) {
        return new TimelineQueries.Answer() {
            @Override
            public void columns(List<String> names) throws IOException {
                printer.columns(names);
            }

            @Override
            public boolean row(List<@Nullable Object> values) throws IOException {
                return printer.row(values);
            }
        };
    }
}
