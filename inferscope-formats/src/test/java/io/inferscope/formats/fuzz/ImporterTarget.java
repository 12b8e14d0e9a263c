package io.inferscope.formats.fuzz;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.FuzzFile;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads bytes as any trace is read. Jazzer calls it: {@code lab/fuzz}. */
public final class ImporterTarget {
    private static final Path FILE = FuzzFile.make();

    private ImporterTarget() {}

    /** Throws where an import breaks a promise: anything but {@link ImportException}, a message of several lines, a row that ends before it starts. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        Files.write(FILE, input);
        try {
            Timeline timeline = Formats.importers().load(FILE);
            for (int row = 0; row < timeline.rowCount(); row++) {
                if (timeline.durationNs(row) < 0) {
                    throw new AssertionError("row " + row + " ends before it starts");
                }
            }
        } catch (ImportException refused) {
            if (String.valueOf(refused.getMessage()).contains("\n")) {
                throw new AssertionError("more than one line: " + refused.getMessage(), refused);
            }
        }
    }
}
