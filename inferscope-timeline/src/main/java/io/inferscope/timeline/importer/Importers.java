package io.inferscope.timeline.importer;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.kineto.KinetoImporter;
import io.inferscope.timeline.spool.SpoolImporter;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Finds the importer for a file and runs it. */
public final class Importers {
    private static final int HEAD_BYTES = 4096;
    private static final List<Importer> ALL = List.of(new KinetoImporter(), new SpoolImporter());

    private Importers() {}

    /**
     * Reads a file of any known format, or a spool directory.
     *
     * @throws ImportException when the file is missing, unreadable, empty, of no known format, or holds nothing usable
     */
    public static Timeline load(Path file) throws ImportException {
        TraceSource source = new TraceSource(file);
        try {
            if (SpoolImporter.isSpoolDirectory(file)) {
                return read(new SpoolImporter(), source);
            }
            requireReadable(file);
            byte[] head = source.head(HEAD_BYTES);
            for (Importer importer : ALL) {
                if (importer.recognises(head)) {
                    return read(importer, source);
                }
            }
            throw new ImportException(file.toString(), "not a trace of a known format", "known formats: " + formats());
        } catch (NoSuchFileException e) {
            throw new ImportException(file.toString(), "no such file", "check the path", e);
        } catch (AccessDeniedException e) {
            throw new ImportException(file.toString(), "permission denied", "make the file readable", e);
        } catch (IOException e) {
            throw new ImportException(file.toString(), "cannot be read: " + e.getMessage(), "check the file", e);
        }
    }

    private static Timeline read(Importer importer, TraceSource source) throws ImportException, IOException {
        TimelineBuilder builder = new TimelineBuilder();
        builder.stats().source(source.name());
        importer.read(source, builder);
        return builder.build(importer.format());
    }

    private static void requireReadable(Path file) throws ImportException, IOException {
        if (Files.isDirectory(file)) {
            throw new ImportException(file.toString(), "is a directory", "name a trace file in it");
        }
        if (Files.size(file) == 0) {
            throw new ImportException(file.toString(), "is empty", "record the trace again");
        }
    }

    private static String formats() {
        return ALL.stream().map(Importer::description).collect(Collectors.joining(", "));
    }
}
