package io.inferscope.formats.sqlite;

import io.inferscope.formats.common.Exporter;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.files.WholeFile;
import java.io.IOException;
import java.nio.file.Path;

/** A SQLite database with the tables of docs/convert.md. */
public final class SqliteExporter extends Exporter {
    public SqliteExporter() {
        super("sqlite", ".sqlite", ".db");
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
