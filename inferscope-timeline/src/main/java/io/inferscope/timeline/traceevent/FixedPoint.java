package io.inferscope.timeline.traceevent;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;

/**
 * Converts decimal microseconds to integer nanoseconds without floating point. A double holds 53 bits, and a Unix time
 * in nanoseconds needs 61. Digits below a nanosecond are rounded half to even.
 */
public final class FixedPoint {
    /** Not a finite number, or out of the range of a long. */
    public static final long INVALID = Long.MIN_VALUE;

    /** So many digits hold Unix times in microseconds. */
    static final int MAX_PLAIN_DIGITS = 16;

    /** More microseconds may exceed a long in nanoseconds. */
    static final long MAX_PLAIN_MICROS = Long.MAX_VALUE / 1000 - 1;

    private static final int MAX_LONG_DIGITS = 19;
    private static final int MAX_CHARS = 64;

    private FixedPoint() {}

    /** Parses decimal microseconds; returns nanoseconds, or {@link #INVALID}. */
    public static long nanosFromMicros(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return nanosFromMicros(bytes, 0, bytes.length);
    }

    /**
     * Parses decimal microseconds in {@code text[offset, offset + length)}, in UTF-8; returns nanoseconds, or
     * {@link #INVALID}.
     */
    static long nanosFromMicros(byte[] text, int offset, int length) {
        int i = offset;
        int end = offset + length;
        boolean negative = i < end && text[i] == '-';
        i += negative ? 1 : 0;
        int firstDigit = i;
        long value = 0;
        while (i < end && isDigit(text[i]) && i - firstDigit < MAX_PLAIN_DIGITS) {
            value = value * 10 + (text[i++] - '0');
        }
        if (i == firstDigit) {
            return INVALID;
        }
        if (value > MAX_PLAIN_MICROS) {
            return nanos(new String(text, offset, length, StandardCharsets.UTF_8), 3);
        }
        int fraction = 0;
        if (i < end && text[i] == '.') {
            i++;
            while (i < end && isDigit(text[i]) && fraction < 3) {
                value = value * 10 + (text[i++] - '0');
                fraction++;
            }
        }
        for (; fraction < 3; fraction++) {
            value *= 10;
        }
        if (i < end) {
            int digitsEnd = i;
            while (digitsEnd < end && isDigit(text[digitsEnd])) {
                digitsEnd++;
            }
            boolean belowNanos = digitsEnd == end
                    && text[i - 1] != '.'
                    && digitsEnd - firstDigit < 64
                    && hasPoint(text, firstDigit, i);
            if (!belowNanos) {
                return nanos(new String(text, offset, length, StandardCharsets.UTF_8), 3);
            }
            value += roundsUp(text, i, end, value) ? 1 : 0;
        }
        return negative ? -value : value;
    }

    private static boolean hasPoint(byte[] text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (text[i] == '.') {
                return true;
            }
        }
        return false;
    }

    /** Half to even, by the digits below a nanosecond. */
    private static boolean roundsUp(byte[] text, int from, int end, long value) {
        if (text[from] != '5') {
            return text[from] > '5';
        }
        for (int i = from + 1; i < end; i++) {
            if (text[i] != '0') {
                return true;
            }
        }
        return (value & 1) != 0;
    }

    private static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }

    /**
     * Parses a number in units of 10^{@code power} ns, which may have an exponent; returns nanoseconds, or
     * {@link #INVALID}. Slow.
     */
    public static long nanos(String text, int power) {
        if (text.length() > MAX_CHARS) {
            return INVALID;
        }
        try {
            BigDecimal amount = new BigDecimal(text);
            long integerDigits = (long) amount.precision() - amount.scale() + power;
            if (amount.signum() == 0 || integerDigits < 0) {
                return 0;
            }
            return integerDigits > MAX_LONG_DIGITS
                    ? INVALID
                    : amount.movePointRight(power)
                            .setScale(0, RoundingMode.HALF_EVEN)
                            .longValueExact();
        } catch (NumberFormatException notANumber) {
            return INVALID;
        } catch (ArithmeticException outOfRange) {
            return INVALID;
        }
    }
}
