package io.inferscope.cli.mcp;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.activity.Lazy;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.diff.Side;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.report.json.JsonRenderer;
import io.inferscope.timeline.JsonValues;
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

/** Cache of the last recordings: an agent asks several questions about one, and reading takes longer than answering. */
final class Recordings {
    /** A large recording takes hundreds of megabytes. */
    private static final int MOST_KEPT = 2;

    /** A folder with more files is refused by the import. */
    private static final int MOST_FILES = 20_000;

    private final @Nullable Path root;
    private final Analyzer analyzer;
    private final PrintWriter err;
    private final Map<Path, Recording> kept = new LinkedHashMap<>(4, 0.75f, true);

    /**
     * @param root the folder that must contain recordings; null for any place
     * @param err receives the contents of a folder or an archive
     */
    Recordings(@Nullable Path root, Analyzer analyzer, PrintWriter err) {
        this.root = root;
        this.analyzer = analyzer;
        this.err = err;
    }

    /** A recording that was read; it is analysed on demand. */
    static final class Recording {
        private final Analyzer analyzer;
        private final String title;
        private final Timeline timeline;
        private final FileTime modified;
        private final Lazy<Analysis> analysis;
        private final Lazy<Side> side;
        private final Lazy<Map<String, @Nullable Object>> report;

        private Recording(Analyzer analyzer, String title, Timeline timeline, FileTime modified) {
            this.analyzer = analyzer;
            this.title = title;
            this.timeline = timeline;
            this.modified = modified;
            analysis = new Lazy<>(() -> analyzer.analysis(timeline));
            side = new Lazy<>(() -> Side.of(analysis(), analyzer.report(analysis(), title)));
            report = new Lazy<>(this::json);
        }

        Analyzer analyzer() {
            return analyzer;
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

        /** Returns it as a side of a comparison. */
        Side side() {
            return side.get();
        }

        /** Returns the report as docs/report-json.md describes it. */
        Map<String, @Nullable Object> report() {
            return report.get();
        }

        private Map<String, @Nullable Object> json() {
            StringBuilder text = new StringBuilder();
            try {
                new JsonRenderer().render(side().report(), text);
                return JsonValues.parse(text.toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Returns a recording, reading it again if its file has changed.
     *
     * @throws ImportException if it cannot be read, or is outside the given folder
     */
    Recording get(String name) throws ImportException {
        Path file = Path.of(name);
        Path real;
        try {
            real = file.toRealPath();
        } catch (IOException e) {
            throw new ImportException(name, "there is no such file or folder", "give the path of a recording");
        }
        if (root != null && !real.startsWith(root)) {
            throw new ImportException(
                    name, "it lies outside " + root, "start `inferscope mcp` with --root and a folder that holds it");
        }
        if (!Files.isRegularFile(real) && !Files.isDirectory(real)) { // Reading it may never end.
            throw new ImportException(name, "it is a device or a pipe", "give the path of a file or a folder");
        }
        FileTime modified = modified(name, real);
        Recording known = kept.get(real);
        if (known != null && known.modified.equals(modified)) {
            return known;
        }
        String title = TraceInputs.title(file);
        Timeline timeline = TraceInputs.load(List.of(new Input(real, null)), title, false, err);
        Recording read = new Recording(analyzer, title, timeline, modified);
        kept.put(real, read);
        if (kept.size() > MOST_KEPT) {
            kept.remove(kept.keySet().iterator().next());
        }
        return read;
    }

    /**
     * Returns the last change of a file, or of any file in a folder.
     *
     * @throws ImportException if a link in the folder leads out of the root, because the search for recordings follows
     *     links to files
     */
    private FileTime modified(String name, Path real) throws ImportException {
        FileTime last = FileTime.fromMillis(0);
        try (Stream<Path> all = Files.walk(real)) {
            for (Path one : (Iterable<Path>) all.limit(MOST_FILES)::iterator) {
                if (root != null
                        && Files.isSymbolicLink(one)
                        && !(Files.exists(one) && one.toRealPath().startsWith(root))) {
                    throw new ImportException(name, "a link in it leads outside " + root, "remove the link " + one);
                }
                FileTime time = Files.getLastModifiedTime(one, LinkOption.NOFOLLOW_LINKS);
                last = time.compareTo(last) > 0 ? time : last;
            }
        } catch (IOException | UncheckedIOException e) {
            throw new ImportException(name, "it cannot be listed: " + e.getMessage(), "name a file in it", e);
        }
        return last;
    }
}
