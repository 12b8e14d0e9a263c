package io.inferscope.timeline.spool;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.fixture.FuzzFile;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads bytes as a spool. Jazzer calls it: {@code lab/fuzz}. */
public final class SpoolTarget {
    private static final Path FILE = FuzzFile.make();
    private static final SpoolImporter IMPORTER = new SpoolImporter();

    private SpoolTarget() {}

    /** Throws where the bytes do anything but make rows, which end after they start, or be refused in one line. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        Files.write(FILE, input);
        TimelineBuilder builder = new TimelineBuilder();
        builder.stats().source("fuzzed");
        try {
            IMPORTER.read(FILE, builder);
        } catch (ImportException refused) {
            if (String.valueOf(refused.getMessage()).contains("\n")) {
                throw new AssertionError("more than one line: " + refused.getMessage(), refused);
            }
            return;
        }
        Timeline timeline = IMPORTER.finish(builder.build("spool"));
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.durationNs(row) < 0) {
                throw new AssertionError("row " + row + " ends before it starts");
            }
        }
    }
}
