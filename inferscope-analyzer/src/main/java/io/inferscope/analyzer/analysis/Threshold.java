package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A limit that a verdict, a rule or a check compares a figure with: a row of {@code knowledge/thresholds.tsv}. Users can
 * set another value.
 *
 * <p>The table is read when a limit is first asked for, not when a class names it: `run` opens no file before it has
 * seen which ones its user passes on.
 *
 * @param key its name in files; the last part is the unit: {@code ns}, {@code bytes}, {@code bytes-per-second}, {@code
 *     share} for a ratio; anything else is a number
 */
public record Threshold(String key) {
    private record Row(String key, double value, String doc) {}

    private static final class Rows {
        private static final Map<String, Row> BY_KEY = KnowledgeTable.read(
                        Knowledge.class,
                        "thresholds.tsv",
                        cells -> new Row(cells[0], Double.parseDouble(cells[1]), cells[3]))
                .stream()
                .collect(Collectors.toMap(Row::key, row -> row));
    }

    /** Returns the threshold of a key, which a row must have: its limit is asked for there. */
    public static Threshold of(String key) {
        return new Threshold(key);
    }

    /** Returns all thresholds by key, sorted. */
    public static Map<String, Threshold> byKey() {
        Map<String, Threshold> all = new TreeMap<>();
        Rows.BY_KEY.keySet().forEach(key -> all.put(key, of(key)));
        return Collections.unmodifiableMap(all);
    }

    /** Returns the default value. */
    public double value() {
        return row().value;
    }

    /** Returns the figure that it limits. */
    public String doc() {
        return row().doc;
    }

    private Row row() {
        Row row = Rows.BY_KEY.get(key);
        if (row == null) {
            throw new IllegalArgumentException("no row of thresholds.tsv is " + key);
        }
        return row;
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
