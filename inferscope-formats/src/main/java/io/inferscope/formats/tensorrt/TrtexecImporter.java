package io.inferscope.formats.tensorrt;

import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.TimelineBuilder;
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
}
