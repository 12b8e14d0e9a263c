package io.inferscope.timeline.kineto;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Turns the arguments of a trace event into attributes of its row. */
final class RowAttributes {
    private static final Arg[] ARGS = Arg.values();
    /** More operators are searched each time. */
    private static final int MOST_OPERATORS = 10_000;

    private static final int MOST_EXTENTS = 10_000;

    private static final Pattern EXTENT = Pattern.compile("\\[\\d{1,10}(, ?\\d{1,10}){0,2}]");
    private static final Pattern NOT_DIGITS = Pattern.compile("\\D+");

    /** Larger products are not kept: so many blocks fill any device. Times a further number, this does not overflow. */
    private static final long MOST_PRODUCT = 1L << 29;

    private final TimelineBuilder builder;
    private final KinetoProperties properties;

    /** By operator: whether its work is computed from its input values. */
    private final Map<String, Boolean> keptInputs = new HashMap<>();

    /** By list: the product. */
    private final Map<String, Long> extents = new HashMap<>();

    RowAttributes(TimelineBuilder builder, KinetoProperties properties) {
        this.builder = builder;
        this.properties = properties;
    }

    /** Stores the event's own arguments. */
    void said(TraceEvent event, int row) {
        for (int word = 0; word < TraceEvent.ARG_WORDS; word++) {
            for (long present = event.presentArgs(word); present != 0; present &= present - 1) {
                said(ARGS[word * Long.SIZE + Long.numberOfTrailingZeros(present)], event, row);
            }
        }
    }

    private void said(Arg arg, TraceEvent event, int row) {
        Attribute attribute = arg.attribute();
        if (attribute != null && isKept(arg, event)) {
            builder.attribute(row, attribute, arg.isText() ? builder.name(event.text(arg, "")) : event.number(arg, 0));
        }
    }

    /**
     * Almost every call has input values of its own, so only those that an operator's work is computed from are kept.
     * Many events have a {@code dtype}, which is kept of collectives.
     */
    private boolean isKept(Arg arg, TraceEvent event) {
        boolean isUsed = switch (arg) {
            case CONCRETE_INPUTS -> isWorkByInputs(event.name());
            case MESSAGE_ELEMENTS, ELEMENT_TYPE, GROUP_NAME, GROUP_SIZE -> event.has(Arg.COLLECTIVE);
            default -> true;
        };
        return isUsed || properties.areExact();
    }

    private boolean isWorkByInputs(String operator) {
        Boolean known = keptInputs.get(operator);
        if (known == null) {
            known = operator.contains("conv") || operator.contains("attention");
            if (keptInputs.size() < MOST_OPERATORS) {
                keptInputs.put(operator, known);
            }
        }
        return known;
    }

    /** Stores attributes that the event's name or category implies, unless the event declares its exact kind. */
    void derived(TraceEvent event, int row, RowKind kind) {
        if (event.has(Arg.EXACT_KIND)) {
            return;
        }
        String memoryKinds = kind.isMemcpy() ? Categories.memoryKinds(event.name()) : null;
        if (memoryKinds != null && !event.has(Arg.MEMORY_KINDS)) {
            builder.attribute(row, Attribute.MEMORY_KINDS, builder.name(memoryKinds));
        }
        if (kind == RowKind.KERNEL && event.has(Arg.GRID) && !event.has(Arg.GRID_BLOCKS)) {
            extent(row, Attribute.GRID_BLOCKS, event.text(Arg.GRID, ""));
            extent(row, Attribute.BLOCK_THREADS, event.text(Arg.BLOCK, ""));
        }
        boolean mayBeUnknown = kind == RowKind.ANNOTATION || kind == RowKind.OTHER;
        if (mayBeUnknown
                && Categories.kind(event.category()) == null
                && !event.category().isEmpty()) {
            builder.stats().count(Reason.UNKNOWN_CATEGORY, event.offsetBytes(), event.category());
            builder.attribute(row, Attribute.DETAIL, builder.name(event.category()));
        }
    }

    /** Stores the product of a list of numbers, {@code [96, 2, 1]}; nothing for another text. */
    private void extent(int row, Attribute attribute, String list) {
        Long known = extents.get(list);
        if (known == null) {
            known = product(list);
            if (extents.size() < MOST_EXTENTS) {
                extents.put(list, known);
            }
        }
        if (known > 0) {
            builder.attribute(row, attribute, known);
        }
    }

    /** Returns the product, 0 if it is above {@link #MOST_PRODUCT} or the text is no list of up to three numbers. */
    private static long product(String list) {
        if (!EXTENT.matcher(list).matches()) {
            return 0;
        }
        long product = 1;
        for (String number : NOT_DIGITS.split(list.substring(1), 0)) {
            product *= Long.parseLong(number);
            if (product > MOST_PRODUCT) {
                return 0;
            }
        }
        return product;
    }

    /** Stores the value of a counter; a text that is not a number is counted as unusable. */
    void counter(TraceEvent event, int row, String number) {
        try {
            double value = Double.parseDouble(number);
            builder.attribute(row, Attribute.COUNTER_VALUE, Double.doubleToRawLongBits(value));
        } catch (NumberFormatException notANumber) {
            builder.stats().count(Reason.BAD_TIMESTAMP, event.offsetBytes(), event.name());
        }
    }
}
