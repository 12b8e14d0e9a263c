package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UtilisationAgreesTest {
    @ParameterizedTest
    @CsvSource({"1.0, false", "0.75, false", "0.7, true", "0.5, true", "0.25, false"})
    void theDriversCountMustAgree(double counted, boolean passes) {
        TrustCheck check = check("utilisation-agrees", utilisation("0", counted, 5));

        assertThat(check.passed()).isEqualTo(passes);
        assertThat(check.withholds()).isEqualTo(!passes);
        assertThat(check.detail()).startsWith("of 5.00 s the driver counted device 0 busy for");
    }

    @Test
    void aBusyDeviceOfWhichNothingIsRecordedIsNoted() {
        TrustCheck check = check("utilisation-agrees", utilisation("1", 0.9, 5));

        assertThat(check.passed()).isFalse();
        assertThat(check.withholds()).as("it may be another program's").isFalse();
        assertThat(check.detail())
                .startsWith(
                        "of 5.00 s the driver counted device 1 busy for 90.0%, recorded are 0.0%: kernels are missing");
    }

    @Test
    void aCountOfADeviceThatIsNotKnownByTheProgramsNumberIsNotCompared() {
        TimelineFixture fixture = utilisation("0", 0.5, 5);
        for (int s = 0; s <= 5; s++) {
            fixture.counter(DeviceCounters.UTILISATION + "{nvml_index=\"3\"}", s * 1e6, 0.99);
        }

        assertThat(check("utilisation-agrees", fixture).passed()).isTrue();
    }

    @Test
    void aCountOfAMomentIsNotCompared() {
        assertThat(check("utilisation-agrees", utilisation("0", 1, 1)).detail())
                .isEqualTo("no utilisation counted by the driver is recorded for long enough");
    }

    /** A device that is half busy, and so many seconds of the driver's count of some device. */
    private static TimelineFixture utilisation(String device, double ratio, int seconds) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int s = 0; s < 6; s++) {
            fixture.kernel("7", s * 1e6, s * 1e6 + 5e5, "gemm");
        }
        for (int s = 0; s <= seconds; s++) {
            fixture.counter(DeviceCounters.key(DeviceCounters.UTILISATION, device), s * 1e6, ratio);
        }
        return fixture;
    }
}
