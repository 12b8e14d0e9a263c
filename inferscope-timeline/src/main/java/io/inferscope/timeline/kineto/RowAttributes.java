package io.inferscope.timeline.kineto;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.util.HashMap;
import java.util.Map;

/** Turns the arguments of a trace event into attributes of its row. */
final class RowAttributes {
    private static final Arg[] ARGS = Arg.values();
    /** More operators are searched each time. */
    private static final int MOST_OPERATORS = 10_000;

    private final TimelineBuilder builder;
    private final KinetoProperties properties;

    /** By operator: whether its work is computed from its input values. */
    private final Map<String, Boolean> keptInputs = new HashMap<>();

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
        boolean mayBeUnknown = kind == RowKind.ANNOTATION || kind == RowKind.OTHER;
        if (mayBeUnknown
                && Categories.kind(event.category()) == null
                && !event.category().isEmpty()) {
            builder.stats().count(Reason.UNKNOWN_CATEGORY, event.offsetBytes(), event.category());
            builder.attribute(row, Attribute.DETAIL, builder.name(event.category()));
        }
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
