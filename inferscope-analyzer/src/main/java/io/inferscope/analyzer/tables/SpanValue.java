package io.inferscope.analyzer.tables;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the probe's spans count besides their time: token ids read or made, say; the name says which (docs/probe.md).
 */
public final class SpanValue {
    private static final Pattern VALUE = Pattern.compile("\\{\"value\":(\\d{1,18})}");

    private SpanValue() {}

    /** Returns what a row counts, -1 where that is not recorded. */
    public static long of(Timeline timeline, int row) {
        Matcher value = VALUE.matcher(timeline.attributeText(row, Attribute.DETAIL));
        return value.matches() ? Long.parseLong(value.group(1)) : -1;
    }
}
