package io.inferscope.report.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.inferscope.analyzer.metrics.Metric;
import io.inferscope.analyzer.metrics.Metrics;
import io.inferscope.analyzer.metrics.ReportFacts;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.common.PlainText;
import io.inferscope.report.common.Renderer;
import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Writes the figures of a recording for systems that collect metrics: as Prometheus' text, or as metrics of OpenTelemetry
 * in the JSON of its protocol. Where the verdict is withheld, only that is written.
 *
 * @param format {@code prometheus} or {@code otlp}
 */
public record FigureRenderer(String format) implements Renderer {
    private static final String NAME = "inferscope";
    /** The year 2000 in ns: a smaller time is not Unix time. */
    private static final long EARLIEST_UNIX_NS = 946_684_800_000_000_000L;

    @Override
    public void render(Report report, Appendable out) throws IOException {
        ReportFacts facts = new ReportFacts(report);
        boolean trusted = facts.distrust().isEmpty();
        Map<Metric, Double> figures = new LinkedHashMap<>();
        for (String name : Metrics.names()) {
            Metric metric = Metrics.named(name).orElseThrow();
            OptionalDouble value = trusted && metric.name().equals(name) ? metric.read(facts) : OptionalDouble.empty();
            value.ifPresent(known -> figures.put(metric, known));
        }
        if (format.equals("prometheus")) {
            prometheus(report, trusted, figures, out);
        } else {
            otlp(report, trusted, figures, out);
        }
    }

    /** A family per unit with the metric's name as a label: names of metrics differ in characters that families cannot have. */
    private static void prometheus(Report report, boolean trusted, Map<Metric, Double> figures, Appendable out)
            throws IOException {
        String recording = "recording=\"" + escaped(report.title()) + '"';
        out.append("# HELP inferscope_trusted Whether a verdict is given on the recording.\n")
                .append("# TYPE inferscope_trusted gauge\n")
                .append("inferscope_trusted{" + recording + ",verdict=\"")
                .append(report.verdict().bound().id())
                .append("\"} ")
                .append(trusted ? "1\n" : "0\n");
        for (MeasureUnit unit : MeasureUnit.values()) {
            String family = NAME + '_' + family(unit);
            boolean first = true;
            for (Map.Entry<Metric, Double> figure : figures.entrySet()) {
                if (figure.getKey().unit() == unit) {
                    if (first) {
                        out.append("# HELP " + family + " Figures by name.\n# TYPE " + family + " gauge\n");
                        first = false;
                    }
                    out.append(family + "{name=\"" + escaped(figure.getKey().name()) + "\"," + recording + "} "
                            + figure.getValue() + '\n');
                }
            }
        }
    }

    private static String family(MeasureUnit unit) {
        return switch (unit) {
            case RATIO -> "ratio";
            case NS -> "nanoseconds";
            case BYTES -> "bytes";
            case BYTES_PER_SECOND -> "bytes_per_second";
            case COUNT -> "count";
        };
    }

    private static String escaped(String text) {
        return PlainText.clean(text, PlainText.NAME).replace("\\", "\\\\").replace("\"", "\\\"");
    }

    private static void otlp(Report report, boolean trusted, Map<Metric, Double> figures, Appendable out)
            throws IOException {
        long endNs = report.originUnixNs() + report.window().endNs();
        String time = Long.toString(endNs >= EARLIEST_UNIX_NS ? endNs : 0); // 0 says that it is not known.
        List<Map<String, @Nullable Object>> metrics = new ArrayList<>();
        metrics.add(gauge(NAME + ".trusted", "1", "whether a verdict is given", time, trusted ? 1 : 0));
        figures.forEach((metric, value) ->
                metrics.add(gauge(NAME + '.' + metric.name(), unit(metric.unit()), metric.description(), time, value)));
        List<Map<String, @Nullable Object>> attributes = List.of(
                attribute("inferscope.recording", PlainText.clean(report.title(), PlainText.NAME)),
                attribute("inferscope.verdict", report.verdict().bound().id()));
        Map<String, @Nullable Object> scope = JsonValues.of("scope", JsonValues.of("name", NAME), "metrics", metrics);
        Map<String, @Nullable Object> resource =
                JsonValues.of("resource", JsonValues.of("attributes", attributes), "scopeMetrics", List.of(scope));
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonFactory.builder()
                .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                .build()
                .createGenerator(text)
                .useDefaultPrettyPrinter()) {
            JsonValues.write(json, JsonValues.of("resourceMetrics", List.of(resource)));
        }
        out.append(text.toString()).append('\n');
    }

    private static Map<String, @Nullable Object> attribute(String key, String value) {
        return JsonValues.of("key", key, "value", JsonValues.of("stringValue", value));
    }

    private static Map<String, @Nullable Object> gauge(
            String name, String unit, String words, String time, double value) {
        Map<String, @Nullable Object> point = JsonValues.of("timeUnixNano", time, "asDouble", value);
        Map<String, @Nullable Object> gauge = JsonValues.of("dataPoints", List.of(point));
        return JsonValues.of("name", name, "unit", unit, "description", words, "gauge", gauge);
    }

    /** Returns a unit in the code that OpenTelemetry uses: UCUM. */
    private static String unit(MeasureUnit unit) {
        return switch (unit) {
            case NS -> "ns";
            case BYTES -> "By";
            case BYTES_PER_SECOND -> "By/s";
            case RATIO, COUNT -> "1";
        };
    }
}
