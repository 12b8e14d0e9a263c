package io.inferscope.cli.run;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Units;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.RunOutputs;
import io.inferscope.report.json.JsonReportReader;
import io.inferscope.report.plots.Plot;
import io.inferscope.report.plots.ScalingPlot;
import io.inferscope.timeline.files.WholeFile;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.text.ShellText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope scaling}: runs a program with several values of its options, and says how its time changes, and what bounds it. */
public final class ScalingCommand extends Command {
    private static final Pattern VARIED = Pattern.compile("([A-Za-z0-9][\\w.-]*)=([^,\\s]+(?:,[^,\\s]+)*)");
    private static final int MOST_RUNS = 1_000;
    private static final int BY_SIGNAL = 128;

    private final OptionSpec vary = add(CommandSpecs.list(
                    "--vary=OPTION=VALUES",
                    String.class,
                    "An option of the program, without its dashes, and the values to try: batch-size=1,4,8."
                            + " May be repeated; every combination runs.")
            .required(true)
            .build());

    private final OptionSpec folder = option(
            "--output-dir=DIR", Path.class, RunOutputs.FOLDER.toString(), "Where the files go (default: outputs).");

    private final PositionalParamSpec command = add(CommandSpecs.program());
    private final Supplier<CommandLine> program;

    /** A run that succeeded: the values it was given, and its report. */
    private record Cell(List<String> values, Report report, Path file, Path trace) {
        private long ns() {
            return report.window().durationNs();
        }
    }

    /**
     * @param program makes the parser of the whole program
     */
    public ScalingCommand(Supplier<CommandLine> program) {
        super(
                "scaling",
                "Run a program with several values of its options, and show how its time and its limit change.");
        this.program = program;
        spec.parser().stopAtPositional(true); // All words from the command on belong to the command.
        help(
                List.of("inferscope scaling --vary batch-size=1,4,8 --vary max-new-tokens=32,128 -- python3 infer.py"),
                "Each run is one of `inferscope run`, whose report and trace are kept. The summary is scaling.json, .csv and",
                ".md, with a picture for each option whose values are numbers. Returns 1 when a run failed.");
    }

    @Override
    public Integer call() throws IOException, ImportException {
        Map<String, List<String>> varied = varied();
        List<List<String>> combinations = combinations(varied.values());
        if (combinations.size() > MOST_RUNS) {
            throw misuse("--vary asks for " + combinations.size() + " runs: expected at most " + MOST_RUNS);
        }
        List<String> names = List.copyOf(varied.keySet());
        List<Cell> cells = new ArrayList<>();
        for (List<String> values : combinations) {
            int code = run(names, values, cells);
            if (code > BY_SIGNAL) {
                break; // Ctrl-C is for all of them.
            }
        }
        if (!cells.isEmpty()) {
            write(names, cells);
        }
        Log.line(
                err(),
                cells.size() + " of " + combinations.size() + " runs succeeded"
                        + (cells.isEmpty() ? "" : "; see " + at("scaling.md")));
        return cells.size() == combinations.size() ? 0 : 1;
    }

    private Path at(String name) {
        Path in = folder.getValue();
        return in.resolve(name);
    }

    private Map<String, List<String>> varied() {
        Map<String, List<String>> varied = new LinkedHashMap<>();
        List<String> said = vary.getValue();
        for (String text : said) {
            var parts = VARIED.matcher(text);
            if (!parts.matches()
                    || varied.put(parts.group(1), List.of(parts.group(2).split(","))) != null) {
                throw misuse("--vary " + text + ": expected an option named once and its values: batch-size=1,4,8");
            }
        }
        return varied;
    }

    private static List<List<String>> combinations(Iterable<List<String>> options) {
        List<List<String>> all = List.of(List.of());
        for (List<String> values : options) {
            List<List<String>> longer = new ArrayList<>();
            for (List<String> begun : all) {
                for (String value : values) {
                    List<String> one = new ArrayList<>(begun);
                    one.add(value);
                    longer.add(one);
                }
            }
            all = longer;
        }
        return all;
    }

