package io.inferscope.cli.mcp;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.activity.Lazy;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.diff.Side;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.report.json.JsonRenderer;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The recordings that were asked for last: an agent asks several questions of one, and reading takes longer than answering. */
final class Recordings {
    /** A large recording takes hundreds of megabytes. */
    private static final int MOST_KEPT = 2;

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final @Nullable Path root;
    private final PrintWriter err;
    private final Map<Path, Recording> kept = new LinkedHashMap<>(4, 0.75f, true);

    /**
     * @param root the folder below which recordings lie; without it they may lie anywhere
     * @param err is told what lies in a folder or an archive
     */
    Recordings(@Nullable Path root, PrintWriter err) {
        this.root = root;
        this.err = err;
    }

    /** A recording that has been read; analysed once it is asked for. */
    static final class Recording {
        private final String title;
        private final Timeline timeline;
        private final FileTime modified;
        private final Lazy<Analysis> analysis;
        private final Lazy<Side> side;
        private final Lazy<ObjectNode> report;

        private Recording(String title, Timeline timeline, FileTime modified) {
            this.title = title;
            this.timeline = timeline;
            this.modified = modified;
            Analyzer analyzer = new Analyzer();
            analysis = new Lazy<>(() -> analyzer.analysis(timeline));
            side = new Lazy<>(() -> Side.of(analysis(), analyzer.report(analysis(), title)));
            report = new Lazy<>(this::json);
        }

        String title() {
            return title;
        }

        Timeline timeline() {
            return timeline;
        }

        Analysis analysis() {
            return analysis.get();
        }

        /** Returns it as one of two to compare. */
        Side side() {
            return side.get();
        }

        /** Returns the report as docs/report-json.md describes it. */
        ObjectNode report() {
            return report.get();
        }

        private ObjectNode json() {
            StringBuilder text = new StringBuilder();
            try {
                new JsonRenderer().render(side().report(), text);
                return (ObjectNode) MAPPER.readTree(text.toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Returns a recording, read again when its file has changed.
     *
     * @throws ImportException when it cannot be read, or lies outside the folder that was named
     */
    synchronized Recording get(String name) throws ImportException {
        Path file = Path.of(name);
        FileTime modified;
        Path real;
        try {
            real = file.toRealPath();
            modified = modified(real);
        } catch (IOException | UncheckedIOException e) {
            throw new ImportException(name, "there is no such file or folder", "give the path of a recording");
        }
        if (root != null && !real.startsWith(root)) {
            throw new ImportException(
                    name, "it lies outside " + root, "start `inferscope mcp` with --root and a folder that holds it");
        }
        if (root != null && Files.isDirectory(real)) {
            refuseWaysOut(name, real, root);
        }
        Recording known = kept.get(real);
        if (known != null && known.modified.equals(modified)) {
            return known;
        }
        String title = TraceInputs.title(file);
        Timeline timeline = TraceInputs.load(List.of(new Input(real, null)), title, false, err);
        Recording read = new Recording(title, timeline, modified);
        kept.put(real, read);
        if (kept.size() > MOST_KEPT) {
            kept.remove(kept.keySet().iterator().next());
        }
        return read;
    }

    /** Returns when a file, or anything in a folder, last changed. */
    private static FileTime modified(Path real) throws IOException {
        FileTime last = Files.getLastModifiedTime(real);
        if (Files.isDirectory(real)) {
            try (Stream<Path> all = Files.walk(real)) {
                for (Path one : (Iterable<Path>) all::iterator) {
                    FileTime time = Files.getLastModifiedTime(one, LinkOption.NOFOLLOW_LINKS);
                    last = time.compareTo(last) > 0 ? time : last;
                }
            }
        }
        return last;
    }

    /** What is looked for in a folder follows links to files: none may lead out. */
    private static void refuseWaysOut(String name, Path folder, Path root) throws ImportException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path one : (Iterable<Path>) all::iterator) {
                if (Files.isSymbolicLink(one)
                        && !(Files.exists(one) && one.toRealPath().startsWith(root))) {
                    throw new ImportException(name, "a link in it leads outside " + root, "remove the link " + one);
                }
            }
        } catch (IOException | UncheckedIOException e) {
            throw new ImportException(name, "it cannot be listed: " + e.getMessage(), "name a file in it", e);
        }
    }
}
