package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.timeline.fixture.Json;
import io.inferscope.timeline.fixture.SharedTraces;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Real traces against figures that an independent script computed for them. */
@Tag("traces")
class RealTracesTest {
    static List<Path> traces() {
        return SharedTraces.kineto();
    }

    /** The script does not know the categories of an MTIA. */
    static List<Path> tracesOfTheOracle() {
        return traces().stream()
                .filter(trace -> !trace.endsWith("mtia-inference.json.gz"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("tracesOfTheOracle")
    void deviceFiguresEqualTheOracle(Path trace) throws Exception {
        Report report = analyze(trace);

        Map<String, Map<String, Object>> actual = new LinkedHashMap<>();
        report.rows(Report.DEVICES).forEach(d -> actual.put(d.id(), figures(d)));

        assertThat(actual).isEqualTo(expectedDevices(trace));
    }

    @ParameterizedTest
    @MethodSource("traces")
    void allOfItsTimeIsExplained(Path trace) throws Exception {
        Report report = analyze(trace);

        assertThat(report.ledgers()).anyMatch(l -> l.part() == LedgerPart.WINDOW);
        assertThat(report.rollup().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(report.window().durationNs());
    }

    @ParameterizedTest
    @MethodSource("traces")
    void thereIsAPathUnlessTheGateRefusesTheRecording(Path trace) throws Exception {
        Report report = analyze(trace);

        assertThat(report.notesOnTables().path() != null)
                .isEqualTo(report.trust().stream().allMatch(check -> check.passed() || !check.withholds()));
    }

    private static Report analyze(Path trace) throws Exception {
        return RealTraces.report(trace);
    }

    private static Map<String, Object> figures(DeviceFigures d) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("operations", d.operations());
        figures.put("first_ns", d.firstNs());
        figures.put("last_ns", d.lastNs());
        figures.put("span_ns", d.spanNs());
        figures.put("busy_ns", d.busyNs());
        figures.put("idle_ns", d.spanIdleNs());
        figures.put("compute_ns", d.computeNs());
        figures.put("comm_exposed_ns", d.exposedCommunicationNs());
        figures.put("h2d_exposed_ns", d.exposedH2dNs());
        figures.put("d2h_exposed_ns", d.exposedD2hNs());
        figures.put("other_exposed_ns", d.exposedOtherCopyNs());
        figures.put("gaps", d.gaps());
        figures.put("longest_gap_ns", d.longestGapNs());
        return figures;
    }

    private static Map<String, Object> expectedDevices(Path trace) throws Exception {
        try (InputStream in = Files.newInputStream(SharedTraces.expected(trace))) {
            return Json.object(Json.object(Json.parse(in)).get("devices"));
        }
    }
}
