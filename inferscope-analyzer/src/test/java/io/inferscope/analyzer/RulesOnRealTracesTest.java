package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.RuleOutcome;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.SharedTraces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What fires on each real trace, most important first, beside what was read before. {@code -Dinferscope.golden=adopt} writes it anew: look at each
 * new line in the report of its trace, and ask whether an engineer would act on it.
 */
@Tag("traces")
class RulesOnRealTracesTest {
    private static final Path BASELINE = Path.of("src", "test", "resources", "rules-on-real-traces.txt");

    @Test
    void whatFiresIsWhatWasRead() throws Exception {
        StringBuilder text = new StringBuilder();
        for (Path trace : SharedTraces.kineto()) {
            int from = text.length();
            add(text, RealTraces.name(trace), RealTraces.report(trace));
            if (Seeds.areFew()) {
                assertThat(Files.readString(BASELINE)).contains(text.substring(from));
            }
        }
        if (Seeds.areFew()) {
            return; // Those of other traces stand in between.
        }
        if ("adopt".equals(System.getProperty("inferscope.golden"))) {
            Files.writeString(BASELINE, text);
        }

        assertThat(text.toString()).isEqualTo(Files.readString(BASELINE));
    }

    /** No note without a gain repeats what a louder finding says and advises. */
    @Test
    void oneCauseIsSaidOnce() throws Exception {
        List<String> repeated = new ArrayList<>();
        for (Path trace : SharedTraces.forCostlyTests(SharedTraces.chrome())) {
            List<Finding> findings = RealTraces.report(trace).findings();
            Set<String> louder = findings.stream()
                    .filter(finding -> finding.severity().compareTo(Finding.Severity.INFO) < 0)
                    .map(Finding::advice)
                    .collect(Collectors.toSet());
            findings.stream()
                    .filter(finding -> finding.severity() == Finding.Severity.INFO && finding.gain() == null)
                    .filter(finding -> louder.contains(finding.advice()))
                    .forEach(finding -> repeated.add(RealTraces.name(trace) + ": " + finding.rule()));
        }
        assertThat(repeated).isEmpty();
    }

    /** The context that 981 ms of {@code cudaFree} make before the first kernel was told as two critical findings. */
    @Test
    void loadingBeforeTheFirstKernelIsSaidOnce() throws Exception {
        Path trace = SharedTraces.folder().resolve("more").resolve("param-linear.json.gz");

        assertThat(RealTraces.report(trace).findings())
                .extracting(Finding::rule)
                .contains("outside-span")
                .doesNotContain("compile-load");
    }

    /**
     * The thread of autograd's engine waits for the one that calls it: without its hand-overs it kept its recorded times in every replay, and removing the
     * 981 ms of {@code cudaFree} before the first kernel, or the 4.3 s that the steps of the other wait for batches, seemed to save a tenth.
     */
    @Test
    void whatAutogradWaitsForIsSavedToo() throws Exception {
        Path more = SharedTraces.folder().resolve("more");

        assertThat(leastSavedNs(more.resolve("param-linear.json.gz"), "outside-span"))
                .isGreaterThan(900_000_000L);
        assertThat(leastSavedNs(more.resolve("param-resnet.json.gz"), "preprocessing-dominates"))
                .isGreaterThan(4_000_000_000L);
    }

    private static long leastSavedNs(Path trace, String rule) throws Exception {
        return RealTraces.report(trace).findings().stream()
                .filter(finding -> finding.rule().equals(rule) && finding.gain() != null)
                .mapToLong(finding -> finding.gain().lowNs())
                .findFirst()
                .orElse(0);
    }

    private static void add(StringBuilder text, String name, Report report) {
        text.append(name).append(": ").append(report.verdict().bound().id()).append('\n');
        for (Finding finding : report.findings()) {
            text.append("  ").append(finding.severity().id()).append(' ').append(finding.rule());
            text.append(' ').append(Units.percent(finding.share())).append('\n');
        }
        text.append("  not applicable:");
        report.outcomes().stream()
                .filter(outcome -> outcome.outcome() == RuleOutcome.Outcome.NOT_APPLICABLE)
                .map(RuleOutcome::rule)
                .sorted()
                .forEach(rule -> text.append(' ').append(rule));
        text.append('\n');
    }
}
