package io.inferscope.analyzer.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.rules.DeclaredRule;
import io.inferscope.analyzer.rules.DeclaredRule.Comparison;
import io.inferscope.analyzer.rules.Needs;
import io.inferscope.analyzer.rules.RuleSettings;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a rules file sets, and what it is told where it cannot be meant. */
class RuleSectionsTest {
    private static final String WHOLE = """
            thresholds:
              gpu-idle.share: 10%
              launch-bound.kernel-ns: 50us
              memory-pressure.swapped-bytes: 1GiB
            severity:
              outside-span: info
              user/little-compute: critical
            disable: [sleeping, file-io]
            rules:
              - id: little-compute
                title: The GPU computes too little
                metric: gpu.compute.share
                below: 60%
                message: "Compute takes {value} of the {part}; our limit is {limit}."
                advice: Ask for larger batches.
                severity: warning
                needs: [device-work]
            """;

    @ParameterizedTest
    @CsvSource({
        "gpu.compute, 60%, gpu.compute.share",
        "gpu.compute, 5ms, gpu.compute.ns",
        "wall, 5ms, window.duration-ns"
    })
    void aRuleAsksByTheNamesThatLimitsHave(String name, String amount, String metric) {
        ConfigFile file = file("rules: [{id: mine, metric: " + name + ", below: " + amount + ", message: little}]");

        assertThat(RuleSections.ofRulesFile(file, RuleSettings.DEFAULT).declared())
                .singleElement()
                .satisfies(rule -> assertThat(rule.metric().name()).isEqualTo(metric));
    }

    /** A file of 1 MiB in a stranger's project: 20,000 mistakes were as many lines, and took a minute of CPU time. */
    @Test
    void aFileOfMistakesIsAHundredLinesAndTheirHintsAlone() {
        String rule = "- {id: r-%d, metric: gpu.idel, below: 1%%, message: x}\n";
        Map<String, String> files = Map.of(
                "rules", "rules:\n" + numbered(rule, 10_000),
                "disabled", "disable:\n" + "- b\n".repeat(200_000),
                "thresholds", "thresholds:\n" + numbered("  gpu-idle.shar%d: 1\n", 20_000),
                "keys", numbered("rule%d:\n", 50_000),
                "placeholders", "rules: [{id: a, message: '" + "{valu}".repeat(100_000) + "'}]",
                "needs", "rules: [{id: a, needs: [" + "device-worc,".repeat(50_000) + "]}]",
                "many rules", "rules:\n" + numbered(rule.replace("idel", "idle"), 10_000));
        files.forEach((name, text) -> {
            ConfigFile file = file(text);
            RuleSettings settings = RuleSections.ofRulesFile(file, RuleSettings.DEFAULT);

            assertThat(file.problems()).as(name).hasSizeBetween(1, 101);
            assertThat(file.problemCount() > 101)
                    .as(name)
                    .isEqualTo(file.problems().toString().contains("more problems, from here on, are not listed"));
            assertThat(settings.declared().size()).as(name).isIn(0, 1_000);
        });
    }

