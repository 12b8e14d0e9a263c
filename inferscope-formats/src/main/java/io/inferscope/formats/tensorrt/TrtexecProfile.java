package io.inferscope.formats.tensorrt;

import io.inferscope.formats.common.DecimalTime;
import io.inferscope.formats.tensorrt.TrtexecRecords.Members;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TrackKind;

/**
 * The records of {@code --exportProfile}: how many inferences were profiled, then per layer, in the order of execution,
 * the total, average and median time. There are no stamps: one average inference is made, layer after layer. Order and
 * durations are real, instants are not, which the timeline declares.
 */
final class TrtexecProfile {
    private final TimelineBuilder builder;
    private String inferences = "";
    private long layers;
    private long endNs;

    TrtexecProfile(TimelineBuilder builder) {
        this.builder = builder;
    }

    boolean isEmpty() {
        return layers == 0;
    }

    void count(Members record) {
        inferences = record.text("count");
    }

    void layer(Members record) {
        long averageNs = record.ns("averageMs");
        if (averageNs == DecimalTime.INVALID || averageNs > DecimalTime.MAX_NS - endNs) {
            builder.stats().count(Reason.BAD_TIMESTAMP, record.offsetBytes(), record.text("name"));
        } else if (averageNs < 0) {
            builder.stats().count(Reason.NEGATIVE_SPAN, record.offsetBytes(), record.text("name"));
        } else {
            int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "layers");
            int row = builder.row(RowKind.KERNEL, stream, endNs, endNs + averageNs, builder.name(record.text("name")));
            builder.attribute(row, Attribute.DETAIL, builder.name(detail(record)));
            layers++;
            endNs += averageNs;
        }
    }

    private static String detail(Members record) {
        return record.text("timeMs") + " ms in all"
                + (record.has("medianMs") ? ", median " + record.text("medianMs") + " ms" : "")
                + (record.has("percentage") ? ", " + record.text("percentage") + " %" : "");
    }

    /** Declares the nature of the timeline. */
    void finish() {
        builder.property(TimelineInfo.INSTANTS, TimelineInfo.LAID_OUT);
        builder.property("trtexec.inferences", inferences);
        builder.coverage(new Coverage(
                "trtexec",
                layers,
                0,
                "one inference, the average of " + (inferences.isEmpty() ? "all" : inferences)
                        + ": layers are laid end to end, gaps between them are not recorded"));
        builder.clockDomain(new ClockDomain("laid out", 0, -1));
    }
}
