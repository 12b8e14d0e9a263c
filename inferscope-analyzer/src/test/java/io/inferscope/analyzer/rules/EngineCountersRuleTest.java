package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleTimelines.memory;
import static io.inferscope.analyzer.rules.RuleTimelines.readings;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.files.KnowledgeTable;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EngineCountersRuleTest {
    /** The rules, and how they begin to say what is missing. */
    static Stream<Arguments> rules() {
        return Stream.of(
                Arguments.of(EngineCountersRule.PREEMPTIONS, "vllm:num_preemptions_total is not"),
                Arguments.of(EngineCountersRule.FEW_SEQUENCES, "vllm:num_requests_waiting,"),
                Arguments.of(EngineCountersRule.EMPTY_QUEUE, "sglang:num_queue_reqs or"),
                Arguments.of(EngineCountersRule.TOKEN_USAGE, "sglang:num_queue_reqs or"),
                Arguments.of(EngineCountersRule.RETRACTIONS, "sglang:num_retracted_requests_total is not"),
                Arguments.of(EngineCountersRule.FREE_MEMORY, "sglang:token_usage or"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void saysNothingWithoutTheCounters(Rule rule, String missing) {
        assertThat(notApplicable(rule, memory(60, 80))).startsWith(missing);
    }

    @Test
    void everyRowIsOfAnEnginesRuleThatNamesItOnce() {
        List<String[]> rows = KnowledgeTable.read(Knowledge.class, "engine-counters.tsv", Function.identity());

        assertThat(rows).extracting(row -> row[0] + ' ' + row[1]).doesNotHaveDuplicates();
        assertThat(rows).allSatisfy(row -> {
            List<Rule> rules = Rules.ALL.stream()
                    .filter(rule ->
                            rule instanceof EngineRule && rule.info().id().startsWith(row[0] + '-'))
                    .toList();
            assertThat(rules).anyMatch(rule -> ClaimRowsTest.code(rule).contains('"' + row[1] + '"'));
            assertThat(row[2].split(" ")).doesNotHaveDuplicates().allMatch(name -> name.startsWith(row[0] + ':'));
        });
    }

    private static TimelineFixture serving() {
        return TimelineFixture.blank().scope("main", 0, 100, "serve");
    }

    @Test
    void preemptedRequestsAreReportedWithWhatFits() {
        Finding finding = found(
                EngineCountersRule.PREEMPTIONS,
                serving()
                        .counter("vllm:num_preemptions_total{model_name=\"m\"}", 10, 3)
                        .counter("vllm:num_preemptions_total{model_name=\"m\"}", 90, 10)
                        .counter("vllm:num_requests_running{model_name=\"m\"}", 10, 180)
                        .counter("vllm:num_requests_running{model_name=\"m\"}", 50, 190)
                        .counter("vllm:num_requests_running{model_name=\"m\"}", 90, 256)
                        .counter("vllm:kv_cache_usage_perc{model_name=\"m\"}", 90, 0.99));

        assertThat(finding.claim()).startsWith("vLLM preempted 7 requests");
        assertThat(finding.advice()).contains("--gpu-memory-utilization 0.95", "--max-num-seqs 190");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void aCounterThatStandsStillIsClean() {
        assertThat(clean(
                        EngineCountersRule.PREEMPTIONS,
                        serving()
                                .counter("vllm:num_preemptions_total", 10, 3)
                                .counter("vllm:num_preemptions_total", 90, 3)))
                .isEqualTo("no request was preempted");
    }

    private static Timeline serving(double[] waiting, double[] running, double usage) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 100, "serve");
        for (int i = 0; i < waiting.length; i++) {
            fixture.counter("vllm:num_requests_waiting{engine=\"0\"}", 10 + 10 * i, waiting[i])
                    .counter("vllm:num_requests_running{engine=\"0\"}", 10 + 10 * i, running[i])
                    .counter("vllm:kv_cache_usage_perc{engine=\"0\"}", 10 + 10 * i, usage);
        }
        return fixture.build();
    }

    @Test
    void requestsThatWaitBesideAnEmptyCacheAreReportedWithTheLimit() {
        Finding finding = found(
                EngineCountersRule.FEW_SEQUENCES, serving(new double[] {0, 7, 6, 7}, new double[] {1, 1, 1, 1}, 0.02));

        assertThat(finding.claim())
                .isEqualTo(
                        "In 75.0% of the readings requests wait while 1 run, and never more run, with at most 2.0% of the KV cache in use: the limit of requests at once holds them back.");
        assertThat(finding.advice()).contains("--max-num-seqs 8");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void aFullCacheOrABurstIsClean() {
        assertThat(clean(
                        EngineCountersRule.FEW_SEQUENCES,
                        serving(new double[] {0, 7, 6, 7}, new double[] {1, 1, 1, 1}, 0.97)))
                .isEqualTo("requests wait, and 97.0% of the KV cache is in use");
        assertThat(clean(
                        EngineCountersRule.FEW_SEQUENCES,
                        serving(new double[] {7, 0, 0, 0}, new double[] {4, 8, 8, 8}, 0.02)))
                .isEqualTo("requests wait, with as many running as ever, in 0.0% of the readings");
    }

    @Test
    void anEmptyQueueAndAnEmptyCacheSayThatClientsAreSlow() {
        Finding finding = found(
                EngineCountersRule.EMPTY_QUEUE, readings(new double[] {0, 0, 0, 0}, new double[] {0.2, 0.3, 0.2, 0.1}));

        assertThat(finding.claim())
                .startsWith(
                        "For 100.0% of the time no request waits in SGLang's queue, and only 20.0% of the KV cache is in use");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void waitingRequestsAreClean() {
        assertThat(clean(
                        EngineCountersRule.EMPTY_QUEUE,
                        readings(new double[] {100, 120, 90, 0}, new double[] {0.2, 0.3, 0.2, 0.1})))
                .isEqualTo("requests wait for 75.0% of the time");
    }

    /** SGLang 0.5.23 with --max-running-requests 1. */
    @Test
    void requestsWaitForTheLimitOfThoseThatRun() {
        TimelineFixture readings = readings(new double[] {3, 3, 2, 3}, new double[] {0.2, 0.3, 0.2, 0.1});
        for (int i = 0; i < 4; i++) {
            readings.counter("sglang:num_running_reqs", 1e6 * i, 1);
        }
        Finding finding = found(EngineCountersRule.TOKEN_USAGE, readings);

        assertThat(finding.claim()).contains("1 run at once then, and never more: that is their limit, or");
        assertThat(finding.advice()).startsWith("If `--max-running-requests` is 1, raise it.");
    }

    @Test
    void aFullCacheNeedsNoQueue() {
        assertThat(clean(EngineCountersRule.EMPTY_QUEUE, readings(new double[] {0, 0}, new double[] {0.95, 0.96})))
                .isEqualTo("no request waits, and the KV cache is in use");
    }

    @Test
    void requestsThatWaitBeforeAnEmptyCacheAreReported() {
        Finding finding = found(
                EngineCountersRule.TOKEN_USAGE,
                readings(new double[] {50, 60, 0, 70}, new double[] {0.6, 0.95, 0.2, 0.5}));

        assertThat(finding.claim())
                .startsWith("While requests wait, less than 90.0% of the KV cache is in use for 66.7% of the time");
        assertThat(finding.advice()).contains("--schedule-conservativeness 0.3");
        assertThat(finding.evidence()).contains(count("readings with waiting requests", 3));
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void aFullCacheIsClean() {
        assertThat(clean(EngineCountersRule.TOKEN_USAGE, readings(new double[] {50, 60}, new double[] {0.92, 0.95})))
                .isEqualTo("while requests wait, the KV cache is full for 100.0% of the time");
    }

    @Test
    void withoutAQueueNobodyWaits() {
        assertThat(clean(EngineCountersRule.TOKEN_USAGE, readings(new double[] {0, 0}, new double[] {0.2, 0.2})))
                .isEqualTo("no request waits");
    }

    private static TimelineFixture counting(String name, double... values) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 60e6 * values.length, "serve");
        for (int i = 0; i < values.length; i++) {
            fixture.counter(name, 60e6 * i, values[i]);
        }
        return fixture;
    }

    @Test
    void requestsTakenBackAreReported() {
        Finding finding =
                found(EngineCountersRule.RETRACTIONS, counting("sglang:num_retracted_requests_total", 2, 5, 10));

        assertThat(finding.claim()).startsWith("SGLang retracted 8 requests, 4.0 a minute");
        assertThat(finding.advice()).contains("--schedule-conservativeness 1.3");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void theOlderGaugeCountsThoseOfEachPass() {
        assertThat(found(EngineCountersRule.RETRACTIONS, counting("sglang:num_retracted_reqs", 3, 0, 4))
                        .claim())
                .startsWith("SGLang retracted 7 requests, 3.5 a minute");
    }

    @Test
    void oneAMinuteIsClean() {
        assertThat(clean(EngineCountersRule.RETRACTIONS, counting("sglang:num_retracted_requests_total", 2, 3, 4)))
                .isEqualTo("2 requests were taken back");
    }

    @Test
    void freeMemoryBesideAFullCacheIsReported() {
        Finding finding = found(EngineCountersRule.FREE_MEMORY, memory(60, 80).counter("sglang:token_usage", 50, 0.97));

        assertThat(finding.claim()).contains("at least 18.6 GiB of every device's memory stay free");
        assertThat(finding.advice()).startsWith("Raise `--mem-fraction-static` by 0.15");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void littleFreeMemoryIsClean() {
        assertThat(clean(EngineCountersRule.FREE_MEMORY, memory(73, 80).counter("sglang:token_usage", 50, 0.97)))
                .isEqualTo("6.52 GiB of the fullest device's memory stay free");
    }

    @Test
    void aCacheWithRoomNeedsNoMore() {
        assertThat(clean(EngineCountersRule.FREE_MEMORY, memory(60, 80).counter("sglang:token_usage", 50, 0.5)))
                .isEqualTo("the KV cache has room, at most 50.0% of it are in use");
    }
}
