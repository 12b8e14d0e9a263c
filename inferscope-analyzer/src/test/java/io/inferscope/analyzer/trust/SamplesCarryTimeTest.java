package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SamplesCarryTimeTest {
    @Test
    void samplesWithoutTheTimeBetweenThemAreTold() {
        TrustCheck packed = check(
                "samples-carry-time",
                TimelineFixture.blank().sample("main", 0, 10, "a.py(1): f").property("samples_axis", "packed"));
        TrustCheck counted = check(
                "samples-carry-time",
                TimelineFixture.blank()
                        .sample("main", 0, 10, "a.py(1): f")
                        .property("samples_axis", "packed")
                        .property("samples_assumed_period_ns", "10000000"));

        assertThat(packed.passed()).isFalse();
        assertThat(packed.withholds()).isFalse();
        assertThat(packed.detail()).contains("the length of the timeline is time at work");
        assertThat(counted.detail()).contains("each is taken for 10.0 ms, and only shares can be relied on");
    }
}
