package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.analyzer.metrics.Metrics;
import io.inferscope.analyzer.metrics.ReportFacts;
import io.inferscope.analyzer.model.Report;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FigureRendererTest {
    private static final String PROMETHEUS =
            "import sys; from prometheus_client.parser import text_string_to_metric_families as f\n"
                    + "print(sum(len(family.samples) for family in f(sys.stdin.read())))";
    private static final String OTLP = "import sys; from google.protobuf import json_format\n"
            + "from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest as R\n"
            + "scopes = json_format.Parse(sys.stdin.read(), R()).resource_metrics[0].scope_metrics\n"
            + "print(sum(len(one.gauge.data_points) for one in scopes[0].metrics))";

    @Test
    void everyFigureThatIsKnownIsWrittenInBothFormats() {
        Report report = ReportFixture.gpu();
        ReportFacts facts = new ReportFacts(report);
        long known = Metrics.names().stream()
                .map(name -> Metrics.named(name).orElseThrow())
                .distinct()
                .filter(metric -> metric.read(facts).isPresent())
                .count();
        double idle = Metrics.named("idle.share").orElseThrow().read(facts).orElseThrow();
        List<String> lines = as("prometheus", report).lines().toList();

        assertThat(known).isGreaterThan(100);
        assertThat(lines.stream().filter(line -> line.matches("inferscope_[a-z_]+\\{.*\\} \\S+")))
                .hasSize((int) known + 1)
                .doesNotHaveDuplicates()
                .anyMatch(
                        line -> line.startsWith("inferscope_ratio{name=\"idle.share\",") && line.endsWith("} " + idle));
        assertThat(as("otlp", report).split("\"gauge\"", -1)).hasSize((int) known + 2);
    }

    @Test
    void aWithheldVerdictLeavesNoFigures() {
        assertThat(as("prometheus", ReportFixture.withheld()).lines())
                .hasSize(3)
                .last()
                .asString()
                .startsWith("inferscope_trusted{")
                .endsWith("verdict=\"withheld\"} 0");
        assertThat(as("otlp", ReportFixture.withheld()).split("\"gauge\"", -1)).hasSize(2);
    }

    @Test
    void textOfATraceCannotEndALabel() {
        Report hostile = Rewritten.texts(ReportFixture.gpu(), old -> "a\"} 1\ninferscope_trusted{x=\"\\");
        assertThat(as("prometheus", hostile).lines())
                .allMatch(line -> line.startsWith("#") || line.startsWith("inferscope_"))
                .filteredOn(line -> line.startsWith("inferscope_trusted"))
                .singleElement()
                .asString()
                .contains("recording=\"a\\\"} 1");
    }

    /** The clients are those of the Python that INFERSCOPE_TEST_FLEET_PYTHON names. */
    @Test
    @Tag("process")
    void theClientsOfBothSystemsReadThem() throws Exception {
        String python = Objects.requireNonNullElse(System.getenv("INFERSCOPE_TEST_FLEET_PYTHON"), "python3");
        Report hostile = Rewritten.texts(ReportFixture.gpu(), old -> "a\"} 1\n\\{x=\"ä");
        String prometheus = as("prometheus", hostile);
        long samples = prometheus.lines().filter(line -> !line.startsWith("#")).count();
        String missing = read(python, "import prometheus_client, opentelemetry.proto, google.protobuf", "");
        assumeTrue(missing.isEmpty(), python + " lacks prometheus-client or opentelemetry-proto");

        assertThat(read(python, PROMETHEUS, prometheus)).isEqualTo(samples + "\n");
        assertThat(read(python, OTLP, as("otlp", hostile))).isEqualTo(samples + "\n");
    }

    private static String read(String python, String script, String input) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(python, "-c", script)
                .redirectErrorStream(true)
                .start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException ended) {
            // It needs no input.
        }
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor(1, TimeUnit.MINUTES);
        return out;
    }

    private static String as(String format, Report report) {
        StringBuilder out = new StringBuilder();
        try {
            Renderers.byFormat(format).render(report, out);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return out.toString();
    }
}