    private static String numbered(String line, int count) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < count; i++) {
            lines.append(line.replace("%d", Integer.toString(i)).replace("%%", "%"));
        }
        return lines.toString();
    }

    @Test
    void anAmountOfAMillionDigitsIsRefused() {
        ConfigFile file = file("thresholds: {gpu-idle.share: " + "0".repeat(900_000) + ".1}");

        RuleSections.ofRulesFile(file, RuleSettings.DEFAULT);

        assertThat(file.problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.toString())
                        .contains("gpu-idle.share must be")
                        .hasSizeLessThan(700));
    }

    /** A distance to each of some 400 names would take some 10^9 steps. */
    @Test
    void endlessTextIsRefusedInOneShortLine() {
        String endless = "(a+)+".repeat(50_000);
        ConfigFile metric = file("rules: [{id: mine, metric: '" + endless + "', below: 60%, message: little}]");
        ConfigFile id = file("rules: [{id: " + "a-".repeat(100_000) + "a, metric: idle, below: 60%, message: little}]");

        RuleSections.ofRulesFile(metric, RuleSettings.DEFAULT);
        RuleSections.ofRulesFile(id, RuleSettings.DEFAULT);

        assertThat(metric.problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.toString())
                        .contains("unknown metric '(a+)+")
                        .hasSizeLessThan(600));
        assertThat(id.problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.toString()).endsWith("an id has at most 100 characters"));
    }

    @Test
    void aPlainNumberDoesNotTellWhichFigureOfALedgerIsMeant() {
        ConfigFile file = file("rules: [{id: mine, metric: idle, above: 20, message: much}]");

        assertThat(RuleSections.ofRulesFile(file, RuleSettings.DEFAULT).declared())
                .isEmpty();
        assertThat(file.problems())
                .extracting(Problem::toString)
                .containsExactly(
                        "rules.yaml:1: idle is compared with a percentage or a time, such as 20% or 5ms, not '20'");
    }

    @Test
    void aFileSetsLimitsSeveritiesAndRules() {
        ConfigFile file = file(WHOLE);

        RuleSettings settings = RuleSections.ofRulesFile(file, RuleSettings.DEFAULT);

        assertThat(file.problems()).isEmpty();
        assertThat(settings.thresholds().get(Threshold.byKey().get("gpu-idle.share")))
                .isEqualTo(0.10);
        assertThat(settings.thresholds().get(Threshold.byKey().get("launch-bound.kernel-ns")))
                .isEqualTo(50_000);
        assertThat(settings.thresholds().get(Threshold.byKey().get("memory-pressure.swapped-bytes")))
                .isEqualTo(1L << 30);
        assertThat(settings.thresholds().get(Threshold.byKey().get("verdict.gpu.share")))
                .isEqualTo(Thresholds.GPU_BOUND.value());
        assertThat(settings.severities())
                .isEqualTo(Map.of("outside-span", Severity.INFO, "user/little-compute", Severity.CRITICAL));
        assertThat(settings.disabled()).isEqualTo(Map.of("sleeping", "rules.yaml:8", "file-io", "rules.yaml:8"));
        DeclaredRule rule = settings.declared().get(0);
        assertThat(rule.info().id()).isEqualTo("user/little-compute");
        assertThat(rule.info().title()).isEqualTo("The GPU computes too little");
        assertThat(rule.info().needs()).containsExactly(Needs.DEVICE_WORK);
        assertThat(rule.metric().name()).isEqualTo("gpu.compute.share");
        assertThat(rule.comparison()).isEqualTo(Comparison.BELOW);
        assertThat(rule.limit()).isEqualTo(0.60);
        assertThat(rule.advice()).isEqualTo("Ask for larger batches.");
        assertThat(rule.severity()).isEqualTo(Optional.of(Severity.WARNING));
    }

    @Test
    void anEmptyFileChangesNothing() {
        assertThat(RuleSections.ofRulesFile(file("# later\n"), RuleSettings.DEFAULT))
                .isEqualTo(RuleSettings.DEFAULT);
    }

    @Test
    void aFileStandsOnTopOfAnother() {
        RuleSettings below = RuleSections.of(file(WHOLE), RuleSettings.DEFAULT);

        RuleSettings both = RuleSections.of(file("thresholds: {gpu-idle.share: 0.2}\ndisable: [gpu-idle]\n"), below);

        assertThat(both.thresholds().get(Threshold.byKey().get("gpu-idle.share")))
                .isEqualTo(0.2);
        assertThat(both.thresholds().get(Threshold.byKey().get("launch-bound.kernel-ns")))
                .isEqualTo(50_000);
        assertThat(both.disabled()).containsOnlyKeys("sleeping", "file-io", "gpu-idle");
        assertThat(both.declared()).isEqualTo(below.declared());
    }

    @Test
    void aRuleOfTheSameNameReplacesTheOneBelow() {
        RuleSettings below = RuleSections.of(file(WHOLE), RuleSettings.DEFAULT);

        RuleSettings both = RuleSections.of(
                file("rules: [{id: little-compute, metric: gpu.compute.share, below: 50%, message: little}]"), below);

        assertThat(both.declared()).extracting(DeclaredRule::limit).containsExactly(0.5);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            treshold: {}                                | 1: unknown key 'treshold' (did you mean 'thresholds'?)
            just words                                  | 1: expected keys with values, such as 'thresholds:', not a text
            thresholds: [1]                             | 1: thresholds must be a group of keys with values, not a list
            thresholds: {gpu-idle.shre: 1%}             | 1: unknown threshold 'gpu-idle.shre' (did you mean 'gpu-idle.share'?)
            thresholds: {gpu-idle.share: 15}            | 1: gpu-idle.share must be a share such as 0.15 or 15%, not '15'
            thresholds: {gpu-idle.share: -5%}           | 1: gpu-idle.share must be a share such as 0.15 or 15%, not '-5%'
            thresholds: {launch-bound.kernel-ns: 5 KiB} | 1: launch-bound.kernel-ns must be a time such as 20us or 1.5ms, not '5 KiB'
            thresholds: {gpu-idle.share: [1]}           | 1: gpu-idle.share must be a text, not a list
            thresholds: {gpu-idle.share: }              | 1: gpu-idle.share must be a text, not nothing
            severity: {gpu-idle: high}                  | 1: a severity is info, warning or critical, not 'high'
            severity: {gpu-ilde: info}                  | 1: unknown rule 'gpu-ilde' (did you mean 'gpu-idle'?)
            disable: gpu-idle                           | 1: disable must be a list, not a text
            disable: [xyzzyx]                           | 1: unknown rule 'xyzzyx'
            rules: [a]                                  | 1: a rule must be a group of keys with values, not a text
            """)
    void whatCannotBeMeantIsNamedByItsLine(String text, String problem) {
        ConfigFile file = file(text);

        assertThat(RuleSections.ofRulesFile(file, RuleSettings.DEFAULT)).isEqualTo(RuleSettings.DEFAULT);
        assertThat(file.problems()).extracting(Problem::toString).containsExactly("rules.yaml:" + problem);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            metric: gpu.compute.share | metric: gpu.compute.shre  | 3: unknown metric 'gpu.compute.shre' (did you mean 'gpu.compute.share'?)
            metric: gpu.compute.share | metric: verdict           | 3: verdict is not a figure: only --fail-on can use it
            below: 60%                | below: 60us               | 4: below must be a share such as 0.15 or 15%, not '60us'
            below: 60%                | under: 60%                | 2: a rule has exactly one of 'above', 'at-least', 'below' and 'at-most'
            message: little           | message: little {vale}    | 5: unknown name in braces 'vale' (did you mean 'value'?)
            message: little           | message: ''               | 5: message must be a text, not nothing
            id: mine                  | id: Mine                  | 2: an id is made of a-z, 0-9 and single hyphens, not 'Mine'
            severity: info            | severity: loud            | 6: a severity is info, warning or critical, not 'loud'
            needs: [launches]         | needs: [gpu]              | 7: unknown need 'gpu'
            """)
    void aRuleThatCannotBeMeantIsNamedByItsLine(String right, String wrong, String problem) {
        String text = """
                rules:
                  - id: mine
                    metric: gpu.compute.share
                    below: 60%
                    message: little
                    severity: info
                    needs: [launches]
                """;
        assertThat(RuleSections.ofRulesFile(file(text), RuleSettings.DEFAULT).declared())
                .hasSize(1);

        ConfigFile file = file(text.replace(right, wrong));
        RuleSettings settings = RuleSections.ofRulesFile(file, RuleSettings.DEFAULT);

        assertThat(settings.declared()).isEmpty();
        assertThat(file.problems()).extracting(Problem::toString).contains("rules.yaml:" + problem);
    }

    @Test
    void whatARuleLacksIsNamed() {
        ConfigFile file = file("rules:\n  - above: 1\n");

        RuleSections.ofRulesFile(file, RuleSettings.DEFAULT);

        assertThat(file.problems())
                .extracting(Problem::toString)
                .containsExactly(
                        "rules.yaml:2: the rule has no 'id'",
                        "rules.yaml:2: the rule has no 'metric'",
                        "rules.yaml:2: the rule has no 'message'");
    }

    @Test
    void twoRulesOfOneNameAreRefused() {
        String rule = "  - {id: mine, metric: gpu.compute.share, below: 1%, message: m}\n";
        ConfigFile file = file("rules:\n" + rule + rule);

        RuleSections.ofRulesFile(file, RuleSettings.DEFAULT);

        assertThat(file.problems())
                .extracting(Problem::toString)
                .containsExactly("rules.yaml:3: a rule above is called 'mine' already");
    }

    @Test
    void bytesThatAreNoTextAreAProblemOfTheFile() {
        ConfigFile file = ConfigFile.of("rules.yaml", new byte[] {(byte) 0xff, (byte) 0xfe, 0});

        assertThat(file.problems()).isEqualTo(List.of(new Problem("rules.yaml", 0, "is not a text in UTF-8")));
    }

    @Test
    void syntaxIsNamedByItsLine() {
        assertThat(file("thresholds:\n  a: [1\n").problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.line()).isGreaterThan(1));
    }

    static ConfigFile file(String text) {
        return ConfigFile.of("rules.yaml", text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aProblemIsOneLineWhateverItQuotes() {
        assertThat(new Problem("rules.yaml", 4, "unknown rule 'a\n\u001b[31mb\u2028c'").toString())
                .isEqualTo("rules.yaml:4: unknown rule 'a [31mb c'");
    }
}
