package io.inferscope.timeline.traceevent;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Reads bytes as numbers of a trace, in every way that there is. Jazzer calls it: {@code lab/fuzz}. */
public final class NumberTarget {
    private static final int MOST_BYTES = 64;
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]+(?:\\.[0-9]*)?(?:[eE][+-]?[0-9]+)?");
    private static final Pattern INTEGER = Pattern.compile("-?(?:0|[1-9][0-9]*)");

    private static final ByteWindow WINDOW = new ByteWindow(MOST_BYTES);
    private static final JsonCursor CURSOR = new JsonCursor();

    private NumberTarget() {}

    /** Throws where a number is read as another one than {@link BigDecimal} says, or a reader passes what it was given. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        if (input.length > MOST_BYTES) {
            return;
        }
        String text = new String(input, StandardCharsets.ISO_8859_1);
        long expected = DECIMAL.matcher(text).matches() ? nanos(text) : FixedPoint.INVALID;
        long read = FixedPoint.nanosFromMicros(input, 0, input.length);
        if (read != expected && ascii(input)) {
            throw new AssertionError("'" + text + "' is " + read + ", not " + expected);
        }
        inDocument(input, text);
    }

    private static void inDocument(byte[] input, String text) throws IOException {
        WINDOW.reset(new ByteArrayInputStream(input), 0);
        WINDOW.more(0);
        try {
            long nanos = at(0).nanosFromMicros();
            String passed = text.substring(0, within(input)).strip();
            if (DECIMAL.matcher(passed).matches() && nanos != nanos(passed)) {
                throw new AssertionError("'" + passed + "' is " + nanos + " in a document, not " + nanos(passed));
            }
        } catch (JsonCursor.Stop notANumber) {
            within(input);
        }
        try {
            long integer = at(0).integer();
            String passed = text.substring(0, within(input)).strip();
            if (INTEGER.matcher(passed).matches()
                    && passed.length() <= 20
                    && integer != new BigInteger(passed).longValue()) {
                throw new AssertionError("'" + passed + "' is the integer " + integer + " in a document");
            }
        } catch (JsonCursor.Stop notANumber) {
            within(input);
        }
        try {
            at(0).skip();
            within(input);
        } catch (JsonCursor.Stop notAValue) {
            within(input);
        }
    }

    private static JsonCursor at(int position) {
        CURSOR.reset(WINDOW, position);
        return CURSOR;
    }

    /** Returns where the cursor is. */
    private static int within(byte[] input) {
        if (CURSOR.position() > input.length) {
            throw new AssertionError("the cursor is at " + CURSOR.position() + " of " + input.length + " bytes");
        }
        return CURSOR.position();
    }

    private static long nanos(String text) {
        try {
            BigDecimal amount = new BigDecimal(text);
            long digits = (long) amount.precision() - amount.scale() + 3;
            if (amount.signum() == 0 || digits < 0) {
                return 0;
            }
            return digits > 19
                    ? FixedPoint.INVALID
                    : amount.movePointRight(3)
                            .setScale(0, RoundingMode.HALF_EVEN)
                            .longValueExact();
        } catch (ArithmeticException | NumberFormatException outOfRange) {
            return FixedPoint.INVALID;
        }
    }

    /** {@link BigDecimal} takes digits of other scripts, too. */
    private static boolean ascii(byte[] input) {
        for (byte b : input) {
            if (b < 0) {
                return false;
            }
        }
        return true;
    }
}
