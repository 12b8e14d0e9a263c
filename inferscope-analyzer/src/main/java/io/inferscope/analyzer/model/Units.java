package io.inferscope.analyzer.model;

import java.util.Locale;

/** Numbers as people read them: three significant digits, never in scientific notation, the same in every locale. */
public final class Units {
    private Units() {}

    /** Returns a duration such as {@code 87.4 ms}. */
    public static String duration(long ns) {
        double magnitude = Math.abs((double) ns);
        if (magnitude < 1_000) {
            return ns + " ns";
        }
        if (magnitude < 999_500) {
            return digits(ns / 1e3) + " us";
        }
        return magnitude < 999_500_000 ? digits(ns / 1e6) + " ms" : digits(ns / 1e9) + " s";
    }

    /** Returns a ratio such as {@code 42.1 %}. */
    public static String percent(double ratio) {
        return String.format(Locale.ROOT, "%.1f %%", ratio * 100);
    }

    /** Returns a size such as {@code 1.25 MiB}. */
    public static String bytes(long sizeBytes) {
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        double value = (double) sizeBytes;
        while (Math.abs(value) >= 1000 && unit < units.length - 1) {
            value /= 1024;
            unit++;
        }
        return (unit == 0 ? String.valueOf(Math.round(value)) : digits(value)) + ' ' + units[unit];
    }

    private static String digits(double value) {
        double magnitude = Math.abs(value);
        String format = magnitude >= 99.95 ? "%.0f" : magnitude >= 9.995 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }
}
