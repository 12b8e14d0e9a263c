package io.inferscope.timeline.traceevent;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Decimal microseconds to integer nanoseconds without floating point. A double holds 53 bits, and a Unix time in nanoseconds needs 61.
 * Digits below a nanosecond are rounded half to even.
 */
public final class FixedPoint {
    /** Not a finite number, or out of the range of a long. */
    public static final long INVALID = Long.MIN_VALUE;

    private static final int MAX_PLAIN_DIGITS = 15;

    private FixedPoint() {}

    /** Returns the nanoseconds that {@code text[offset, offset + length)} says in decimal microseconds, or {@link #INVALID}. */
    public static long nanosFromMicros(char[] text, int offset, int length) {
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
        int fraction = 0;
        if (i < end && text[i] == '.') {
            i++;
            while (i < end && isDigit(text[i]) && fraction < 3) {
                value = value * 10 + (text[i++] - '0');
                fraction++;
            }
        }
        if (i < end) {
            return general(text, offset, length);
        }
        for (; fraction < 3; fraction++) {
            value *= 10;
        }
        return negative ? -value : value;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** More digits than fit, digits below a nanosecond, an exponent: rare and slow, or no number at all. */
    private static long general(char[] text, int offset, int length) {
        if (length > 64) {
            return INVALID;
        }
        try {
            BigDecimal micros = new BigDecimal(text, offset, length);
            long integerDigits = (long) micros.precision() - micros.scale();
            if (micros.signum() == 0 || integerDigits < -18) {
                return 0;
            }
            if (integerDigits > 18) {
                return INVALID;
            }
            return micros.movePointRight(3).setScale(0, RoundingMode.HALF_EVEN).longValueExact();
        } catch (NumberFormatException notANumber) {
            return INVALID;
        } catch (ArithmeticException outOfRange) {
            return INVALID;
        }
    }
}
