package io.inferscope.analyzer;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Real traces with device work, of every format. */
public final class EveryTrace {
    private static final String RPD = ".rpd.gz";

    private EveryTrace() {}

    /** Returns the traces that a costly test takes. */
    public static List<Path> forCostlyTests() throws IOException {
        List<Path> traces = new ArrayList<>(SharedTraces.forCostlyTests(SharedTraces.chrome()));
        for (String family : List.of("nsys", "xla", "more", "other")) {
            try (Stream<Path> files = Files.list(SharedTraces.folder().resolve(family))) {
                files.filter(file -> file.toString().matches(".*(sqlite|xplane\\.pb|_results\\.json\\.gz|\\.rpd\\.gz)"))
                        .sorted()
                        .forEach(traces::add);
            }
        }
        return traces;
    }

    /** Returns the timeline of one of them; {@code folder} is where a database is unpacked. */
    public static Timeline timeline(Path trace, Path folder) throws ImportException, IOException {
        String name = trace.getFileName().toString();
        if (!name.endsWith(RPD)) {
            return name.endsWith(".json.gz") && !name.endsWith("_results.json.gz")
                    ? SharedTraces.timeline(trace)
                    : Formats.importers().load(trace);
        }
        Path database = folder.resolve(name.substring(0, name.length() - ".gz".length()));
        if (!Files.exists(database)) {
            try (InputStream packed = new GZIPInputStream(Files.newInputStream(trace))) {
                Files.copy(packed, database);
            }
        }
        return Formats.importers().load(database);
    }
}
