package io.inferscope.analyzer.model;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/**
 * Numbers as people read them: three significant digits, a unit, a decimal point, never in scientific notation, the
 * same in every locale.
 */
public final class Units {
    private static final String[] TIME = {"ns", "us", "ms", "s"};
    private static final String[] SIZE = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    private static final String[] RATE = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
    private static final String[] FLOPS = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
    private static final String[] FLOPS_RATE = {"FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"};

    /** Below this, digits with three decimals fit into a long. */
    private static final double MOST = 1e15;

    private static final int[] POWERS = {1, 10, 100, 1_000};

    /** Marks a number that was not recorded. */
    public static final String ABSENT = "-";

    private Units() {}

    /** Returns {@code LOW to HIGH}, or one of them if they read the same. */
    public static String interval(String low, String high) {
        return low.equals(high) ? low : low + " to " + high;
    }

    /** Returns {@code 87.4 ms}; from 1,000 s on minutes, from 100 min on hours. */
    public static String duration(long ns) {
        double seconds = ns / 1e9;
        if (Math.abs(seconds) >= 6_000) {
            return significant(seconds / 3_600) + " h";
        }
        return Math.abs(seconds) >= 999.5 ? significant(seconds / 60) + " min" : scaled((double) ns, 1_000, TIME);
    }

    /** Returns {@link #duration}, or a dash for a time that was not recorded. */
    public static String durationIfRecorded(@Nullable Long ns) {
        return ns == null ? ABSENT : duration(ns);
    }

    /** Returns the number, or null if it is not a number. */
    public static @Nullable Double ifNumber(double value) {
        return Double.isNaN(value) ? null : value;
    }

    /** Returns a point in time, relative to the window's start, to the microsecond: {@code 1,234.567 ms}. */
    public static String point(long ns) {
        long rest = ns % 1_000;
        long us = ns / 1_000 + (rest >= 500 ? 1 : rest <= -500 ? -1 : 0);
        return decimal(us, 3) + " ms";
    }

    /** Returns a size in binary units, {@code 1.20 MiB}. */
    public static String bytes(double bytes) {
        return scaled(bytes, 1_024, SIZE);
    }

    /** Returns a size in binary units, {@code 1.20 MiB}. */
    public static String bytes(long bytes) {
        return bytes((double) bytes);
    }

    /** Returns a rate in decimal units, as buses and memories are specified: {@code 12.3 GB/s}. */
    public static String rate(double bytesPerSecond) {
        return scaled(bytesPerSecond, 1_000, RATE);
    }

    /** Returns an amount of floating-point operations, {@code 2.42 GFLOP}. */
    public static String flops(double flops) {
        return scaled(flops, 1_000, FLOPS);
    }

    /** Returns floating-point operations per second as data sheets give them: {@code 312 TFLOP/s}. */
    public static String flopsRate(double flopsPerSecond) {
        return scaled(flopsPerSecond, 1_000, FLOPS_RATE);
    }

    /** Returns a ratio in percent with one decimal, {@code 35.7%}. */
    public static String percent(double ratio) {
        return Double.isFinite(ratio) ? fixed(ratio * 100, 1) + "%" : ABSENT;
    }

    /** Returns a change in percent with its sign, {@code +35.7%}. */
    public static String change(double ratio) {
        return (ratio > 0 ? "+" : "") + percent(ratio);
    }

    /** Returns a count with thousands separated, {@code 1,234}. */
    public static String count(long count) {
        return grouped(Long.toString(count));
    }

    /**
     * Returns a number with its unit: {@code count}, {@code ns}, {@code bytes}, {@code bytes/s} or {@code ratio}; any
     * other is appended.
     */
    public static String quantity(double value, String unit) {
        if (!Double.isFinite(value)) {
            return ABSENT;
        }
        return switch (unit) {
            case "count" -> plain(value);
            case "ns" -> duration(Math.round(value));
            case "bytes" -> bytes(value);
            case "bytes/s" -> rate(value);
            case "ratio" -> percent(value);
            default -> (plain(value) + " " + unit).strip();
        };
    }

    /**
     * Returns {@code value}, which must be finite, with exactly {@code decimals} decimals and thousands separated;
     * halves are rounded away from 0, by the exact value of the double.
     *
     * <p>Most numbers are formatted without BigDecimal, whose first use takes 10 ms. The part after the point is exact;
     * its product with a power of ten is rounded. If that yields a half, the rounding error shows on which side of the
     * half the exact product is.
     */
    public static String fixed(double value, int decimals) {
        double size = Math.abs(value);
        if (size >= MOST || decimals >= POWERS.length) {
            return grouped(new BigDecimal(value)
                    .setScale(decimals, RoundingMode.HALF_UP)
                    .toPlainString());
        }
        long whole = (long) size;
        double part = (size - whole) * POWERS[decimals];
        double down = Math.floor(part);
        boolean up = part - down == 0.5 ? Math.fma(size - whole, POWERS[decimals], -part) >= 0 : part - down > 0.5;
        long digits = whole * POWERS[decimals] + (long) down + (up ? 1 : 0);
        return decimal(value < 0 ? -digits : digits, decimals);
    }

    /** Returns {@code digits} with a decimal point before the last {@code decimals} of them and thousands separated. */
    private static String decimal(long digits, int decimals) {
        String text = Long.toString(Math.abs(digits));
        if (text.length() <= decimals) {
            text = "0".repeat(decimals + 1 - text.length()) + text;
        }
        int point = text.length() - decimals;
        String number = decimals == 0 ? text : text.substring(0, point) + '.' + text.substring(point);
        return grouped(digits < 0 ? '-' + number : number);
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? fixed(value, 0) : significant(value);
    }

    /** Picks the unit in which the rounded number stays below {@code step}. */
    private static String scaled(double value, int step, String[] units) {
        if (!Double.isFinite(value)) {
            return ABSENT;
        }
        int unit = 0;
        while (unit < units.length - 1 && Math.abs(value) >= step - 0.5) {
            value /= step;
            unit++;
        }
        return (unit == 0 ? fixed(value, 0) : significant(value)) + " " + units[unit];
    }

    private static String significant(double value) {
        double size = Math.abs(value);
        return fixed(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
    }

    /** Returns a text whose first letter is a capital. */
    public static String capitalised(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    private static String grouped(String digits) {
        int point = digits.indexOf('.');
        StringBuilder text = new StringBuilder(digits);
        int first = digits.startsWith("-") ? 1 : 0;
        for (int i = (point < 0 ? digits.length() : point) - 3; i > first; i -= 3) {
            text.insert(i, ',');
        }
        return text.toString();
    }
}
