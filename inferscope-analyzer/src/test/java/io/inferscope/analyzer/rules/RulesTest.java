package io.inferscope.analyzer.rules;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Gain;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.files.KnowledgeTable;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every rule. */
class RulesTest {
    private static final TrustCheck PASSED = new TrustCheck("streams-do-not-overlap", true, false, "none", "");
    private static final TrustCheck FAILED = new TrustCheck("steps-have-device-work", false, true, "lost", "again");
    private static final String GPU_BOUND = """
            us           0         10        20
            thread main  LL..................
            stream 7     ..KKKKKKKKKKKKKKKKKK
            links in order
            """;

    static List<Rule> rules() {
        return Rules.ALL;
    }

    @Test
    void theRulesAreThoseOfTheTableInItsOrder() {
        assertThat(Rules.ALL)
                .extracting(rule -> rule.info().id())
                .doesNotHaveDuplicates()
                .isEqualTo(KnowledgeTable.read(Knowledge.class, "rules.tsv", cells -> cells[0]));
        assertThat(Rules.ALL)
                .extracting(rule -> rule.getClass().getSimpleName())
                .isEqualTo(KnowledgeTable.read(Knowledge.class, "rules.tsv", cells -> cells[1].split("[.]")[0]));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void everyRuleHasAPageWithTheFiveHeadings(Rule rule) throws IOException {
        List<String> page = Files.readAllLines(pages().resolve(rule.info().id() + ".md"));

        assertThat(page.get(0)).startsWith("# " + rule.info().id() + ": ");
        assertThat(page.stream().filter(line -> line.startsWith("## ")))
                .containsExactly(
                        "## What it means",
                        "## How it is computed",
                        "## Why this threshold",
                        "## When it is wrong",
                        "## How to fix");
    }

    @Test
    void everyPageBelongsToARule() throws IOException {
        try (Stream<Path> pages = Files.list(pages())) {
            assertThat(pages.map(page -> page.getFileName().toString())
                            .filter(name -> name.endsWith(".md") && !name.equals("README.md")))
                    .containsExactlyInAnyOrderElementsOf(Rules.ALL.stream()
                            .map(rule -> rule.info().id() + ".md")
                            .toList());
        }
    }

    @ParameterizedTest
    @MethodSource("rules")
    void everyRuleHasATest(Rule rule) throws Exception {
        Class<?> type = rule.getClass();
        Optional<String> ofFamily = Stream.of(type.getDeclaredFields())
                .filter(field -> Rule.class.isAssignableFrom(field.getType()) && valueOf(field) == rule)
                .map(field -> type.getSimpleName() + "." + field.getName())
                .findFirst();
        if (ofFamily.isPresent()) {
            Path folder = Path.of("src", "test", "java", type.getPackageName().replace('.', '/'));
            try (Stream<Path> tests = Files.list(folder)) {
                assertThat(tests.filter(test -> !test.endsWith("RulesTest.java")))
                        .anySatisfy(test -> assertThat(Files.readString(test)).contains(ofFamily.get()));
            }
            return;
        }
        boolean isAlone = type.getSuperclass() == Rule.class; // Otherwise its family's test has cases of it.
        int own = isAlone ? rule.info().needs().isEmpty() ? 3 : 2 : 1; // What it needs is tested here.
        assertThat(Class.forName(type.getName() + "Test").getDeclaredMethods())
                .filteredOn(method -> method.isAnnotationPresent(Test.class))
                .hasSizeGreaterThanOrEqualTo(own);
    }

    private static @Nullable Object valueOf(Field field) {
        try {
            return field.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<Arguments> needs() {
        return Rules.ALL.stream()
                .flatMap(rule -> rule.info().needs().stream().sorted().map(need -> Arguments.of(rule, need)));
    }

    @ParameterizedTest
    @MethodSource("needs")
    void aRuleSaysNothingWithoutWhatItNeeds(Rule rule, Needs need) {
        String without = switch (need) {
            case DEVICE_WORK, KERNELS, THREAD_STATES -> """
                            us           0         10        20
                            thread main  <aten::mm          >
                            """;
            case LAUNCHES, HOST_ACTIVITY -> """
                            us        0         10        20
                            stream 7  KK........KK........
                            """;
            case STEPS -> """
                            us           0         10        20
                            thread main  LL........LL
                            stream 7     ..KK........KK
                            links in order
                            """;
        };
        Needs missing =
                need == Needs.HOST_ACTIVITY && rule.info().needs().contains(Needs.LAUNCHES) ? Needs.LAUNCHES : need;
        missing = need == Needs.KERNELS ? Needs.DEVICE_WORK : missing;

        assertThat(RuleVerdicts.notApplicable(rule, without)).isEqualTo(missing.absence());
    }

    @ParameterizedTest
    @MethodSource("rules")
    void whatARuleRefinesIsARule(Rule rule) {
        assertThat(Rules.ALL)
                .extracting(other -> other.info().id())
                .containsAll(rule.info().refines());
        assertThat(rule.info().refines()).doesNotContain(rule.info().id());
    }

    @ParameterizedTest
    @MethodSource("rules")
    void whatARuleRepeatsIsARule(Rule rule) {
        assertThat(Rules.ALL)
                .extracting(other -> other.info().id())
                .containsAll(rule.info().repeats().stream()
                        .filter(id -> !id.equals(RuleInfo.ANY))
                        .toList());
        assertThat(rule.info().repeats(rule.info())).isFalse();
    }

    @Test
    void idleTimeThatLiesOutsideTheGpusWorkIsFoundOnce() {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 2, 4, "gemm")
                .launchedBy("main", 0, 1)
                .scope("main", 1, 100_000, "tokenize");
        Map<RuleInfo, Verdict> verdicts =
                Rules.evaluate(Analysis.of(fixture.build(), Thresholds.defaults()), List.of(PASSED));

        assertThat(severity(verdicts, new OutsideSpanRule())).isEqualTo(Severity.CRITICAL);
        assertThat(List.of(new GpuIdleRule(), UtilisationRule.LOW))
                .extracting(rule -> verdicts.get(rule.info()))
                .containsOnly(new Verdict.ToldElsewhere("most of this time is what outside-span reports"));
    }

    @Test
    void copiesThatNothingHidesAreFoundOnce() {
        Map<RuleInfo, Verdict> verdicts =
                Rules.evaluate(Analysis.of(TimelineFixture.draw("""
                                us        0         10        20
                                stream 7  HHHHHHHHHHHHHHHHKKKK
                                """), Thresholds.defaults()), List.of(PASSED));

        assertThat(severity(verdicts, ExposedCopyRule.H2D)).isEqualTo(Severity.CRITICAL);
        assertThat(verdicts.get(new CopyHeavyRule().info()))
                .isEqualTo(new Verdict.ToldElsewhere("most of this time is what exposed-h2d reports"));
    }

    /** Nearly all of the idle time is one cause: that the GPU is idle for that long is the same finding. */
    @Test
    void idleTimeOfOneCauseIsFoundOnce() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 4; i++) {
            fixture.operator("main", 25 * i, 25 * i + 21, "aten::mm")
                    .kernel("7", 25 * i + 22, 25 * i + 24.5, "gemm")
                    .launchedBy("main", 25 * i + 20, 25 * i + 21);
        }
        Map<RuleInfo, Verdict> verdicts =
                Rules.evaluate(Analysis.of(fixture.build(), Thresholds.defaults()), List.of(PASSED));

        assertThat(severity(verdicts, new LaunchBoundRule())).isEqualTo(Severity.CRITICAL);
        assertThat(verdicts.get(new GpuIdleRule().info()))
                .isEqualTo(new Verdict.ToldElsewhere("most of this time is what launch-bound reports"));
    }

