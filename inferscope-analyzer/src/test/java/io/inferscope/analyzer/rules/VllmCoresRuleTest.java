package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class VllmCoresRuleTest {
    private final Rule rule = new VllmCoresRule();

    private static TimelineFixture serving() {
        return TimelineFixture.blank().scope("main", 0, 100, "serve");
    }

    private static TimelineFixture limited(String cores) {
        return serving()
                .property("process.10.role", "vllm engine core")
                .property("process.11.role", "vllm worker")
                .property("process.12.role", "vllm worker")
                .property("run.host.cgroup.cpu_limit_cores", cores);
    }

    @Test
    void fewerCoresThanBusyProcessesAreReported() {
        Finding finding = found(rule, limited("3.00"));

        assertThat(finding.claim())
                .startsWith("The server may use 3.00 CPU cores and has 4 processes that are busy all the time");
        assertThat(finding.advice()).contains("--cpus=4");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void enoughCoresAreClean() {
        assertThat(clean(rule, limited("4.00"))).isEqualTo("4.00 cores suffice for 4 busy processes");
    }

    @Test
    void withoutALimitNothingIsSaid() {
        assertThat(notApplicable(rule, serving().property("process.10.role", "vllm engine core")))
                .startsWith("how many cores the program may use");
    }

    @Test
    void otherProgramsAreNotMeant() {
        assertThat(notApplicable(rule, serving())).isEqualTo("no process of vLLM is recorded");
    }
}
