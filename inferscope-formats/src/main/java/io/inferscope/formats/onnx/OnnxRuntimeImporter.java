package io.inferscope.formats.onnx;

import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.traceevent.TraceEventReader;
import java.io.IOException;
import java.util.regex.Pattern;

/**
 * Profiles that ONNX Runtime writes when {@code SessionOptions.enable_profiling} is set: an array of trace events with
 * ONNX Runtime's own categories.
 */
public final class OnnxRuntimeImporter extends Importer {
    private static final Pattern CATEGORY = Pattern.compile("\"cat\"\\s*:\\s*\"(Session|Node)\"");
    private static final Pattern NAME = Pattern.compile(
            "\"name\"\\s*:\\s*\"(model_loading_|session_initialization|model_run|[^\"]*(_kernel_time|Executor::Execute)\")");

    public OnnxRuntimeImporter() {
        super("onnxruntime", "ONNX Runtime profile (.json)");
    }

    /** How the Python probe calls the instant from which a session's profile counts: see onnxruntime_hooks.py. */
    private static final String MARK = "onnxruntime profile";

    @Override
    public boolean recognises(TraceHead head) {
        return head.isJson()
                && CATEGORY.matcher(head.text()).find()
                && NAME.matcher(head.text()).find();
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws IOException, ImportException {
        builder.property(TimelineInfo.COUNTS_FROM, MARK);
        OnnxRuntimeSink sink = new OnnxRuntimeSink(builder);
        TraceEventReader.create().read(source, sink, builder.stats());
        sink.finish();
        source.requireRows(
                builder,
                "it holds no event with a time",
                "record it again and let the program call InferenceSession.end_profiling");
    }
}