    @Test
    void aDetailOfALouderFindingIsOnlyWorthKnowing() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 4; i++) {
            fixture.kernel("7", 6 * i + 6, 6 * i + 8, "add").launchedBy("main", 6 * i, 6 * i + 6);
        }
        Map<RuleInfo, Verdict> verdicts =
                Rules.evaluate(Analysis.of(fixture.build(), Thresholds.defaults()), List.of(PASSED));

        assertThat(severity(verdicts, new LaunchBoundRule())).isEqualTo(Severity.CRITICAL);
        assertThat(severity(verdicts, CallsRule.SHORT_KERNELS)).isEqualTo(Severity.INFO);
    }

    @Test
    void aLossOfOtherTimeIsNoDetail() {
        TimelineFixture sameTime = TimelineFixture.blank()
                .scope("main", 0, 60, "tokenize")
                .kernel("7", 62, 100, "gemm")
                .launchedBy("main", 60, 62);
        TimelineFixture otherTime = TimelineFixture.blank()
                .scope("main", 0, 45, "load_model")
                .kernel("7", 47, 50, "gemm")
                .launchedBy("main", 45, 47)
                .scope("main", 50, 92, "tokenize")
                .kernel("7", 94, 100, "gemm")
                .launchedBy("main", 92, 94);

        // The same advice, and no larger gain: told once.
        assertThat(preparing(sameTime)).containsExactly(Severity.CRITICAL);
        assertThat(preparing(otherTime)).containsExactly(Severity.CRITICAL, Severity.CRITICAL);
    }

    private static List<Severity> preparing(TimelineFixture fixture) {
        Map<RuleInfo, Verdict> verdicts =
                Rules.evaluate(Analysis.of(fixture.build(), Thresholds.defaults()), List.of(PASSED));
        return Stream.of(new OutsideSpanRule(), HostClassesRule.PREPROCESSING)
                .map(rule -> verdicts.get(rule.info()))
                .filter(Verdict.Found.class::isInstance)
                .map(verdict -> ((Verdict.Found) verdict).finding().severity())
                .toList();
    }

    private static Severity severity(Map<RuleInfo, Verdict> verdicts, Rule rule) {
        return ((Verdict.Found) verdicts.get(rule.info())).finding().severity();
    }

    @Test
    void everyRuleIsSilentWhereTheGateWithholds() {
        Analysis analysis = Analysis.of(TimelineFixture.draw(GPU_BOUND), Thresholds.defaults());

        Map<RuleInfo, Verdict> verdicts = Rules.evaluate(analysis, List.of(PASSED, FAILED));

        assertThat(verdicts).hasSameSizeAs(Rules.ALL);
        assertThat(verdicts.values())
                .containsOnly(new Verdict.NotApplicable("the recording failed the check steps-have-device-work"));
    }

    @Test
    void aFailureThatDoesNotWithholdSilencesNobody() {
        Analysis analysis = Analysis.of(TimelineFixture.draw(GPU_BOUND), Thresholds.defaults());
        TrustCheck noted = new TrustCheck("profiler-is-small", false, false, "6 %", "record less");

        Verdict verdict = Rules.evaluate(analysis, List.of(noted)).get(new DeviceBoundRule().info());

        assertThat(verdict).isInstanceOf(Verdict.Found.class);
    }

    @Test
    void rulesAreSilentWithoutDevicesToo() {
        Analysis analysis = Analysis.of(TimelineFixture.draw("""
                        us           0         10        20
                        thread main  [tokenize          ]
                        """), Thresholds.defaults());

        Verdict verdict = Rules.evaluate(analysis, List.of(FAILED)).get(HostClassesRule.PREPROCESSING.info());

        assertThat(verdict).isInstanceOf(Verdict.NotApplicable.class);
    }

    @Test
    void aGainOfTenPointsIsClaimed() {
        Finding finding =
                costing(10).savesAtMost(us(10), "nothing is waited for").build();

        assertThat(finding.gain())
                .isEqualTo(new Gain(
                        0,
                        us(10),
                        List.of(
                                "at least: other work takes its place on the critical path",
                                "at most: nothing is waited for")));
        assertThat(finding.noGainBecause()).isEmpty();
    }

    @Test
    void aWiderGainIsNotClaimed() {
        Finding finding =
                costing(11).savesAtMost(us(11), "nothing is waited for").build();

        assertThat(finding.gain()).isNull();
        assertThat(finding.noGainBecause())
                .isEqualTo("the saving lies between nothing and 11.0 us,"
                        + " too wide to promise without replaying the dependencies");
    }

    @Test
    void aFindingWithoutAGainSaysWhy() {
        assertThat(costing(5).build().noGainBecause()).isEqualTo("what a change would save has not been replayed");
    }

    @Test
    void aRuleThatFailsCostsItsOwnAnswerAlone() {
        Rule broken = new Rule(new RuleInfo("broken", "Always fails")) {
            @Override
            public Verdict evaluate(Analysis analysis) {
                throw new IllegalArgumentException("gain [2, 1]");
            }
        };
        Rule sound = new SleepingRule();
        Analysis analysis = Analysis.of(TimelineFixture.draw("""
                us           0    10   20   30   40
                thread main  [tokenize ][generate  ]
                """), Thresholds.defaults());

        Map<RuleInfo, Verdict> verdicts =
                Rules.builtIn(List.of(broken, sound), analysis, List.of(), RuleSettings.DEFAULT);

        assertThat(verdicts.get(broken.info())).isEqualTo(new Verdict.Failed("IllegalArgumentException: gain [2, 1]"));
        assertThat(verdicts.get(sound.info())).isNotInstanceOf(Verdict.Failed.class);
    }

    @Test
    void proseIsFilledFromTheFigures() {
        Finding finding = costing(25)
                .measure("calls", "3")
                .message("{calls} calls cost {cost}, {share} of the {part}")
                .advice("Make fewer than {calls}.")
                .build();

        assertThat(finding.claim()).isEqualTo("3 calls cost 25.0 us, 25.0% of the window");
        assertThat(finding.advice()).isEqualTo("Make fewer than 3.");
        assertThat(finding.of()).isEqualTo("window of thread main");
    }

    @ParameterizedTest
    @CsvSource({"14, INFO", "15, WARNING", "39, WARNING", "40, CRITICAL"})
    void severityFollowsTheShare(int costUs, Severity severity) {
        assertThat(costing(costUs).build().severity()).isEqualTo(severity);
    }

    private static FindingBuilder costing(int costUs) {
        Ledger ledger = new Ledger.Builder()
                .add(LedgerClass.CPU_PYTHON, us(100))
                .build("thread main", LedgerPart.WINDOW, us(100));
        return FindingBuilder.of("python-dominates", ledger, us(costUs));
    }

    /** The repository's pages; tests run in the module's folder. */
    private static Path pages() {
        return Path.of("..", "docs", "rules");
    }
}
