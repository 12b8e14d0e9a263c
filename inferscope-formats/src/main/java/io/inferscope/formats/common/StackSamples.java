package io.inferscope.formats.common;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;

/** What importers of sampled stacks share: the rows, and what is said about samples whose file holds no instants. */
public final class StackSamples {
    /** Set to {@link #PACKED} where samples stand one after the other although time passed between them. */
    public static final String AXIS = "samples_axis";

    public static final String PACKED = "packed";

    /** Set where a file counts samples and holds no time: the time that each is taken for, in ns. */
    public static final String ASSUMED_PERIOD = "samples_assumed_period_ns";

    /** 100 Hz: the default of py-spy and of perf record's usual {@code -F 99}, async-profiler's 10 ms interval. */
    public static final long ASSUMED_PERIOD_NS = 10_000_000;

    private StackSamples() {}

    /** Adds a row for {@code samples} samples of one stack, -1 for a stack without frames, which says nothing and gets none. */
    public static void add(
            TimelineBuilder builder, int track, long startNs, long endNs, int stack, int frameNameId, long samples) {
        if (stack < 0) {
            return;
        }
        int row = builder.row(RowKind.STACK_SAMPLE, track, startNs, endNs, frameNameId);
        builder.attribute(row, Attribute.STACK, stack);
        if (samples != 1) {
            builder.attribute(row, Attribute.SAMPLES, samples);
        }
    }
}
