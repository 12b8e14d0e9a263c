package io.inferscope.timeline.kineto;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.TraceEvent;

/** Turns what a trace event says beside its name and times into attributes of its row. */
final class RowAttributes {
    private static final Arg[] ARGS = Arg.values();

    private final TimelineBuilder builder;
    private final KinetoProperties properties;

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
            String text = arg == Arg.COLLECTIVE ? message(event) : event.text(arg, "");
            builder.attribute(row, attribute, arg.isText() ? builder.name(text) : event.number(arg, 0));
        }
    }

    /** What belongs to a collective stands in arguments that mean nothing without each other. */
    private static String message(TraceEvent event) {
        String name = event.text(Arg.COLLECTIVE, "");
        return !event.has(Arg.MESSAGE_ELEMENTS)
                ? name
                : String.join(
                        "|",
                        name,
                        event.text(Arg.ELEMENT_TYPE, ""),
                        Long.toString(event.number(Arg.MESSAGE_ELEMENTS, -1)),
                        event.text(Arg.GROUP_NAME, ""),
                        Long.toString(event.number(Arg.GROUP_SIZE, 0)));
    }

    /** Values of inputs are as many as calls; only those are worth their room that say how much work an operator is. */
    private boolean isKept(Arg arg, TraceEvent event) {
        return arg != Arg.CONCRETE_INPUTS
                || event.name().contains("conv")
                || event.name().contains("attention")
                || properties.areExact();
    }

    /** Stores what the name or the category of the event implies, unless the event has an exact kind. */
    void derived(TraceEvent event, int row, RowKind kind) {
        if (event.has(Arg.EXACT_KIND)) {
            return;
        }
        String memoryKinds = kind.isMemcpy() ? Categories.memoryKinds(event.name()) : null;
        if (memoryKinds != null && !event.has(Arg.MEMORY_KINDS)) {
            builder.attribute(row, Attribute.MEMORY_KINDS, builder.name(memoryKinds));
        }
        if (Categories.kind(event.category()) == null && !event.category().isEmpty()) {
            builder.stats().count(Reason.UNKNOWN_CATEGORY, event.offsetBytes(), event.category());
            builder.attribute(row, Attribute.DETAIL, builder.name(event.category()));
        }
    }

    /** Stores the value of a counter; a text that is no number is counted. */
    void counter(TraceEvent event, int row) {
        try {
            double value = Double.parseDouble(event.text(Arg.VALUE, "NaN"));
            builder.attribute(row, Attribute.COUNTER_VALUE, Double.doubleToRawLongBits(value));
        } catch (NumberFormatException notANumber) {
            builder.stats().count(Reason.BAD_TIMESTAMP, event.offsetBytes(), event.name());
        }
    }
}
