package io.inferscope.formats.common;

import io.inferscope.timeline.Timeline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes a timeline in one format. Stateless; one class per format. */
public abstract class Exporter {
    private final String format;
    private final List<String> endings;

    /**
     * Makes an exporter.
     *
     * @param format the format's short name, such as {@code speedscope}
     * @param endings the endings of file names for this format, in lower case, such as {@code .json.gz}
     */
    protected Exporter(String format, String... endings) {
        this.format = format;
        this.endings = List.of(endings);
    }

    public final String format() {
        return format;
    }

    public final List<String> endings() {
        return endings;
    }

    /** Returns in words the parts of a timeline that this format cannot store, empty if it stores everything. */
    public abstract String leftOut(Timeline timeline);

    /**
     * Returns {@code leftOut} and, in words, the rows that were captured in another recording, for a format without
     * them.
     */
    public static String withCaptured(Timeline timeline, String leftOut) {
        int captured = timeline.capturedCount();
        String rows = captured + (captured == 1 ? " row" : " rows") + " of graph captures in another recording";
        return captured == 0 ? leftOut : leftOut.isEmpty() ? rows : leftOut + "; " + rows;
    }

    /**
     * Writes a timeline. The output appears whole or not at all.
     *
     * @throws IOException when it cannot be written
     */
    public abstract void write(Timeline timeline, Path output) throws IOException;

    /**
     * Fails before any work if an output must not be replaced.
     *
     * @throws IllegalArgumentException if so; the message names it
     */
    public void check(Path output) {
        if (java.nio.file.Files.isDirectory(output)) {
            throw new IllegalArgumentException("output " + output + " is a directory; name a file");
        }
    }
}
