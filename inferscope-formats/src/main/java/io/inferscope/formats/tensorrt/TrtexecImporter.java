package io.inferscope.formats.tensorrt;

import io.inferscope.formats.common.DecimalTime;
import io.inferscope.formats.common.TolerantJson;
import io.inferscope.formats.tensorrt.TrtexecRecords.Members;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.util.Set;

/**
 * Imports the exports of TensorRT's {@code trtexec}: {@code --exportTimes}, stamps of every inference, and {@code
 * --exportProfile}, totals of every layer. Source of both: samples/common/sampleReporting.cpp in
 * github.com/NVIDIA/TensorRT.
 */
public final class TrtexecImporter extends Importer {
    public TrtexecImporter() {
        super("trtexec", "trtexec --exportTimes or --exportProfile (.json)");
    }

    @Override
    public boolean recognises(TraceHead head) {
        Set<String> first = head.memberNames();
        return head.isJson() && (isTimes(first) || isProfile(first, head));
    }

    private static boolean isTimes(Set<String> first) {
        return first.contains("startComputeMs") && first.contains("endComputeMs");
    }

    private static boolean isProfile(Set<String> first, TraceHead head) {
        return first.equals(Set.of("count")) && head.contains("\"averageMs\"") && head.contains("\"timeMs\"");
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws IOException, ImportException {
        TrtexecTimes times = new TrtexecTimes(builder);
        TrtexecProfile profile = new TrtexecProfile(builder);
        TolerantJson.read(source, builder.stats(), new TrtexecRecords(builder, record -> {
            if (record.has("name")) {
                profile.layer(record);
            } else if (record.has("count")) {
                profile.count(record);
            } else {
                times.inference(record);
            }
        }));
        if (builder.rowCount() == 0) {
            throw new ImportException(
                    source.file().toString(),
                    "no usable record in it (" + builder.stats().build().damage() + ")",
                    "export it again, and let trtexec end by itself");
        }
        if (profile.isEmpty()) {
            times.finish();
        } else {
            profile.finish();
        }
    }

    /**
     * The records of {@code --exportProfile}: how many inferences were profiled, then per layer, in the order of execution,
     * the total, average and median time. There are no stamps: one average inference is made, layer after layer. Order and
     * durations are real, instants are not, which the timeline declares.
     */
    private static final class TrtexecProfile {
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
                int row = builder.row(
                        RowKind.KERNEL, stream, endNs, endNs + averageNs, builder.name(record.text("name")));
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
}
