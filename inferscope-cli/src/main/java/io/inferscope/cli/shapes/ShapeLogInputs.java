package io.inferscope.cli.shapes;

import io.inferscope.analyzer.model.Report;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.ReadProgress;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.shapes.CallListener;
import io.inferscope.shapes.ShapeCollection;
import io.inferscope.shapes.ShapeFilter;
import io.inferscope.shapes.ShapesBesideTime;
import io.inferscope.shapes.log.ShapeLogReader;
import io.inferscope.shapes.log.ShapeLogStats;
import io.inferscope.shapes.log.ShapeSummary;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/** Reads shape logs into a collection, one after the other. */
public final class ShapeLogInputs {
    private ShapeLogInputs() {}

    /**
     * Reads logs.
     *
     * @param listener receives each call; null for none
     * @param strict whether a damaged log is refused
     * @throws ImportException if one cannot be used, or is damaged and {@code strict} is set
     */
    static void read(List<Path> files, ShapeCollection all, @Nullable CallListener listener, boolean strict)
            throws ImportException {
        try (ReadProgress progress = ReadProgress.of(files)) {
            for (Path file : files) {
                TraceSource source = new TraceSource(file, progress);
                ShapeLogStats stats = ShapeLogReader.read(source, all.open(name(file, files), listener));
                all.close(stats, ShapeSummary.beside(file));
                if (strict && !stats.isWhole()) {
                    throw new ImportException(
                            file.toString(),
                            "damaged: "
                                    + (stats.malformed().isEmpty()
                                            ? stats.damage()
                                            : stats.malformedLines() + " malformed lines, first "
                                                    + stats.malformed().get(0).text()),
                            "leave out --strict to use what is intact");
                }
            }
        }
    }

    /** Returns the option with shape logs for a report. */
    public static OptionSpec option() {
        return CommandSpecs.list(
                        "--shapes=LOG",
                        Path.class,
                        "Put the shape log of the run beside the times of its operators. May be repeated, for ranks.")
                .build();
    }

    /**
     * Returns a report with the shapes of logs added; the report itself without logs.
     *
     * @throws ImportException when a log cannot be used
     */
    public static Report beside(Report report, List<Path> logs) throws ImportException {
        if (logs.isEmpty()) {
            return report;
        }
        ShapeCollection all = new ShapeCollection(ShapeFilter.ALL, false, Long.MAX_VALUE);
        read(logs, all, null, false);
        return ShapesBesideTime.of(report, all);
    }

    /** Returns a log's name without folders; with them where several logs have the same. */
    private static String name(Path file, List<Path> files) {
        String name = TraceInputs.title(file);
        long same = files.stream()
                .filter(other -> TraceInputs.title(other).equals(name))
                .count();
        return same > 1 ? file.toString() : name;
    }
}
