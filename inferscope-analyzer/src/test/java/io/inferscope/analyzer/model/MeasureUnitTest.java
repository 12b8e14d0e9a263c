package io.inferscope.analyzer.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeasureUnitTest {
    @ParameterizedTest
    @CsvSource({
        "RATIO, 15%, 0.15",
        "RATIO, 7 %, 0.07",
        "RATIO, 0.4, 0.4",
        "RATIO, 100%, 1",
        "NS, 20us, 20000",
        "NS, 1.5 ms, 1500000",
        "NS, 2s, 2e9",
        "NS, 1min, 6e10",
        "NS, 250, 250",
        "BYTES, 64MiB, 67108864",
        "BYTES, 1kB, 1000",
        "BYTES, 1e9, 1e9",
        "BYTES_PER_SECOND, 12GB/s, 1.2e10",
        "COUNT, 3.5, 3.5",
        "COUNT, 70%, 0.7"
    })
    void amountsAreReadAsPeopleWriteThem(MeasureUnit unit, String text, double value) {
        assertThat(unit.parse(text)).hasValue(value);
    }

    @ParameterizedTest
    @CsvSource({
        "RATIO, 15",
        "RATIO, 101%",
        "RATIO, 5us",
        "RATIO, -1%",
        "NS, 5MiB",
        "NS, 5%",
        "NS, fast",
        "NS, 1 2",
        "NS, NaN",
        "BYTES, 5ms",
        "BYTES_PER_SECOND, 5GB",
        "COUNT, 5s",
        "COUNT, ''",
        "COUNT, 9999999999999999999999"
    })
    void whatIsNoAmountOfTheUnitIsRefused(MeasureUnit unit, String text) {
        assertThat(unit.parse(text)).isEmpty();
    }
}
