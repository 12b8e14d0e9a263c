package io.inferscope.timeline.spool;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Imports recordings of {@code inferscope run}: a spool directory, or a single spool. */
public final class SpoolImporter extends Importer {
    private static final String SUFFIX = ".spool";

    public SpoolImporter() {
        super("spool", "InferScope spool directory (*.spool)");
    }

    @Override
    public boolean recognises(TraceHead head) throws IOException {
        return head.isDirectory() ? !spools(head.file()).isEmpty() : head.startsWith(SpoolHeader.MAGIC);
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws ImportException, IOException {
        builder.ownRows();
        read(source.file(), builder);
    }

    @Override
    public Timeline finish(Timeline timeline) {
        return RecordedPart.of(timeline);
    }

    /**
     * Adds a spool directory or a single spool to {@code builder}. Files that cannot be used are counted and left out.
     *
     * @throws ImportException when no file of it can be used
     * @throws IOException when the directory cannot be read
     */
    public void read(Path path, TimelineBuilder builder) throws ImportException, IOException {
        List<Path> files = Files.isDirectory(path) ? spools(path) : List.of(path);
        SpoolRun run = new SpoolRun(builder);
        ImportException failure = new ImportException(
                path.toString(), "holds no spool", "name a directory that `inferscope run --keep-spool` left");
        int used = 0;
        List<SpoolContext> contexts = new ArrayList<>();
        for (Path file : files) {
            contexts.add(SpoolContext.of(file, run));
        }
        run.briefThreads().collected();
        for (SpoolContext context : contexts) {
            Path file = context.file();
            builder.stats().source(String.valueOf(file.getFileName()));
            try (SpoolReader reader = new SpoolReader(file, run.unusedSpace())) {
                read(reader, context, run, builder.stats());
                used++;
            } catch (ImportException unusable) {
                builder.stats().count(Reason.MALFORMED, 0, "not a spool of a known version");
                failure = unusable;
            } catch (IOException unreadable) {
                builder.stats().count(Reason.MALFORMED, -1, "cannot be read");
                failure = new ImportException(file.toString(), "cannot be read", "check the file", unreadable);
            }
        }
        if (used == 0) {
            throw failure;
        }
        run.finish();
    }

    private static void read(SpoolReader reader, SpoolContext context, SpoolRun run, ImportStats.Builder stats)
            throws IOException {
        SpoolHeader header = reader.header();
        stats.count(header.whyDropped(), header.dropped(), -1, header.source());
        SpoolRecords records = new SpoolRecords(header, context, run, stats);
        reader.forEach(records::accept, stats);
        records.finish();
    }

    private static List<Path> spools(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(SUFFIX) && Files.isRegularFile(file) && isBegun(file))
                    .sorted()
                    .toList();
        }
    }

    /**
     * Returns whether anything was stored: a writer that is killed after creating its file leaves it empty, or full of
     * zeros.
     */
    private static boolean isBegun(Path file) {
        byte[] magic = new byte[SpoolHeader.MAGIC.length];
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(magic, 0, magic.length) > 0 && !Arrays.equals(magic, new byte[magic.length]);
        } catch (IOException unreadable) {
            return true; // The reader of the file reports the error.
        }
    }
}
