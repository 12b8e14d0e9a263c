package io.inferscope.timeline.traceevent;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FixedPointTest {
    private static long nanos(String micros) {
        return FixedPoint.nanosFromMicros(micros);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "1, 1000",
        "-1, -1000",
        "0.001, 1",
        "0.12, 120",
        "-0.123, -123",
        "5.5, 5500",
        // Half to even, both ways and both signs.
        "0.0005, 0",
        "0.0015, 2",
        "0.0025, 2",
        "0.00250000001, 3",
        "-0.0005, 0",
        "-0.0015, -2",
        "1.2344999, 1234",
        "1.2345, 1234",
        "1.2355, 1236",
        // Exponents.
        "1e3, 1000000",
        "1E+3, 1000000",
        "1.5e-3, 2",
        "2.5e-3, 2",
        "1e-30, 0",
        "-1e-30, 0",
        "0e30, 0",
        "0e-30, 0",
        "1e-999999999, 0",
        "0.000000000000000000000000000000000000004, 0",
        "9.2e12, 9200000000000000",
        // Unix time: a double would round these to a multiple of 256 ns.
        "1790000000123456.789, 1790000000123456789",
        "1790000000123456.7895, 1790000000123456790",
        "1790000000123456, 1790000000123456000",
        "9007199254740993, 9007199254740993000",
        "9007199254740993.001, 9007199254740993001",
        "9223372036854775.807, 9223372036854775807",
        "-9223372036854775.807, -9223372036854775807",
    })
    void microsecondsBecomeNanosecondsExactly(String micros, long expectedNs) {
        assertThat(nanos(micros)).isEqualTo(expectedNs);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                ".",
                "+",
                "-.",
                "NaN",
                "Infinity",
                "-Infinity",
                "null",
                "1,5",
                "1 ",
                " 1",
                "1e",
                "1.2.3",
                "0x10",
                "12us",
                "--1",
                "1e99999999999",
                "1e999999999",
                "1e19",
                "9223372036854775.808",
                "-9223372036854775.809",
                "99999999999999999999"
            })
    void whatIsNoNumberOrTooLargeIsInvalid(String micros) {
        assertThat(nanos(micros)).isEqualTo(FixedPoint.INVALID);
    }

    @Test
    void onlyTheNamedPartOfTheArrayIsRead() {
        byte[] text = "xx-12.5yy".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

        assertThat(FixedPoint.nanosFromMicros(text, 2, 5)).isEqualTo(-12_500);
        assertThat(FixedPoint.nanosFromMicros(text, 3, 2)).isEqualTo(12_000);
    }

    @Test
    void aNumberOfThousandsOfDigitsIsInvalidAndNotSlow() {
        assertThat(nanos("9".repeat(100_000))).isEqualTo(FixedPoint.INVALID);
        assertThat(nanos("1e" + "9".repeat(50))).isEqualTo(FixedPoint.INVALID);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void everyNumberEqualsBigDecimal(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            String text = number(random);
            assertThat(nanos(text)).as(text).isEqualTo(reference(text));
        }
    }

    private static String number(Random random) {
        StringBuilder text = new StringBuilder(random.nextBoolean() ? "-" : "");
        digits(text, random, 1 + random.nextInt(18));
        if (random.nextInt(3) > 0) {
            digits(text.append('.'), random, 1 + random.nextInt(7));
        }
        if (random.nextInt(4) == 0) {
            text.append(random.nextBoolean() ? 'e' : 'E').append(random.nextInt(41) - 20);
        }
        return text.toString();
    }

    /** Fives and zeros often, so that halves occur. */
    private static void digits(StringBuilder text, Random random, int count) {
        for (int i = 0; i < count; i++) {
            text.append("0123456789550005".charAt(random.nextInt(16)));
        }
    }

    private static long reference(String text) {
        try {
            return new BigDecimal(text)
                    .movePointRight(3)
                    .setScale(0, RoundingMode.HALF_EVEN)
                    .longValueExact();
        } catch (ArithmeticException outOfRange) {
            return FixedPoint.INVALID;
        }
    }
}
