package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SamplesTellWaitingTest {
    @Test
    void idleSamplesOfPythonFramesAloneWithholdTheVerdict() {
        TimelineFixture idle = TimelineFixture.blank()
                .sample("main", 0, 80, "a.py(1): f")
                .sample("other", 0, 20, "a.py(1): g", "threading.py(320): wait");
        TrustCheck check = check("samples-tell-waiting", idle);

        assertThat(check.passed()).isFalse();
        assertThat(check.withholds()).isTrue();
        assertThat(check.detail()).startsWith("20.0% of the sampled time is waiting");
        assertThat(check("samples-tell-waiting", idle.sample("main", 80, 90, "a.py(1): f", "nanosleep [libc.so.6]"))
                        .passed())
                .isTrue();
        assertThat(check(
                                "samples-tell-waiting",
                                TimelineFixture.blank()
                                        .sample("main", 0, 95, "a.py(1): f")
                                        .sample("other", 0, 5, "threading.py(320): wait"))
                        .passed())
                .isTrue();
    }
}
