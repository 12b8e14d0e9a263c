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

/** What every rule about one kind of a host thread's time holds to; a rule's own test says which time that is. */
abstract class HostTimeRuleContract {
    private final Rule rule;
    private final int cleanPercent;

    /** Takes the rule, and a share of the window that it finds too small, in percent. */
    HostTimeRuleContract(Rule rule, int cleanPercent) {
        this.rule = rule;
        this.cleanPercent = cleanPercent;
    }

    /** Lets the main thread spend that time in the way that the rule is about; it is in {@code step} of serve.py meanwhile. */
    abstract TimelineFixture spend(TimelineFixture fixture, double fromUs, double toUs);

    @Test
    void reportsTheTimeAndTheLine() {
        Finding finding = found(rule, spending(60).build());

        assertThat(finding.costNs()).isEqualTo(us(40));
        assertThat(finding.share()).isEqualTo(0.4);
        assertThat(finding.evidence())
                .filteredOn(Evidence.Place.class::isInstance)
                .extracting(e -> ((Evidence.Place) e).where())
                .contains("serve.py:7 step");
    }

    @Test
    void littleIsNotWorthAFinding() {
        assertThat(clean(rule, spending(100 - cleanPercent).build())).contains(cleanPercent + ".0% of the window");
    }

    @Test
    void withoutAHostThreadItSaysNothing() {
        assertThat(notApplicable(
                        rule, TimelineFixture.blank().kernel("7", 0, 10, "gemm").build()))
                .contains("no host activity");
    }

    private TimelineFixture spending(double fromUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .state("main", 0, fromUs, fromUs, 0, WaitReason.UNKNOWN);
        return spend(fixture, fromUs, 100)
                .sample("main", 0, fromUs, "serve.py(7): step")
                .sample("main", fromUs, 100, "serve.py(7): step");
    }
}
