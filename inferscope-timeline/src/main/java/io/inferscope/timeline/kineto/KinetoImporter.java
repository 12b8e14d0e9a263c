package io.inferscope.timeline.kineto;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.cut.CutDocument;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.KnownNonTraces;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.traceevent.TraceEventReader;
import java.io.IOException;

/** PyTorch profiler (Kineto) traces and any other Chrome Trace Event JSON, in object and in bare-array form. */
public final class KinetoImporter extends Importer {
    public KinetoImporter() {
        super("kineto", "Kineto / Chrome Trace Event JSON (.json, .json.gz)");
    }

    /**
     * Accepts any JSON document that other importers do not recognise, because a Chrome trace may begin with any
     * member.
     */
    @Override
    public boolean recognises(TraceHead head) {
        return head.isJson();
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws IOException, ImportException {
        KinetoSink sink = new KinetoSink(builder);
        TraceEventReader.create().read(source, sink, builder.stats());
        sink.finish();
        if (builder.rowCount() == 0) {
            KnownNonTraces.refuse(source.file(), TraceHead.of(source));
            throw new ImportException(
                    source.file().toString(),
                    "no usable event in it (" + sink.whyEmpty() + ")",
                    "expected Chrome Trace Event JSON as torch.profiler's export_chrome_trace writes it");
        }
    }

    @Override
    public Timeline finish(Timeline timeline) {
        return CutDocument.complete(timeline);
    }
}
