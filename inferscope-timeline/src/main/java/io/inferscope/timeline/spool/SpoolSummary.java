package io.inferscope.timeline.spool;

import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The summary of a spool's header.
 *
 * @param pid the recorded process, 0 for several
 * @param source the recorder
 */
public record SpoolSummary(int pid, String source) {
    /**
     * Returns the summaries of a directory's spools, in the order of their names; files that cannot be read are left
     * out.
     */
    public static List<SpoolSummary> of(Path directory) throws IOException {
        List<SpoolSummary> summaries = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".spool") && Files.isRegularFile(f))
                    .sorted()
                    .toList()) {
                try (SpoolReader reader = new SpoolReader(file, new UnusedSpace())) {
                    SpoolHeader header = reader.header();
                    summaries.add(new SpoolSummary(header.pid(), header.source()));
                } catch (ImportException | IOException unusable) {
                    // The importer counts unreadable files.
                }
            }
        }
        return summaries;
    }
}
