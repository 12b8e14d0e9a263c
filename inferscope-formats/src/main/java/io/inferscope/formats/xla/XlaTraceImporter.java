package io.inferscope.formats.xla;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.traceevent.TraceEventReader;
import java.io.IOException;
import java.util.regex.Pattern;

/** The {@code *.trace.json.gz} of a JAX or TensorFlow profile: the trace viewer's form of an {@code xplane.pb}. */
public final class XlaTraceImporter extends Importer {
    private static final Pattern PLANE =
            Pattern.compile("\"process_name\"\\s*,\\s*\"args\"\\s*:\\s*\\{\\s*\"name\"\\s*:\\s*\"/(host|device):");
    /** The writer silently drops events beyond a limit: a million events, in later versions five million. */
    private static final long WRITER_LIMIT = 1_000_000;

    public XlaTraceImporter() {
        super("xla", "JAX / TensorFlow profile (.trace.json.gz)");
    }

    @Override
    public boolean recognises(TraceHead head) {
        return head.isJson() && PLANE.matcher(head.text()).find();
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws IOException, ImportException {
        XlaTraceSink sink = new XlaTraceSink(builder);
        TraceEventReader.create().read(source, sink, builder.stats());
        sink.finish();
        source.requireRows(builder, "it holds no event with a time", "read the xplane.pb beside it, or record again");
        if (builder.rowCount() >= WRITER_LIMIT) {
            builder.coverage(new Coverage(
                    "trace.json.gz",
                    builder.rowCount(),
                    0,
                    "the profiler leaves out events that do not fit into this file: read the xplane.pb beside it"));
        }
    }

    @Override
    public Timeline finish(Timeline timeline) {
        return ProfilerEnds.cutOff(timeline);
    }
}
