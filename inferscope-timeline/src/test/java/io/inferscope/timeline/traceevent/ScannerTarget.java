package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.fixture.FuzzFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads bytes as a trace with both readers. Jazzer calls it: {@code lab/fuzz}. */
public final class ScannerTarget {
    private static final Path FILE = FuzzFile.make();
    private static final int LEAST_WINDOW = 16;

    private ScannerTarget() {}

    /** Throws where the scanner and Jackson disagree; the first byte chooses how small the scanner's window is. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        Files.write(FILE, input);
        ReaderRecord expected = ReaderRecord.of(new JacksonTraceEventReader(), FILE);
        int window = LEAST_WINDOW + (input.length == 0 ? 0 : input[0] & 0xff);
        ReaderRecord scanned = ReaderRecord.of(new ScanningTraceEventReader(window, 1 << 20, 1), FILE);
        boolean comparable = !expected.gaveUp() && !expected.repairedText() && !scanned.repairedText();
        if (comparable
                && !(scanned.events().equals(expected.events())
                        && scanned.rest().equals(expected.rest()))) {
            throw new AssertionError("with a window of " + window + " bytes: " + scanned.events() + scanned.rest()
                    + "\ninstead of " + expected.events() + expected.rest());
        }
    }
}
