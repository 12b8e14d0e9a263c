package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A limit that a verdict, a rule or a check compares a figure with: a row of {@code knowledge/thresholds.tsv}. Users can
 * set another value.
 *
 * @param key its name in files; the last part is the unit: {@code ns}, {@code bytes}, {@code bytes-per-second}, {@code
 *     share} for a ratio; anything else is a number
 * @param value the default value
 * @param doc the figure that it limits
 */
public record Threshold(String key, double value, String doc) {
    private static final Map<String, Threshold> ALL = new TreeMap<>();

    static {
        KnowledgeTable.read(
                        Knowledge.class,
                        "thresholds.tsv",
                        cells -> new Threshold(cells[0], Double.parseDouble(cells[1]), cells[3]))
                .forEach(row -> ALL.put(row.key, row));
    }

    /** Returns the threshold of a key, which a row must have. */
    public static Threshold of(String key) {
        Threshold threshold = ALL.get(key);
        if (threshold == null) {
            throw new IllegalArgumentException("no row of thresholds.tsv is " + key);
        }
        return threshold;
    }

    /** Returns all thresholds by key, sorted. */
    public static Map<String, Threshold> byKey() {
        return Collections.unmodifiableMap(ALL);
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
