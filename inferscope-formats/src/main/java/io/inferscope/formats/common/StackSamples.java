package io.inferscope.formats.common;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;

/** Shared by importers of sampled stacks: the rows, and properties for files without instants. */
public final class StackSamples {
    /** Set to {@link #PACKED} if samples are placed one after the other although time passed between them. */
    public static final String AXIS = "samples_axis";

    public static final String PACKED = "packed";

    /** Set if a file counts samples without times: the assumed time of each, in ns. */
    public static final String ASSUMED_PERIOD = "samples_assumed_period_ns";

    /** 100 Hz: the default of py-spy and of perf record's usual {@code -F 99}, async-profiler's 10 ms interval. */
    public static final long ASSUMED_PERIOD_NS = 10_000_000;

    private StackSamples() {}

    /** Adds a row for {@code samples} samples of one stack, none for stack -1, which has no frames. */
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
