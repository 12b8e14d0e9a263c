package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class FragmentedKernelsRuleTest {
    private final Rule rule = new FragmentedKernelsRule();

    private static Timeline kernels(int count, double lengthUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < count; i++) {
            fixture.kernel("7", 20.0 * i + 5, 20.0 * i + 5 + lengthUs, "add")
                    .launchedBy("main", 20.0 * i, 20.0 * i + 3);
        }
        return fixture.build();
    }

    @Test
    void smallKernelsLaunchedOverAndOverAreFragmented() {
        Finding finding = found(rule, kernels(100, 5));

        assertThat(finding.claim())
                .startsWith("1 small kernels are launched 100 times, 5.00 us each: 500 us, 25.2% of the span.");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void fewOrLongKernelsAreNot() {
        String none = "small kernels launched often take 0.0% of the span";
        assertThat(clean(rule, kernels(99, 5))).isEqualTo(none);
        assertThat(clean(rule, kernels(100, 10))).isEqualTo(none);
    }

    @Test
    void nodesOfGraphsCostNoLaunches() {
        TimelineFixture fixture = TimelineFixture.blank().graphLaunch("main", 0, 4);
        for (int i = 0; i < 100; i++) {
            fixture.kernel("7", 5 + 2.0 * i, 6 + 2.0 * i, "add").replayed();
        }

        assertThat(clean(rule, fixture)).isEqualTo("small kernels launched often take 0.0% of the span");
    }
}
