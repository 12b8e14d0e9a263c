package io.inferscope.cli.common;

import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lengths of time as users write them: {@code 30s}, {@code 1.5m}, {@code 500ms}; a bare number is seconds. */
public final class DurationText {
    private static final Pattern TEXT = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ms|s|m|h)?");
    private static final Map<String, Long> UNITS_NS =
            Map.of("ms", 1_000_000L, "s", 1_000_000_000L, "m", 60_000_000_000L, "h", 3_600_000_000_000L);

    /** A longer recording must be a typing error: 30 days. */
    private static final BigDecimal MAX_NS = BigDecimal.valueOf(30L * 24 * 3_600 * 1_000_000_000L);

    private DurationText() {}

    /**
     * Returns a length of time in ns.
     *
     * @throws IllegalArgumentException when the text is not a length of time
     */
    public static long ns(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(text + ": expected a length of time such as 30s, 500ms, 2m or 1h");
        }
        String unit = matcher.group(2) == null ? "s" : matcher.group(2);
        BigDecimal ns = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(UNITS_NS.getOrDefault(unit, 0L)));
        if (ns.compareTo(MAX_NS) > 0) {
            throw new IllegalArgumentException(text + ": longer than 30 days");
        }
        return ns.longValue();
    }
}
