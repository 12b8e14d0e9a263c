package io.inferscope.analyzer.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.MeasureUnit;
import java.util.Collection;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class KnownThresholdsTest {
    static Collection<Threshold> all() {
        return KnownThresholds.byKey().values();
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyDefaultCanBeSaidInAFile(Threshold threshold) {
        assertThat(threshold.unit().parse(Double.toString(threshold.value()))).hasValue(threshold.value());
        assertThat(threshold.doc()).isNotBlank();
    }

    @ParameterizedTest
    @CsvSource({
        "gpu-idle.share, RATIO",
        "trust.profiler.noted-share, RATIO",
        "launch-bound.kernel-ns, NS",
        "trust.first-operation.ns, NS",
        "memory-pressure.swapped-bytes, BYTES",
        "pcie-saturation.link-bytes-per-second, BYTES_PER_SECOND",
        "cpu-oversubscription.ratio, COUNT",
        "steady.steps, COUNT"
    })
    void theEndOfAKeySaysItsUnit(String key, MeasureUnit unit) {
        assertThat(threshold(key).unit()).isEqualTo(unit);
    }

    @Test
    void theThresholdsOfRulesBeginWithTheirIdUnlessSeveralShareThem() {
        assertThat(Rules.ALL)
                .allSatisfy(rule -> assertThat(rule.info().thresholds())
                        .allSatisfy(threshold -> assertThat(threshold.key())
                                .matches("(?:" + rule.info().id() + "|utilisation|low-utilisation|clocks|eager-decode"
                                        + "|pageable-copies|sglang-token-usage|verdict)[.].+")));
    }

    @Test
    void whatIsSetChangesAndTheRestStays() {
        Thresholds set = Thresholds.defaults().with(Map.of(threshold("gpu-idle.share"), 0.5));

        assertThat(set.get(threshold("gpu-idle.share"))).isEqualTo(0.5);
        assertThat(set.get(Thresholds.GPU_BOUND)).isEqualTo(Thresholds.GPU_BOUND.value());
        assertThat(Thresholds.defaults().get(threshold("gpu-idle.share"))).isEqualTo(0.05);
    }

    private static Threshold threshold(String key) {
        Threshold threshold = KnownThresholds.byKey().get(key);
        assertThat(threshold).as(key).isNotNull();
        return threshold;
    }
}
