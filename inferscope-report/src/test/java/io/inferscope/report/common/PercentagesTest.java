package io.inferscope.report.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PercentagesTest {
    @Test
    void thirdsTotalOneHundred() {
        assertThat(Percentages.of(List.of(1L, 1L, 1L))).containsExactly("33.4%", "33.3%", "33.3%");
    }

    @Test
    void theMissingTenthGoesToThePartThatLostMost() {
        assertThat(Percentages.of(List.of(3_333L, 6_667L))).containsExactly("33.3%", "66.7%");
    }

    @Test
    void nothingDividesIntoZeros() {
        assertThat(Percentages.of(List.of(0L, 0L))).containsExactly("0.0%", "0.0%");
        assertThat(Percentages.of(List.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theyTotalOneHundredAndAreLessThanATenthOff(long seed) {
        Random random = new Random(seed);
        List<Long> parts = new ArrayList<>();
        for (int i = random.nextInt(30) + 1; i > 0; i--) {
            parts.add(random.nextLong(Long.MAX_VALUE >> random.nextInt(60)) + 1);
        }
        List<String> percentages = Percentages.of(parts);
        double sum = parts.stream().mapToDouble(Long::doubleValue).sum();
        long tenths = 0;
        for (int i = 0; i < parts.size(); i++) {
            long tenth = Long.parseLong(percentages.get(i).replace(".", "").replace("%", ""));
            assertThat(Math.abs(tenth - parts.get(i) / sum * 1_000)).isLessThan(1.000_001);
            tenths += tenth;
        }
        assertThat(tenths).isEqualTo(1_000);
    }
}
