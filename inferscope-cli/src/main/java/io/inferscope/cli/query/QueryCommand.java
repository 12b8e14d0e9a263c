package io.inferscope.cli.query;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.activity.Lazy;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.trust.TrustGate;
import io.inferscope.cli.common.Command;
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
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope query}: asks a trace in SQL. */
public final class QueryCommand extends Command {
    private static final String FROM_STANDARD_INPUT = "-";

    /** The start of a query. An argument that begins like this is a query, unless it is an existing file. */
    private static final Pattern QUERY = Pattern.compile(
            "\\s*(?:--|/\\*|\\(|(?:select|with|values|explain|pragma)\\b).*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private final PositionalParamSpec words = add(PositionalParamSpec.builder()
            .type(List.class)
            .auxiliaryTypes(String.class)
            .arity("1..*")
            .required(true)
            .paramLabel("TRACE... [SQL]")
            .hideParamSyntax(true)
            .description(
                    "A recording of any known format, or several that become one timeline; then a query in SQLite's"
                            + " dialect, or - to read one from standard input. Without a query the tables are listed.")
            .build());

    private final AnswerOptions answers = new AnswerOptions(spec);

    private final OptionSpec strict = add(TraceInputs.strict());

    private final RulesOption rules;

    public QueryCommand(Settings settings) {
        super("query", "Query a trace with SQL: kernels, calls, operators, threads, and what links them.");
        rules = new RulesOption(spec, settings);
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
        AnswerPrinter printer = answers.printer(asks);
        String sql = !asks
                ? ""
                : last.equals(FROM_STANDARD_INPUT)
                        ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
                        : last;
        TimelineQueries.prepare();
        List<Input> inputs =
                traces.stream().map(trace -> new Input(Path.of(trace), null)).toList();
        Analyzer analyzer = rules.analyzer();
        Timeline timeline = TraceInputs.load(inputs, String.join(", ", traces), isSet(strict), err());
        TraceInputs.tellDamage(timeline, String.join(", ", traces), spec);
        tellCaptures(timeline);
        AnalysisTables found = new AnalysisTables(analyzer, once(timeline, analyzer));
        try (TimelineQueries queries = TimelineQueries.of(timeline, found.all(), sql)) {
            if (asks) {
                run(sql, queries, AnswerOptions.answer(printer));
            } else {
                queries.tables(AnswerOptions.answer(printer));
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
}
