package io.inferscope.analyzer.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.analyzer.model.MeasureUnit;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ThresholdsTest {
    static Set<String> keys() {
        return Thresholds.keys();
    }

    @ParameterizedTest
    @MethodSource("keys")
    void everyDefaultCanBeSaidInAFile(String key) {
        double value = Thresholds.defaults().get(key);

        assertThat(Thresholds.unit(key).parse(Double.toString(value))).hasValue(value);
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
        assertThat(Thresholds.keys()).contains(key);
        assertThat(Thresholds.unit(key)).isEqualTo(unit);
    }

    @Test
    void whatIsSetChangesAndTheRestStays() {
        Thresholds set = Thresholds.defaults().with(Map.of("gpu-idle.share", 0.5));

        assertThat(set.get("gpu-idle.share")).isEqualTo(0.5);
        assertThat(set.get("verdict.gpu.share")).isEqualTo(Thresholds.defaults().get("verdict.gpu.share"));
        assertThat(Thresholds.defaults().get("gpu-idle.share")).isNotEqualTo(0.5);
    }

    @Test
    void anUnknownKeyIsAnError() {
        assertThatThrownBy(() -> Thresholds.defaults().with(Map.of("gpu-idle.shre", 0.5)))
                .hasMessageContaining("gpu-idle.shre");
        assertThatThrownBy(() -> Thresholds.defaults().get("gpu-idle.shre"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
