package io.inferscope.report.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.metrics.Metric;
import io.inferscope.analyzer.metrics.Metrics;
import io.inferscope.analyzer.metrics.ReportFacts;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.report.Rendered;
import io.inferscope.report.ReportFixture;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class JsonReportReaderTest {
    @TempDir
    private Path folder;

    static Stream<Report> reports() {
        return Stream.of(ReportFixture.gpu(), ReportFixture.cpuOnly(), ReportFixture.withheld());
    }

    @ParameterizedTest
    @MethodSource("reports")
    void whatIsComparedComesBackAsItWas(Report report) throws Exception {
        Report read = JsonReportReader.read(file(Rendered.as("json", report)));

        assertThat(read.title()).isEqualTo(report.title());
        assertThat(read.window()).isEqualTo(report.window());
        assertThat(read.judged()).isEqualTo(report.judged());
        assertThat(read.verdict().bound()).isEqualTo(report.verdict().bound());
        assertThat(read.ledgers().stream().map(Ledger::entries).toList())
                .isEqualTo(report.ledgers().stream().map(Ledger::entries).toList());
        assertThat(read.ledgers().stream().map(Ledger::rollup).toList())
                .isEqualTo(report.ledgers().stream().map(Ledger::rollup).toList());
        assertThat(Tables.all())
                .allSatisfy(table -> assertThat(values(read, table)).isEqualTo(values(report, table)));
        assertThat(read.outcomes()).isEqualTo(report.outcomes());
        assertThat(read.trust()).isEqualTo(report.trust());
        assertThat(read.findings().stream().map(JsonReportReaderTest::heart).toList())
                .isEqualTo(report.findings().stream()
                        .map(JsonReportReaderTest::heart)
                        .toList());
    }

    /** The values of a table by column; ledgers without their names, which the table's file does not repeat. */
    private static List<Object> values(Report report, TableId<?> table) {
        return report.rows(table).stream()
                .flatMap(row ->
                        Arrays.stream(row.getClass().getRecordComponents()).map(component -> value(component, row)))
                .toList();
    }

    private static Object value(RecordComponent component, Record row) {
        try {
            Object value = component.getAccessor().invoke(row);
            return value instanceof Ledger ledger
                    ? ledger.entries()
                    : value instanceof Double number
                            ? String.format(Locale.ROOT, "%.5g", number)
                            : value == null ? "" : value;
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Object> heart(Finding finding) {
        return List.of(finding.rule(), finding.severity(), finding.claim(), finding.costNs(), finding.advice());
    }

    @ParameterizedTest
    @MethodSource("reports")
    void limitsReadTheSameFiguresFromTheFile(Report report) throws Exception {
        Report read = JsonReportReader.read(file(Rendered.as("json", report)));

        for (String name : Metrics.names()) {
            Metric metric = Metrics.named(name).orElseThrow();
            OptionalDouble written = metric.read(new ReportFacts(report));
            OptionalDouble again = metric.read(new ReportFacts(read));
            assertThat(again.isPresent()).as(name).isEqualTo(written.isPresent());
            assertThat(again.orElse(0)).as(name).isCloseTo(written.orElse(0), within(1e-6));
        }
    }

    @Test
    void aReportCutAnywhereIsRefused() throws Exception {
        String whole = Rendered.as("json", ReportFixture.gpu());
        for (int length = whole.length() - 3; length > 60; length -= 997) {
            Path cut = file(whole.substring(0, length));
            assertThatThrownBy(() -> JsonReportReader.read(cut))
                    .isInstanceOf(ImportException.class)
                    .hasMessageContaining("report.json: a damaged report: ");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "inferscope-report/1 | inferscope-report/2 | its schema is inferscope-report/2",
                "\"durationNs\": | \"durations\": | it has no ",
                "\"bound\": \"cpu\" | \"bound\": \"fast\" | verdict.bound is \"fast\", which this version does not know",
                "\"ledgers\": | \"books\": | it has no ledger",
                "\"originUnixNs\": \" | \"originUnixNs\": \"x | For input string",
                "\"title\": \" | \"title\": 3, \"t\": \" | title is of another type",
            })
    void whatIsNoSuchReportIsTold(String written, String instead, String problem) throws Exception {
        String report = Rendered.as("json", ReportFixture.gpu());
        assertThat(report).contains(written);
        Path file = file(report.replace(written, instead));

        assertThatThrownBy(() -> JsonReportReader.read(file))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void anOlderReportWithoutLaterMembersIsRead() throws Exception {
        String report = Rendered.as("json", ReportFixture.gpu())
                .replaceAll("\"pieces\": \\d+,\\s*", "")
                .replaceAll(",\\s*\"growth\": [0-9.]+", "");

        assertThat(JsonReportReader.read(file(report)).verdict().bound())
                .isEqualTo(ReportFixture.gpu().verdict().bound());
    }

    @Test
    void onlyReportsAreTakenForSuch() throws Exception {
        assertThat(JsonReportReader.recognises(file(Rendered.as("json", ReportFixture.withheld()))))
                .isTrue();
        assertThat(JsonReportReader.recognises(file("{\"schema\": \"inferscope-diff/1\"}")))
                .isFalse();
        assertThat(JsonReportReader.recognises(file("{\"traceEvents\": [], \"schema\": 1}")))
                .isFalse();
        assertThat(JsonReportReader.recognises(file(""))).isFalse();
        assertThat(JsonReportReader.recognises(folder)).isFalse();
        assertThat(JsonReportReader.recognises(folder.resolve("none"))).isFalse();
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("report.json"), text);
    }
}