    /** Runs the program once, adds what came of it, and returns the exit code. */
    private int run(List<String> names, List<String> values, List<Cell> cells) throws IOException, ImportException {
        String name = String.join("_", values).replaceAll("[^\\w.-]", "-");
        Path report = at("report_" + name + ".json");
        Path trace = at("trace_" + name + ".json.gz");
        Files.deleteIfExists(report); // One of an earlier time is none of this run.
        List<String> words = new ArrayList<>(
                List.of("run", "--log-level", "warn", "--trace", trace.toString(), "-o", report.toString(), "--"));
        words.addAll(command.getValue());
        for (int i = 0; i < names.size(); i++) {
            words.add("--" + names.get(i));
            words.add(values.get(i));
        }
        int code = program.get().setOut(out()).setErr(err()).execute(words.toArray(String[]::new));
        if (code != 0 || !Files.isRegularFile(report)) {
            Log.tell(err(), said(names, values) + ": the run ended with " + code);
        } else {
            Cell cell = new Cell(values, JsonReportReader.read(report), report, trace);
            cells.add(cell);
            Log.line(out(), said(names, values) + ": " + Units.duration(cell.ns()) + ", " + bound(cell));
        }
        return code;
    }

    private static String said(List<String> names, List<String> values) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            words.add(names.get(i) + " " + values.get(i));
        }
        return String.join(", ", words);
    }

    private static String bound(Cell cell) {
        return cell.report.verdict().bound().id();
    }

    private static String margin(Cell cell, String otherwise) {
        double points = cell.report.verdict().marginPoints();
        return Double.isFinite(points) ? Double.toString(points) : otherwise;
    }

    private void write(List<String> names, List<Cell> cells) throws IOException {
        WholeFile.write(at("scaling.json"), out -> json(names, cells, out));
        List<String> heads = new ArrayList<>(names);
        heads.addAll(List.of("latency_ms", "bottleneck", "margin_points", "report", "trace"));
        List<List<String>> rows = cells.stream().map(ScalingCommand::row).toList();
        text("scaling.csv", csv(heads) + rows.stream().map(ScalingCommand::csv).collect(Collectors.joining()));
        StringBuilder page = new StringBuilder("# Scaling\n\n    ")
                .append(ShellText.command(command.getValue()))
                .append("\n\n");
        for (Plot plot : plots(names, cells)) {
            text(plot.id() + ".svg", plot.file());
            page.append("![")
                    .append(plot.title())
                    .append("](")
                    .append(plot.id())
                    .append(".svg)\n\n");
        }
        page.append(markdown(heads)).append("|---".repeat(heads.size())).append("|\n");
        rows.forEach(row -> page.append(markdown(row)));
        text("scaling.md", page.toString());
    }

    private void text(String name, String text) throws IOException {
        WholeFile.write(at(name), out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<String> row(Cell cell) {
        List<String> row = new ArrayList<>(cell.values);
        row.add(Double.toString(Math.round(cell.ns() / 1e3) / 1e3));
        row.add(bound(cell));
        row.add(margin(cell, ""));
        row.add(cell.file.toString());
        row.add(cell.trace.toString());
        return row;
    }

    private static String csv(List<String> cells) {
        return cells.stream()
                        .map(cell -> cell.matches("[^\",\\s]*") ? cell : '"' + cell.replace("\"", "\"\"") + '"')
                        .collect(Collectors.joining(","))
                + "\n";
    }

    private static String markdown(List<String> cells) {
        return cells.stream().map(cell -> cell.replace("|", "\\|")).collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    private static void json(List<String> names, List<Cell> cells, OutputStream out) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(out).setPrettyPrinter(new DefaultPrettyPrinter())) {
            json.writeStartArray();
            for (Cell cell : cells) {
                json.writeStartObject();
                for (int i = 0; i < names.size(); i++) {
                    json.writeStringField(names.get(i), cell.values.get(i));
                }
                json.writeNumberField("durationNs", cell.ns());
                json.writeStringField("bound", bound(cell));
                json.writeFieldName("marginPoints");
                json.writeRawValue(margin(cell, "null"));
                json.writeStringField("report", cell.file.toString());
                json.writeStringField("trace", cell.trace.toString());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
    }

    /** Returns a picture for each option that has several values, all of them numbers. */
    private static List<Plot> plots(List<String> names, List<Cell> cells) {
        List<Plot> plots = new ArrayList<>();
        for (int option = 0; option < names.size(); option++) {
            Map<String, SortedMap<Double, Long>> lines = new LinkedHashMap<>();
            try {
                for (Cell cell : cells) {
                    List<String> otherNames = new ArrayList<>(names);
                    List<String> others = new ArrayList<>(cell.values);
                    otherNames.remove(option);
                    others.remove(option);
                    lines.computeIfAbsent(said(otherNames, others), line -> new TreeMap<>())
                            .put(Double.parseDouble(cell.values.get(option)), cell.ns());
                }
            } catch (NumberFormatException noNumber) {
                continue;
            }
            if (lines.values().stream().anyMatch(line -> line.size() > 1)) {
                plots.add(ScalingPlot.of(names.get(option), lines));
            }
        }
        return plots;
    }
}
