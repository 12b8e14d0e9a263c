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
import java.io.IOException;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;

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
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonFactory.builder()
                .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                .build()
                .createGenerator(text)
                .useDefaultPrettyPrinter()) {
            begin(json, "resourceMetrics");
            json.writeObjectFieldStart("resource");
            json.writeArrayFieldStart("attributes");
            attribute(json, "inferscope.recording", PlainText.clean(report.title(), PlainText.NAME));
            attribute(json, "inferscope.verdict", report.verdict().bound().id());
            json.writeEndArray();
            json.writeEndObject();
            beginInside(json, "scopeMetrics");
            json.writeObjectFieldStart("scope");
            json.writeStringField("name", NAME);
            json.writeEndObject();
            json.writeArrayFieldStart("metrics");
            gauge(json, NAME + ".trusted", "1", "whether a verdict is given", time, trusted ? 1 : 0);
            for (Map.Entry<Metric, Double> figure : figures.entrySet()) {
                Metric metric = figure.getKey();
                gauge(
                        json,
                        NAME + '.' + metric.name(),
                        unit(metric.unit()),
                        metric.description(),
                        time,
                        figure.getValue());
            }
            for (int level = 0; level < 2; level++) {
                json.writeEndArray();
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        out.append(text.toString()).append('\n');
    }

    private static void begin(JsonGenerator json, String list) throws IOException {
        json.writeStartObject();
        beginInside(json, list);
    }

    private static void beginInside(JsonGenerator json, String list) throws IOException {
        json.writeArrayFieldStart(list);
        json.writeStartObject();
    }

    private static void attribute(JsonGenerator json, String key, String value) throws IOException {
        json.writeStartObject();
        json.writeStringField("key", key);
        json.writeObjectFieldStart("value");
        json.writeStringField("stringValue", value);
        json.writeEndObject();
        json.writeEndObject();
    }

    private static void gauge(JsonGenerator json, String name, String unit, String words, String time, double value)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("name", name);
        json.writeStringField("unit", unit);
        json.writeStringField("description", words);
        json.writeObjectFieldStart("gauge");
        beginInside(json, "dataPoints");
        json.writeStringField("timeUnixNano", time);
        json.writeNumberField("asDouble", value);
        json.writeEndObject();
        json.writeEndArray();
        json.writeEndObject();
        json.writeEndObject();
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
