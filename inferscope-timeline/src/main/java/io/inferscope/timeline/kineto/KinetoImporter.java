package io.inferscope.timeline.kineto;

import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;

/** PyTorch profiler (Kineto) traces and any other Chrome Trace Event JSON, in object and in bare-array form. */
public final class KinetoImporter implements Importer {
    @Override
    public String format() {
        return "kineto";
    }

    @Override
    public String description() {
        return "Kineto / Chrome Trace Event JSON (.json, .json.gz)";
    }

    @Override
    public boolean recognises(byte[] head) {
        int i = startsWithByteOrderMark(head) ? 3 : 0;
        while (i < head.length && head[i] <= ' ' && head[i] > 0) {
            i++;
        }
        return i < head.length && (head[i] == '{' || head[i] == '[');
    }

    private static boolean startsWithByteOrderMark(byte[] head) {
        return head.length > 2 && head[0] == (byte) 0xef && head[1] == (byte) 0xbb && head[2] == (byte) 0xbf;
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws IOException, ImportException {
        KinetoSink sink = new KinetoSink(builder);
        new JacksonTraceEventReader().read(source, sink, builder.stats());
        sink.finish();
        if (builder.rowCount() == 0) {
            throw new ImportException(
                    source.file().toString(),
                    "no usable event in it (" + sink.whyEmpty() + ")",
                    "expected Chrome Trace Event JSON as torch.profiler's export_chrome_trace writes it");
        }
    }
}
