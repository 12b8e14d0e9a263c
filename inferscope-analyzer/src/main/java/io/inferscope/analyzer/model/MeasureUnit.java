package io.inferscope.analyzer.model;

import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The unit of a figure, and how people write amounts of it. */
public enum MeasureUnit {
    /** A part of a whole, 0 to 1. */
    RATIO("ratio", "a share such as 0.15 or 15%"),
    NS("ns", "a time such as 20us or 1.5ms"),
    BYTES("bytes", "a size such as 64MiB or 1e9"),
    BYTES_PER_SECOND("bytes/s", "a rate such as 12GB/s"),
    /** A number of things. */
    COUNT("count", "a number such as 3 or 0.5");

    /** Nobody writes longer ones, and reading a million digits takes seconds. */
    private static final int LONGEST_AMOUNT = 100;

    private static final Pattern AMOUNT =
            Pattern.compile("([0-9]{1,18}(?:\\.[0-9]{1,18})?(?:[eE][+-]?[0-9]{1,2})?)\\s*([A-Za-z%/]*)");

    private final String id;
    private final String example;

    MeasureUnit(String id, String example) {
        this.id = id;
        this.example = example;
    }

    /** Returns the id that {@link Units#quantity} understands. */
    public String id() {
        return id;
    }

    /** Returns how an amount may be written, for a message. */
    public String example() {
        return example;
    }

    /**
     * Parses an amount as people write it, such as {@code 15%}, {@code 20us}, {@code 64MiB}; empty if it is not of this
     * unit.
     */
    public OptionalDouble parse(String text) {
        Matcher matcher = AMOUNT.matcher(text.strip());
        if (text.length() > LONGEST_AMOUNT || !matcher.matches()) {
            return OptionalDouble.empty();
        }
        double number = Double.parseDouble(matcher.group(1));
        String suffix = matcher.group(2);
        boolean percent = suffix.equals("%") && (this == RATIO || this == COUNT);
        double value = percent ? number / 100 : number * factor(suffix);
        boolean meant = Double.isFinite(value) && (this != RATIO || value <= 1);
        return meant ? OptionalDouble.of(value) : OptionalDouble.empty();
    }

    /** Returns a value with its unit, for people. */
    public String words(double value) {
        return this == RATIO ? Units.percent(value) : Units.quantity(value, id());
    }

    /** Returns the factor of {@code suffix} in this unit; NaN for a suffix of another unit. */
    private double factor(String suffix) {
        if (suffix.isEmpty()) {
            return 1;
        }
        return switch (this) {
            case NS -> time(suffix);
            case BYTES -> size(suffix);
            case BYTES_PER_SECOND ->
                suffix.endsWith("/s") ? size(suffix.substring(0, suffix.length() - 2)) : Double.NaN;
            case RATIO, COUNT -> Double.NaN;
        };
    }

    private static double time(String suffix) {
        return switch (suffix) {
            case "ns" -> 1;
            case "us" -> 1e3;
            case "ms" -> 1e6;
            case "s" -> 1e9;
            case "min" -> 60e9;
            default -> Double.NaN;
        };
    }

    private static double size(String suffix) {
        return switch (suffix) {
            case "B" -> 1;
            case "kB" -> 1e3;
            case "MB" -> 1e6;
            case "GB" -> 1e9;
            case "TB" -> 1e12;
            case "KiB" -> 1 << 10;
            case "MiB" -> 1 << 20;
            case "GiB" -> 1 << 30;
            default -> Double.NaN;
        };
    }
}
