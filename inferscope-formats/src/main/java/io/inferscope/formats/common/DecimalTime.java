package io.inferscope.formats.common;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Decimal amounts of time to integer nanoseconds without floating point; what is below a nanosecond is rounded half to even. */
public final class DecimalTime {
    /** Not a finite number, or beyond {@link #MAX_NS}. */
    public static final long INVALID = Long.MIN_VALUE;

    /** Stamps beyond 2^62 ns (the year 2116 as Unix time) are damage, and sums of two stay inside a long. */
    public static final long MAX_NS = 1L << 62;

    private static final int MAX_CHARS = 64;

    private DecimalTime() {}

    /** Returns the ns that {@code text} says in units of 10^{@code power} ns, or {@link #INVALID}. */
    public static long ns(String text, int power) {
        if (text.isEmpty() || text.length() > MAX_CHARS) {
            return INVALID;
        }
        try {
            BigDecimal amount = new BigDecimal(text);
            long integerDigits = (long) amount.precision() - amount.scale() + power;
            if (amount.signum() == 0 || integerDigits < 0) {
                return 0;
            }
            long ns = integerDigits > 19
                    ? INVALID
                    : amount.movePointRight(power)
                            .setScale(0, RoundingMode.HALF_EVEN)
                            .longValueExact();
            return ns > MAX_NS || ns < -MAX_NS ? INVALID : ns;
        } catch (NumberFormatException notANumber) {
            return INVALID;
        } catch (ArithmeticException outOfRange) {
            return INVALID;
        }
    }
}
