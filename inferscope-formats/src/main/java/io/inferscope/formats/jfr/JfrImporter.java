package io.inferscope.formats.jfr;

import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.KnownNonTraces;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.nio.file.Path;

/** Flight recordings of a JVM, read with the JDK's own parser. Mapping: docs/formats.md. */
public final class JfrImporter extends Importer {
    private static final byte[] MAGIC = {'F', 'L', 'R', 0};

    public JfrImporter() {
        super("jfr", "JDK Flight Recorder (.jfr)");
    }

    @Override
    public boolean recognises(TraceHead head) {
        return head.startsWith(MAGIC);
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws ImportException, IOException {
        if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
            throw new ImportException(
                    source.file().toString(),
                    "this Java runtime has no module jdk.jfr, which reads flight recordings",
                    "run InferScope with a whole JDK: set INFERSCOPE_JAVA to its folder");
        }
        try (JfrChunks chunks = JfrChunks.of(source, builder.stats())) {
            if (chunks.count() == 0) {
                KnownNonTraces.refuse(source.file(), TraceHead.of(source));
                throw new ImportException(
                        source.file().toString(),
                        "it holds no complete chunk",
                        "dump the recording (jcmd PID JFR.dump) or let the program end before copying the file");
            }
            Path file = chunks.file();
            JfrReader.read(file, new JfrEvents(builder, chunks.startUnixNs(), "", null));
        }
        source.requireRows(
                builder,
                "stack sample, wait, pause or load",
                "",
                "record with java -XX:StartFlightRecording:settings=profile");
    }
}
