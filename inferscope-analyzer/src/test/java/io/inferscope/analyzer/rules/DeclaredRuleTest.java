package io.inferscope.analyzer.rules;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.metrics.Metrics;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.RuleOutcome;
import io.inferscope.analyzer.rules.DeclaredRule.Comparison;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules that users declare, and what users say about rules, from the settings to the report. */
class DeclaredRuleTest {
    private static final String HALF_BUSY = """
            us           0         10        20
            thread main  LL........LL........
            stream 7     KKKKK.....KKKKKKKKKK
            links in order
            """;

    @Test
    void whatHoldsIsAFindingWithItsFigures() {
        DeclaredRule rule = rule(
                "idle.share", Comparison.ABOVE, 0.2, "Idle for {value} of the {part}, {cost}; allowed are {limit}.");

        Finding finding = finding(HALF_BUSY, settings(rule));

        assertThat(finding.claim()).isEqualTo("Idle for 25.0% of the span, 5.00 us; allowed are 20.0%.");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.costNs()).isEqualTo(us(5));
        assertThat(finding.share()).isEqualTo(0.25);
        assertThat(finding.advice()).isEqualTo("Feed it faster.");
        assertThat(finding.gain()).isNull();
        assertThat(finding.evidence())
                .startsWith(
                        new Evidence.Quantity("idle.share", 0.25, "ratio"),
                        new Evidence.Quantity("a finding when above", 0.2, "ratio"))
                .hasAtLeastOneElementOfType(Evidence.Place.class);
        assertThat(outcome(HALF_BUSY, settings(rule)).outcome()).isEqualTo(RuleOutcome.Outcome.FOUND);
    }

    @Test
    void tooLittleOfSomethingCostsNothing() {
        Finding finding =
                finding(HALF_BUSY, settings(rule("gpu.compute.share", Comparison.BELOW, 0.8, "Little: {value}.")));

        assertThat(finding.claim()).isEqualTo("Little: 75.0%.");
        assertThat(finding.costNs()).isZero();
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void theSeveritySaidWins() {
        DeclaredRule rule = new DeclaredRule(
                new RuleInfo("user/mine", "mine"),
                Metrics.named("gpu.compute.share").orElseThrow(),
                Comparison.BELOW,
                0.8,
                "m",
                "",
                Optional.of(Severity.CRITICAL));

        assertThat(finding(HALF_BUSY, settings(rule)).severity()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void whatDoesNotHoldIsClean() {
        RuleOutcome outcome = outcome(HALF_BUSY, settings(rule("idle.share", Comparison.ABOVE, 0.25, "m")));

        assertThat(outcome.outcome()).isEqualTo(RuleOutcome.Outcome.CLEAN);
        assertThat(outcome.because()).isEqualTo("idle.share is 25.0%");
    }

    @Test
    void whatIsNotRecordedIsNotApplicable() {
        RuleOutcome outcome = outcome("""
                us           0         10
                thread main  [work    ]
                """, settings(rule("device.busy.share", Comparison.BELOW, 0.9, "m")));

        assertThat(outcome.outcome()).isEqualTo(RuleOutcome.Outcome.NOT_APPLICABLE);
        assertThat(outcome.because()).isEqualTo("device.busy.share: not recorded");
    }

    @Test
    void aRuleSaysNothingWithoutWhatItNeeds() {
        DeclaredRule rule = new DeclaredRule(
                new RuleInfo("user/mine", "mine", Needs.DEVICE_WORK),
                Metrics.named("unattributed.share").orElseThrow(),
                Comparison.AT_LEAST,
                0,
                "m",
                "",
                Optional.empty());

        assertThat(outcome("""
                        us           0         10
                        thread main  [work    ]
                        """, settings(rule)).because()).isEqualTo("no device work is recorded");
    }

    @Test
    void aWithheldVerdictSilencesUsersRulesToo() {
        RuleOutcome outcome = outcome("""
                us           0         10        20        30        40
                thread main  LL..YYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYY
                stream 7     ..KKKKKKKKKKKKKK
                links in order
                """, settings(rule("idle.share", Comparison.ABOVE, 0.01, "m")));

        assertThat(outcome.outcome()).isEqualTo(RuleOutcome.Outcome.NOT_APPLICABLE);
        assertThat(outcome.because()).contains("blocked-calls-have-device-work");
    }

    @ParameterizedTest
    @CsvSource({
        "ABOVE, 0.25, false",
        "AT_LEAST, 0.25, true",
        "BELOW, 0.25, false",
        "AT_MOST, 0.25, true",
        "ABOVE, 0.24, true",
        "BELOW, 0.26, true"
    })
    void limitsAreMeantAsTheyAreWritten(Comparison comparison, double limit, boolean found) {
        assertThat(outcome(HALF_BUSY, settings(rule("idle.share", comparison, limit, "m")))
                                .outcome()
                        == RuleOutcome.Outcome.FOUND)
                .isEqualTo(found);
    }

    @Test
    void theVerdictCanBeAskedFor() {
        assertThat(outcome(HALF_BUSY, settings(rule("verdict.gpu", Comparison.BELOW, 1, "not GPU-bound")))
                        .outcome())
                .isEqualTo(RuleOutcome.Outcome.FOUND);
    }

    @Test
    void aDisabledRuleIsNotAskedAndSaysWhere() {
        RuleSettings settings =
                new RuleSettings(Thresholds.defaults(), Map.of("gpu-idle", "rules.yaml:3"), Map.of(), List.of());

        Report report = analyze(HALF_BUSY, settings);

        assertThat(report.findings()).extracting(Finding::rule).doesNotContain("gpu-idle");
        assertThat(report.outcomes())
                .filteredOn(outcome -> outcome.rule().equals("gpu-idle"))
                .extracting(RuleOutcome::because)
                .containsExactly("disabled in rules.yaml:3");
    }

    @Test
    void aThresholdSilencesARule() {
        Report report = analyze(
                HALF_BUSY,
                new RuleSettings(
                        Thresholds.defaults().with(Map.of(Threshold.byKey().get("gpu-idle.share"), 0.3)),
                        Map.of(),
                        Map.of(),
                        List.of()));

        assertThat(report.findings()).extracting(Finding::rule).doesNotContain("gpu-idle");
    }

    @Test
    void limitsOfSeverityCanBeMoved() {
        Thresholds strict = Thresholds.defaults().with(Map.of(Thresholds.CRITICAL, 0.2));

        assertThat(severity("gpu-idle", new RuleSettings(strict, Map.of(), Map.of(), List.of())))
                .isEqualTo(Severity.CRITICAL);
        assertThat(severity("gpu-idle", RuleSettings.DEFAULT)).isEqualTo(Severity.WARNING);
    }

    @Test
    void theSeverityOfARuleCanBeSet() {
        RuleSettings quiet =
                new RuleSettings(Thresholds.defaults(), Map.of(), Map.of("gpu-idle", Severity.INFO), List.of());

        assertThat(severity("gpu-idle", quiet)).isEqualTo(Severity.INFO);
    }

    @Test
    void goodNewsStaysGoodNews() {
        String busy = """
                us           0         10        20
                thread main  LL..................
                stream 7     ..KKKKKKKKKKKKKKKKKK
                links in order
                """;
        RuleSettings loud =
                new RuleSettings(Thresholds.defaults(), Map.of(), Map.of("gpu-bound", Severity.CRITICAL), List.of());

        assertThat(analyze(busy, loud).findings())
                .filteredOn(finding -> finding.rule().equals("gpu-bound"))
                .extracting(Finding::severity)
                .containsExactly(Severity.HEALTHY);
    }

    private static Severity severity(String rule, RuleSettings settings) {
        return analyze(HALF_BUSY, settings).findings().stream()
                .filter(finding -> finding.rule().equals(rule))
                .findFirst()
                .orElseThrow()
                .severity();
    }

    private static DeclaredRule rule(String metric, Comparison comparison, double limit, String message) {
        return new DeclaredRule(
                new RuleInfo("user/mine", "mine"),
                Metrics.named(metric).orElseThrow(),
                comparison,
                limit,
                message,
                "Feed it faster.",
                Optional.empty());
    }

    private static RuleSettings settings(DeclaredRule rule) {
        return new RuleSettings(Thresholds.defaults(), Map.of(), Map.of(), List.of(rule));
    }

    private static Finding finding(String art, RuleSettings settings) {
        return analyze(art, settings).findings().stream()
                .filter(finding -> finding.rule().equals("user/mine"))
                .findFirst()
                .orElseThrow();
    }

    private static RuleOutcome outcome(String art, RuleSettings settings) {
        return analyze(art, settings).outcomes().stream()
                .filter(outcome -> outcome.rule().equals("user/mine"))
                .findFirst()
                .orElseThrow();
    }

    private static Report analyze(String art, RuleSettings settings) {
        return new Analyzer(settings).analyze(TimelineFixture.draw(art), "test");
    }
}
