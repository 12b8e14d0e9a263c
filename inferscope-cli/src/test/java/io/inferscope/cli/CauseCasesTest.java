package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.fixture.SharedTraces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Recordings rebuilt from public reports, whose cause is known: the verdict, the first finding, what must be told and what must not. */
@Tag("traces")
class CauseCasesTest {
    /**
     * What is right.
     *
     * @param first the rule of the first finding, empty for any
     * @param says parts of what the report says, all of them
     * @param saysNot parts of what it must not say
     */
    record Case(String file, Bound bound, String first, List<String> says, List<String> saysNot) {
        @Override
        public String toString() {
            return file;
        }
    }

    static List<Case> cases() {
        return List.of(new Case(
                "kernels-lost-at-random.json.gz",
                Bound.WITHHELD,
                "",
                List.of(
                        "Either \"gpu\" or \"balanced\"",
                        "idle for 2.76 ms to 5.94 ms",
                        "idle for 2.77 ms to 5.95 ms, 9.7% to 20.8%",
                        "GPU is idle for 10% to 21%"),
                List.of("is Python", "vectorise")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theReportSaysWhatIsRight(Case known) throws Exception {
        Path file = SharedTraces.folder().resolve("cases").resolve(known.file);
        assertThat(Files.exists(file)).isTrue();
        Report report = new Analyzer().analyze(Formats.importers().load(file), known.file);
        String text = text(report);

        assertThat(report.verdict().bound()).as(text).isEqualTo(known.bound);
        if (!known.first.isEmpty()) {
            assertThat(report.findings()).as(text).extracting(Finding::rule).startsWith(known.first);
        }
        assertThat(text).contains(known.says);
        known.saysNot.forEach(wrong -> assertThat(text).doesNotContain(wrong));
    }

    private static String text(Report report) {
        Stream<String> findings = report.findings().stream()
                .map(one -> one.rule() + ": " + one.claim() + " " + one.evidence() + " " + one.advice());
        return Stream.of(
                        Stream.of(report.verdict().claim()),
                        report.verdict().because().stream(),
                        report.diagnosis().stream(),
                        report.suggestions().stream(),
                        findings,
                        report.notes().stream())
                .flatMap(lines -> lines)
                .collect(Collectors.joining("\n"));
    }
}
