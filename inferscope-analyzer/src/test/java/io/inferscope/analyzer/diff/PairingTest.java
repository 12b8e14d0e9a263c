package io.inferscope.analyzer.diff;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.diff.Pairing.Pair;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PairingTest {
    @Test
    void sameNamesArePairedAndOthersStandAlone() {
        assertThat(Pairing.of(map("a", 1, "gone", 2), map("a", 3, "new", 4)))
                .containsExactlyInAnyOrder(
                        new Pair<>("a", "", 1, 3), new Pair<>("new", "", null, 4), new Pair<>("gone", "", 2, null));
    }

    @Test
    void aGeneratedNameIsFoundAgainUnderItsNewNumbers() {
        assertThat(Pairing.of(map("triton_poi_fused_add_3", 1), map("triton_poi_fused_add_7", 2)))
                .containsExactly(new Pair<>("triton_poi_fused_add_7", "triton_poi_fused_add_3", 1, 2));
    }

    @Test
    void whatCouldBeSeveralIsNotGuessed() {
        assertThat(Pairing.of(map("gemm_128", 1, "gemm_64", 2), map("gemm_256", 3)))
                .containsExactlyInAnyOrder(
                        new Pair<>("gemm_256", "", null, 3),
                        new Pair<>("gemm_128", "", 1, null),
                        new Pair<>("gemm_64", "", 2, null));
    }

    @Test
    void aNameThatIsOnBothSidesIsNeverGivenAway() {
        assertThat(Pairing.of(map("k_1", 1, "k_2", 2), map("k_1", 3, "k_3", 4)))
                .containsExactlyInAnyOrder(new Pair<>("k_1", "", 1, 3), new Pair<>("k_3", "k_2", 2, 4));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "void at::native::elementwise<4, at::Add<float>>(int, float*); void at::native::elementwise",
                "triton_poi_fused_3; triton_poi_fused_#",
                "ampere_sgemm_128x64_tn; ampere_sgemm_#x#_tn",
                "<lambda>; <lambda>",
                "operator()(int); operator",
                "a > b; a > b"
            })
    void likenessLeavesOutWhatShapesChange(String name, String likeness) {
        assertThat(StableNames.likeness(name)).isEqualTo(likeness);
    }

    @Test
    void linesMoveAndTurnsAreNumbered() {
        assertThat(StableNames.ofPlace("model.py:31 forward")).isEqualTo("model.py forward");
        assertThat(StableNames.ofAnnotation("ProfilerStep#12")).isEqualTo("ProfilerStep#");
    }

    private static Map<String, Integer> map(Object... keysAndValues) {
        Map<String, Integer> map = new TreeMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], (Integer) keysAndValues[i + 1]);
        }
        return map;
    }
}
