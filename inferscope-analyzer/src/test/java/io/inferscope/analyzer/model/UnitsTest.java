package io.inferscope.analyzer.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0                   | 0 ns
            1                   | 1 ns
            999                 | 999 ns
            1000                | 1.00 us
            9994                | 9.99 us
            9995                | 10.0 us
            99949               | 99.9 us
            99951               | 100 us
            999499              | 999 us
            999500              | 1.00 ms
            87400000            | 87.4 ms
            382970000           | 383 ms
            7610000000          | 7.61 s
            999499999999        | 999 s
            1000000000000       | 16.7 min
            5999000000000       | 100 min
            6000000000000       | 1.67 h
            9223372036854775807 | 2,562,048 h
            -87400000           | -87.4 ms
            """)
    void durationsHaveThreeSignificantDigits(long ns, String text) {
        assertThat(Units.duration(ns)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0             | 0 B
            1023          | 1,023 B
            1024          | 1.00 KiB
            1258291       | 1.20 MiB
            85899345920   | 80.0 GiB
            9e30          | 7,993,605,777,301,127 PiB
            """)
    void sizesAreBinary(double bytes, String text) {
        assertThat(Units.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            1.862e9  | bytes/s | 1.86 GB/s
            60       | count   | 60
            1234567  | count   | 1,234,567
            2.5      | count   | 2.50
            0.421    | ratio   | 42.1%
            50500    | ns      | 50.5 us
            4096     | bytes   | 4.00 KiB
            3        | °C      | 3 °C
            NaN      | ratio   | -
            Infinity | ns      | -
            1e20     | count   | 100,000,000,000,000,000,000
            """)
    void quantitiesReadInTheirUnit(double value, String unit, String text) {
        assertThat(Units.quantity(value, unit)).isEqualTo(text);
    }

    @Test
    void pointsAreGivenToTheMicrosecond() {
        assertThat(Units.point(1_100_000)).isEqualTo("1.100 ms");
        assertThat(Units.point(7_610_123_456L)).isEqualTo("7,610.123 ms");
        assertThat(Units.point(-500)).isEqualTo("-0.001 ms");
    }

    @Test
    void whatWasNotRecordedIsADash() {
        assertThat(Units.durationIfRecorded(null)).isEqualTo("-");
        assertThat(Units.durationIfRecorded(0L)).isEqualTo("0 ns");
    }

    @Test
    void fixedRoundsAsTheExactValueDoes() {
        Random random = new Random(20_241);
        for (int i = 0; i < 200_000; i++) {
            int decimals = i % 4;
            // Of every kind: any size, few digits, and beside the middle between two results.
            double value = switch (i % 3) {
                case 0 -> random.nextDouble() * Math.pow(10, random.nextInt(24) - 6);
                case 1 -> random.nextInt(2_000_000) / 1_000.0;
                default -> (random.nextInt(100_000) + 0.5) / Math.pow(10, decimals);
            };
            double near =
                    random.nextBoolean() ? value : random.nextBoolean() ? Math.nextUp(value) : Math.nextDown(value);
            double signed = random.nextBoolean() ? near : -near;
            String exact = new BigDecimal(signed)
                    .setScale(decimals, RoundingMode.HALF_UP)
                    .toPlainString();
            assertThat(Units.fixed(signed, decimals).replace(",", "")).isEqualTo(exact);
        }
    }
}
