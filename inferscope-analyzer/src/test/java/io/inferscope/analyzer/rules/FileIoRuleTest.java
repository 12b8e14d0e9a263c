package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class FileIoRuleTest {
    private final Rule rule = new FileIoRule();

    @Test
    void reportsTheTimeAndTheLine() {
        Finding finding = found(rule, waiting(60, 100).build());

        assertThat(finding.costNs()).isEqualTo(us(40));
        assertThat(finding.share()).isEqualTo(0.4);
        assertThat(finding.evidence())
                .filteredOn(Evidence.Place.class::isInstance)
                .extracting(e -> ((Evidence.Place) e).where())
                .contains("serve.py:7 step");
    }

    @Test
    void littleIsNotWorthAFinding() {
        assertThat(clean(rule, waiting(98, 100).build())).contains("2.0% of the window");
    }

    @Test
    void withoutAHostThreadItSaysNothing() {
        assertThat(notApplicable(
                        rule, TimelineFixture.blank().kernel("7", 0, 10, "gemm").build()))
                .contains("no host activity");
    }

    private static TimelineFixture waiting(double fromUs, double toUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .state("main", 0, fromUs, fromUs, 0, WaitReason.UNKNOWN)
                .state("main", fromUs, toUs, 0, 0, WaitReason.FILE_IO);
        return fixture.sample("main", 0, fromUs, "serve.py(7): step").sample("main", fromUs, toUs, "serve.py(7): step");
    }
}
