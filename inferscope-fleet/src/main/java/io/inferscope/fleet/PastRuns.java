package io.inferscope.fleet;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.analyzer.limits.History;
import io.inferscope.analyzer.metrics.Metric;
import io.inferscope.analyzer.metrics.Metrics;
import io.inferscope.analyzer.metrics.ReportFacts;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.shapes.TablesPage;
import io.inferscope.report.tables.Table;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The last runs of a fleet that have some labels, and what a new run looks like beside them. A figure is beyond noise if
 * no run had one as high, or as low, and it is far from their median: by more than three standard deviations, which are
 * estimated from the median deviation.
 */
public final class PastRuns implements History {
    /** How many runs back the comparison looks. */
    private static final int MOST = 30;

    private static final double DEVIATIONS = 3;
    /** Standard deviations per median deviation of normally distributed values. */
    private static final double TO_STANDARD = 1.4826;

    private static final int MOST_ROWS = 25;

    /** What a conclusion is drawn from. */
    private static final List<String> JUDGED = List.of("idle.share", "window.duration-ns", "steps.median-ns");

    private final Map<String, List<Double>> values = new HashMap<>();
    private final int count;

    /**
     * A run beside its past.
     *
     * @param page for people
     * @param rows each figure that is known of enough runs
     */
    public record Compared(TablesPage page, List<Row> rows) {
        /** Writes the figures as a JSON object: docs/fleet.md. */
        public void json(Appendable out) throws IOException {
            StringWriter text = new StringWriter();
            try (JsonGenerator json = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter()) {
                json.writeStartObject();
                json.writeStringField("conclusion", page.conclusion().get(0));
                json.writeArrayFieldStart("figures");
                for (Row row : rows) {
                    json.writeStartObject();
                    json.writeStringField("name", row.metric.name());
                    json.writeNumberField("value", row.value);
                    json.writeNumberField("least", row.low);
                    json.writeNumberField("median", row.median);
                    json.writeNumberField("most", row.high);
                    json.writeBooleanField("beyondNoise", row.isBeyondNoise());
                    json.writeEndObject();
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            out.append(text.toString()).append('\n');
        }
    }

    private record Run(String id, long startNs) {}

    /** A figure of a run, and what it was before. */
    public record Row(Metric metric, double value, double low, double median, double high, double deviations) {
        boolean isBeyondNoise() {
            return (value > high || value < low) && Math.abs(deviations) > DEVIATIONS;
        }
    }

    /**
     * Reads runs.
     *
     * @param labels which runs count: those with all of them
     * @param without the id of the new run, which is not its own past
     * @throws IOException if a set cannot be read
     */
    public PastRuns(SummarySets sets, Map<String, String> labels, String without) throws IOException {
        List<Run> runs = new ArrayList<>();
        sets.read(FleetTable.TRACE, "trace_id trust labels start_unix_ns", row -> {
            String id = String.valueOf(row.get(0));
            String said = String.valueOf(row.get(2));
            boolean meant = labels.entrySet().stream()
                    .allMatch(label -> said.contains('"' + label.getKey() + "\":\"" + label.getValue() + '"'));
            if (meant && RecordingRows.OK.equals(row.get(1)) && !id.equals(without)) {
                runs.add(new Run(id, row.get(3) instanceof Long startNs ? startNs : 0));
            }
        });
        runs.sort(Comparator.comparingLong(Run::startNs).reversed().thenComparing(Run::id));
        Set<String> last = new HashSet<>();
        runs.stream().limit(MOST).forEach(run -> last.add(run.id()));
        count = last.size();
        sets.read(FleetTable.METRIC, "trace_id name value", row -> {
            if (last.contains(String.valueOf(row.get(0))) && row.get(2) instanceof Double value) {
                values.computeIfAbsent(String.valueOf(row.get(1)), name -> new ArrayList<>())
                        .add(value);
            }
        });
    }

    @Override
    public List<Double> values(String metric) {
        return values.getOrDefault(metric, List.of());
    }

    /** Returns how many runs there are, at most 30. */
    public int count() {
        return count;
    }

    /** Returns the comparison of a run with these. */
    public Compared compared(Report report) {
        List<Row> rows = new ArrayList<>();
        ReportFacts facts = new ReportFacts(report);
        for (String name : Metrics.names()) {
            Metric metric = Metrics.named(name).orElseThrow();
            OptionalDouble value = metric.name().equals(name) ? metric.read(facts) : OptionalDouble.empty();
            if (value.isPresent() && values(name).size() >= FEWEST) {
                rows.add(row(metric, value.getAsDouble()));
            }
        }
        List<Row> beyond =
                new ArrayList<>(rows.stream().filter(Row::isBeyondNoise).toList());
        beyond.sort(Comparator.comparingDouble((Row row) -> Math.abs(row.deviations()))
                .reversed()
                .thenComparing(row -> row.metric().name()));
        List<Row> judged = rows.stream()
                .filter(row -> JUDGED.contains(row.metric().name()))
                .toList();
        List<String> cautions = new ArrayList<>();
        facts.distrust().ifPresent(why -> cautions.add("The verdict on this run is withheld: " + why));
        TablesPage page = new TablesPage(
                report.title() + " and its last " + count + " runs",
                conclusion(judged, beyond.size()),
                cautions,
                List.of(),
                List.of(table("Judged figures", judged), table("Figures beyond noise", beyond)));
        return new Compared(page, rows);
    }

    private List<String> conclusion(List<Row> judged, int beyond) {
        if (judged.isEmpty()) {
            return List.of("Nothing can be said: " + count + " earlier runs have these labels and can be trusted, and "
                    + FEWEST + " are needed.");
        }
        List<String> sentences = new ArrayList<>();
        List<Row> changed = judged.stream().filter(Row::isBeyondNoise).toList();
        sentences.add(
                changed.isEmpty()
                        ? "This run is within the noise of its last " + count + " runs."
                        : "This run is beyond the noise of its last " + count + " runs.");
        changed.forEach(row ->
                sentences.add(row.metric().name() + " is " + row.metric().unit().words(row.value()) + "; it was "
                        + row.metric().unit().words(row.low()) + " to "
                        + row.metric().unit().words(row.high()) + "."));
        sentences.add(Units.count(beyond) + " of all figures are beyond noise.");
        return sentences;
    }

    private Row row(Metric metric, double value) {
        List<Double> past = values(metric.name());
        double median = median(past);
        double spread = TO_STANDARD
                * median(past.stream().map(one -> Math.abs(one - median)).toList());
        double away = value - median;
        double deviations = away == 0 ? 0 : spread == 0 ? Math.copySign(1e9, away) : away / spread;
        return new Row(
                metric,
                value,
                past.stream().mapToDouble(one -> one).min().orElseThrow(),
                median,
                past.stream().mapToDouble(one -> one).max().orElseThrow(),
                deviations);
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(one -> one).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    private Table table(String title, List<Row> rows) {
        return Table.of(
                title,
                "",
                rows.stream().limit(MOST_ROWS).toList(),
                (cells, row) -> cells.words("Metric", row.metric().name())
                        .number("Now", row.metric().unit().words(row.value()))
                        .number("Median", row.metric().unit().words(row.median()))
                        .number("Least", row.metric().unit().words(row.low()))
                        .number("Most", row.metric().unit().words(row.high()))
                        .count("Runs", values(row.metric().name()).size())
                        .words("Beyond noise", row.isBeyondNoise() ? "yes" : "no"));
    }
}
