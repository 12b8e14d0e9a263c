package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.MeasureUnit;

/**
 * A limit that a verdict, a rule or a check compares a figure with, declared where it is used. Users can set another
 * value.
 *
 * @param key its name in files; the last part is the unit: {@code ns}, {@code bytes}, {@code bytes-per-second}, {@code
 *     share} for a ratio; anything else is a number
 * @param value the default value
 * @param doc the figure that it limits
 */
public record Threshold(String key, double value, String doc) {
    /** The least cost, as a share of the judged time, that a rule reports. */
    public static Threshold share(String rule, double value) {
        return new Threshold(rule + ".share", value, "cost, of the judged time");
    }

    public MeasureUnit unit() {
        if (key.endsWith("bytes-per-second")) {
            return MeasureUnit.BYTES_PER_SECOND;
        }
        return switch (key.substring(Math.max(key.lastIndexOf('.'), key.lastIndexOf('-')) + 1)) {
            case "share" -> MeasureUnit.RATIO;
            case "ns" -> MeasureUnit.NS;
            case "bytes" -> MeasureUnit.BYTES;
            default -> MeasureUnit.COUNT;
        };
    }
}
