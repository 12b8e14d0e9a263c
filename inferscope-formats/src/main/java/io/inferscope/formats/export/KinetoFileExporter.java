package io.inferscope.formats.export;

import io.inferscope.formats.common.Exporter;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.kineto.KinetoExporter;
import java.io.IOException;
import java.nio.file.Path;

/** Chrome Trace Event JSON in Kineto's categories. */
public final class KinetoFileExporter extends Exporter {
    public KinetoFileExporter() {
        super("kineto", ".json", ".json.gz");
    }

    @Override
    public String leftOut(Timeline timeline) {
        return "";
    }

    @Override
    public void write(Timeline timeline, Path output) throws IOException {
        KinetoExporter.write(timeline, output);
    }
}
