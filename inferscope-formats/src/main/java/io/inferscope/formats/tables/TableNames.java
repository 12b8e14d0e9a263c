package io.inferscope.formats.tables;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Names of tables and columns, which must not change: docs/convert.md. */
public final class TableNames {
    /** Processes, threads, devices, streams and counters. */
    public static final String TRACKS = "tracks";
    /** Links between rows, such as from a launch to its kernel. */
    public static final String LINKS = "links";
    /** Call stacks, a frame per row. */
    public static final String STACKS = "stacks";
    /** Facts about the whole recording. */
    public static final String PROPERTIES = "properties";

    public static final String CLOCKS = "clocks";
    public static final String COVERAGE = "coverage";
    public static final String OVERHEADS = "overheads";

    static final List<OutputColumn> TRACK_COLUMNS = OutputColumn.list("track_id# kind parent_track_id# key name");
    static final List<OutputColumn> LINK_COLUMNS = OutputColumn.list("kind from_row# to_row# confidence_percent#");
    static final List<OutputColumn> STACK_COLUMNS = OutputColumn.list("stack_id# caller_stack_id# frame language");
    static final List<OutputColumn> PROPERTY_COLUMNS = OutputColumn.list("key value");
    static final List<OutputColumn> CLOCK_COLUMNS = OutputColumn.list("name anchors# error_bound_ns#");
    static final List<OutputColumn> COVERAGE_COLUMNS = OutputColumn.list("source recorded# missing# why");
    static final List<OutputColumn> OVERHEAD_COLUMNS = OutputColumn.list("recorder cpu_ns# held_up_ns# events#");
    /** Columns of every row; columns of attributes follow. */
    public static final List<OutputColumn> ROW_COLUMNS = OutputColumn.list(
            "row# name start_ns# duration_ns# track_id# process_or_device thread_or_stream parent_row# correlation_id#");
    /** Bits of counter values that are NaN, which a column of doubles does not preserve. */
    public static final OutputColumn COUNTER_BITS = OutputColumn.number("counter_bits");

    /** Every table that a timeline can have. */
    public static final List<String> ALL = Stream.concat(
                    Stream.of(TRACKS, LINKS, STACKS, PROPERTIES, CLOCKS, COVERAGE, OVERHEADS),
                    Arrays.stream(RowKind.values()).map(TableNames::of))
            .toList();

    private TableNames() {}

    /** Returns the table of a kind of rows, such as {@code memcpy_h2d}. */
    public static String of(RowKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    public static OutputColumn column(Attribute attribute) {
        String name =
                attribute == Attribute.STACK ? "stack_id" : attribute.name().toLowerCase(Locale.ROOT);
        if (attribute == Attribute.COUNTER_VALUE) {
            return new OutputColumn(name, OutputColumn.Type.REAL);
        }
        return attribute.isText() || isEnum(attribute) ? OutputColumn.text(name) : OutputColumn.number(name);
    }

    /** Returns whether an attribute's values are constants, which tables store by name. */
    public static boolean isEnum(Attribute attribute) {
        return !attribute.constants().isEmpty();
    }

    /** Returns the name of a constant, or the number itself if it is not a constant's. */
    static String enumText(Attribute attribute, long value) {
        return value >= 0 && value < attribute.constants().size()
                ? attribute.constants().get((int) value).name().toLowerCase(Locale.ROOT)
                : Long.toString(value);
    }

    /** Returns the inverse of {@link #enumText}, {@link Attribute#ABSENT} for other texts. */
    public static long enumValue(Attribute attribute, String text) {
        for (Enum<?> constant : attribute.constants()) {
            if (constant.name().toLowerCase(Locale.ROOT).equals(text)) {
                return constant.ordinal();
            }
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException unknown) {
            return Attribute.ABSENT;
        }
    }
}
