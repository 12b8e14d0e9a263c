package io.inferscope.timeline.kineto;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.files.LeveledGzip;
import io.inferscope.timeline.files.WholeFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.zip.Deflater;

/**
 * Writes a timeline as Chrome Trace Event JSON in Kineto's categories, so that Perfetto, HTA and TraceLens open it too.
 * Data without a counterpart in Kineto is in categories, members and arguments that begin with {@code inferscope}.
 * {@link KinetoImporter} reads all of it back: the resulting timeline equals the written one, except for import
 * statistics, format name and the numbers of call stacks. Format: docs/convert.md.
 */
public final class KinetoExporter {
    private KinetoExporter() {}

    /** Writes a file, gzip when its name ends in {@code .gz}. The file appears whole or not at all. */
    public static void write(Timeline timeline, Path file) throws IOException {
        write(timeline, file, Overlay.NONE);
    }

    /** Writes a file as above, with an overlay of analysis results. */
    public static void write(Timeline timeline, Path file, Overlay overlay) throws IOException {
        WholeFile.write(file, raw -> {
            if (file.toString().endsWith(".gz")) {
                // Speed matters more than size: the trace is written while the user waits.
                LeveledGzip deflated = new LeveledGzip(raw, 1 << 16, Deflater.BEST_SPEED);
                write(timeline, deflated, overlay);
                deflated.finish();
            } else {
                write(timeline, raw, overlay);
            }
        });
    }

    /** Writes to a stream, which stays open. */
    public static void write(Timeline timeline, OutputStream out) throws IOException {
        write(timeline, out, Overlay.NONE);
    }

    private static void write(Timeline timeline, OutputStream out, Overlay overlay) throws IOException {
        try (JsonGenerator json =
                new JsonFactory().createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            LinksToDeclare links = LinksToDeclare.of(timeline);
            json.writeStartObject();
            new HeadWriter(timeline, json).write(links.areAllDeclared());
            json.writeArrayFieldStart("traceEvents");
            new DeclarationWriter(timeline, json).write(links);
            EventWriter events = new EventWriter(timeline, json, links);
            for (int row = 0; row < timeline.rowCount(); row++) {
                events.write(row);
            }
            overlay.draw(new OverlayWriter(json));
            json.writeEndArray();
            json.writeEndObject();
        }
    }
}
