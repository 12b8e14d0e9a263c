package io.inferscope.formats.tensorrt;

import io.inferscope.formats.common.DecimalTime;
import io.inferscope.formats.tensorrt.TrtexecRecords.Members;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TrackKind;

/**
 * The records of {@code --exportTimes}: per inference the call that enqueues it, on the host's clock, and the input
 * copy, the compute and the output copy, on the device's, all in ms since the first query.
 *
 * <pre>
 *   host     [enqueue]
 *   input  [H2D]
 *   compute      [inference      ]
 *   output                        [D2H]
 * </pre>
 *
 * <p>The writer prints six significant digits: beyond a second a stamp is known to 10 us at best. Ends are read from
 * their own stamps instead of the more precise durations, because rounding keeps the order of stamps and so causes no
 * overlaps.
 */
final class TrtexecTimes {
    private static final int SIGNIFICANT_DIGITS = 6;

    private final TimelineBuilder builder;
    private long inferences;
    private long lastNs;

    TrtexecTimes(TimelineBuilder builder) {
        this.builder = builder;
    }

    void inference(Members record) {
        int compute = add(record, RowKind.KERNEL, "Compute", "inference");
        if (compute < 0) {
            return;
        }
        inferences++;
        add(record, RowKind.MEMCPY_H2D, record.has("startInMs") ? "In" : "H2d", "input copy");
        int output = add(record, RowKind.MEMCPY_D2H, record.has("startOutMs") ? "Out" : "D2h", "output copy");
        int enqueue = add(record, RowKind.RUNTIME_CALL, "Enq", "enqueue");
        if (enqueue >= 0) {
            builder.link(LinkKind.LAUNCH, enqueue, compute, 100);
        }
        if (enqueue >= 0 && output >= 0) {
            // The same thread issues this copy right after enqueuing the inference; it issued the input's copy before.
            builder.link(LinkKind.LAUNCH, enqueue, output, 50);
        }
    }

    /**
     * Adds the row of one part of a record; returns -1 if the part is missing, damaged, or took no time because there
     * was nothing to copy.
     */
    private int add(Members record, RowKind kind, String part, String name) {
        String start = "start" + part + "Ms";
        String end = "end" + part + "Ms";
        boolean required = kind == RowKind.KERNEL;
        if (!required && !record.has(start) && !record.has(end)) {
            return -1;
        }
        long startNs = record.ns(start);
        long endNs = record.ns(end);
        if (startNs == DecimalTime.INVALID || endNs == DecimalTime.INVALID) {
            builder.stats().count(Reason.BAD_TIMESTAMP, record.offsetBytes(), start);
        } else if (endNs < startNs) {
            builder.stats().count(Reason.NEGATIVE_SPAN, record.offsetBytes(), end);
        } else if (required || endNs > startNs) {
            lastNs = Math.max(lastNs, endNs);
            return builder.row(kind, track(kind), startNs, endNs, builder.name(name));
        }
        return -1;
    }

    /** Returns the stream: trtexec has one for inputs, one for compute and one for outputs. */
    private int track(RowKind kind) {
        if (kind == RowKind.RUNTIME_CALL) {
            return builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "trtexec"), "main");
        }
        String stream = kind == RowKind.KERNEL ? "compute" : kind == RowKind.MEMCPY_H2D ? "input" : "output";
        return builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), stream);
    }

    /** Declares the error of the stamps. */
    void finish() {
        builder.property(TimelineInfo.BLOCKS, "inferences");
        builder.coverage(new Coverage(
                "trtexec",
                inferences,
                0,
                "each inference is one block on the device: gaps between its kernels are not recorded"));
        builder.clockDomain(new ClockDomain("trtexec", 0, errorBoundNs(lastNs)));
    }

    /** Returns half a unit of a stamp's last printed digit. */
    static long errorBoundNs(long stampNs) {
        long unitNs = 1;
        for (long rest = stampNs; rest >= Math.pow(10, SIGNIFICANT_DIGITS); rest /= 10) {
            unitNs *= 10;
        }
        return unitNs / 2;
    }
}
