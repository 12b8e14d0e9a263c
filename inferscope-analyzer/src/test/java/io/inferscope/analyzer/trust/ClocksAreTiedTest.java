package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertNoted;
import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClocksAreTiedTest {
    @ParameterizedTest
    @CsvSource({"7, true", "8, false", "9, false"})
    void gapsThatClocksCannotPlaceWithhold(long errorUs, boolean passes) {
        TimelineFixture gaps = TimelineFixture.drawing("""
                us           0         10        20        30        40
                thread main  LL.................LL.......................
                stream 7     ..KKKKKKKKK........KKKKKKKKKKKKKKKK
                links in order
                """);
        gaps.builder().clockDomain(new ClockDomain("cupti", 4, errorUs * 1_000));
        Analysis analysis =
                Analysis.of(gaps.build(), Thresholds.defaults().with(Map.of(KernelsFollowTheirLaunch.SKEW, 1.0)));
        TrustCheck check = TrustGate.check(analysis).stream()
                .filter(c -> c.check().equals("clocks-are-tied"))
                .findFirst()
                .orElseThrow();

        assertThat(check.passed()).isEqualTo(passes);
        assertThat(check.withholds()).isEqualTo(!passes);
        assertThat(check.detail()).contains("clocks are tied to within " + errorUs);
    }

    @ParameterizedTest
    @CsvSource({
        "0.12, 0, '100 of 100 kernels are shorter than 200 ns: stamps are not in microseconds'",
        "1000, 1000000, '100 of 100 kernels are shorter than 2.00 ms, and all stamps are multiples of 1.00 ms'",
    })
    void stampsThatAreCoarseOrOfAnotherUnitWithhold(double kernelUs, String stepNs, String detail) {
        TimelineFixture fixture = TimelineFixture.blank().property(TimelineInfo.STAMP_STEP, stepNs);
        for (int i = 0; i < 100; i++) {
            fixture.kernel("7", 2_000 * i, 2_000 * i + kernelUs, "gemm");
        }

        assertWithholds(check("clocks-are-tied", fixture), detail);
    }

    @Test
    void aLargeErrorOfOneOfSeveralRecordingsIsNoted() {
        assertNoted(
                check("clocks-are-tied", sources("2000000")),
                "clocks are tied to within 2.00 ms; idle gaps no longer than that take 0.0% of the span");
        assertThat(check("clocks-are-tied", sources("900000")).passed()).isTrue();
        assertThat(check("clocks-are-tied", sources("-1")).detail())
                .isEqualTo("no recorder states an error of its clock");
    }

    @Test
    void anErrorOfFivePercentOfTheWindowWithholds() {
        assertWithholds(check("clocks-are-tied", sources("6000000")), "clocks are tied to within 6.00 ms");
    }

    private static TimelineFixture sources(String errorNs) {
        return TimelineFixture.blank()
                .kernel("7", 10, 100_000, "gemm")
                .launchedBy("main", 0, 1)
                .property("source.0.name", "a.json")
                .property("source.0.error_bound_ns", "0")
                .property("source.1.name", "b.json")
                .property("source.1.error_bound_ns", errorNs);
    }
}
