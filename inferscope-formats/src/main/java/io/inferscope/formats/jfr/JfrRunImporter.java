package io.inferscope.formats.jfr;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.spool.SpoolImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A spool directory with flight recordings of JVMs: {@code jvm-<pid>.jfr}; for a killed JVM, its chunks in the folder
 * {@code jvm-<pid>}; {@code hotspot-pid-<pid>-...jfr} if the JVM chose the name. Their stamps are Unix time, which the
 * spools' clock records map to the run's axis.
 */
public final class JfrRunImporter extends Importer {
    private static final Pattern NAME = Pattern.compile("jvm-(\\d+)(?:\\.jfr)?|hotspot-pid-(\\d+)-.*\\.jfr");
    private static final String SUFFIX = ".jfr";

    private static final SpoolImporter SPOOLS = new SpoolImporter();

    public JfrRunImporter() {
        super(SPOOLS.format(), SPOOLS.description());
    }

    @Override
    public boolean recognises(TraceHead head) throws IOException {
        return head.isDirectory() && !recordings(head.file()).isEmpty();
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws ImportException, IOException {
        ImportException noSpool = null;
        try {
            SPOOLS.read(source.file(), builder);
        } catch (ImportException e) {
            noSpool = e;
        }
        if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
            builder.coverage(new Coverage(
                    "jfr", 0, 1, "this Java runtime has no module jdk.jfr: set INFERSCOPE_JAVA to a whole JDK"));
            return;
        }
        HostStates states = new HostStates(builder);
        for (Path recording : recordings(source.file())) {
            builder.stats().source(String.valueOf(recording.getFileName()));
            for (Path file : files(recording)) {
                read(file, pid(recording), states, builder);
            }
        }
        if (noSpool != null && builder.rowCount() == 0) {
            throw noSpool;
        }
    }

    private static void read(Path file, String pid, HostStates states, TimelineBuilder builder) throws IOException {
        try (JfrChunks chunks = JfrChunks.of(new TraceSource(file), builder.stats())) {
            if (chunks.count() > 0) {
                long originNs = builder.originUnixNs() != 0 ? builder.originUnixNs() : chunks.startUnixNs();
                JfrReader.read(chunks.file(), new JfrEvents(builder, originNs, pid, states));
            }
        } catch (IOException unreadable) {
            builder.stats().count(Reason.MALFORMED, -1, "cannot be read");
        }
    }

    private static String pid(Path recording) {
        Matcher matcher = NAME.matcher(String.valueOf(recording.getFileName()));
        return !matcher.matches() ? "" : matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
    }

    /** Returns one path per JVM: its finished recording if it is not empty, otherwise the folder with its chunks. */
    private static List<Path> recordings(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(path ->
                            NAME.matcher(String.valueOf(path.getFileName())).matches())
                    .filter(JfrRunImporter::counts)
                    .sorted()
                    .toList();
        }
    }

    private static boolean counts(Path path) {
        try {
            boolean finished = path.toString().endsWith(SUFFIX);
            if (finished) {
                return Files.isRegularFile(path) && Files.size(path) > 0;
            }
            Path file = path.resolveSibling(path.getFileName() + SUFFIX);
            boolean superseded = Files.isRegularFile(file) && Files.size(file) > 0;
            return Files.isDirectory(path) && !superseded && !files(path).isEmpty();
        } catch (IOException gone) {
            return false;
        }
    }

    /**
     * Returns the recording itself, or the chunks below a folder in the order of their names, which is that of time.
     */
    private static List<Path> files(Path recording) throws IOException {
        if (Files.isRegularFile(recording)) {
            return List.of(recording);
        }
        try (Stream<Path> all = Files.walk(recording)) {
            return all.filter(path -> path.toString().endsWith(SUFFIX) && Files.isRegularFile(path))
                    .sorted()
                    .toList();
        }
    }
}
