package io.inferscope.formats.sqlite;

import io.inferscope.formats.common.Exporter;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A SQLite database with the tables of docs/convert.md. */
public final class SqliteExporter implements Exporter {
    @Override
    public String format() {
        return "sqlite";
    }

    @Override
    public List<String> endings() {
        return List.of(".sqlite", ".db");
    }

    @Override
    public String leftOut(Timeline timeline) {
        return Exporter.withCaptured(timeline, "");
    }

    @Override
    public void write(Timeline timeline, Path output) throws IOException {
        WholeFile.make(output, unfinished -> TimelineDatabase.write(timeline, unfinished));
    }
}
